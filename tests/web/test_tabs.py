"""Streams of many tabs in one answer: each as it would be alone, and each goes on where it was."""

from __future__ import annotations

import asyncio
import json
import struct
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, cast
from uuid import uuid4

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import StreamingResponse

from fudaba.client import Client
from fudaba.v1 import bots_pb2, matches_pb2, play_pb2, record_pb2
from fudaba_web.tabs import Tabs
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, refusal_of

SEAT = "fudaba.v1.PlayService.WatchSeat"
MATCH = "fudaba.v1.MatchService.WatchMatch"
PAGE = {"x-fudaba-page": "1"}
HEAD = struct.Struct(">IHBH")


class Frames:
    """The frames of an answer, as they come."""

    def __init__(self, answer: httpx.Response) -> None:
        self._bytes = answer.iter_raw()
        self._read = b""

    def next(self) -> tuple[int, int, bytes, bytes]:
        """Returns which stream, its kind, the request that goes on, and the content."""
        length, stream, kind, resume = HEAD.unpack(self._take(HEAD.size))
        rest = self._take(length - HEAD.size + 4)
        return stream, kind, rest[:resume], rest[resume:]

    def _take(self, size: int) -> bytes:
        while len(self._read) < size:
            self._read += next(self._bytes)
        taken, self._read = self._read[:size], self._read[size:]
        return taken


@contextmanager
def asked(web: Gateway, token: str, *streams: tuple[str, Any], **headers: str) -> Iterator[Frames]:
    wanted = [
        {
            "method": method,
            "request": b64encode(request if isinstance(request, bytes) else request.SerializeToString()).decode(),
        }
        for method, request in streams
    ]
    sent = PAGE | {"authorization": f"Bearer {token}"} | headers
    with web.http.stream("POST", "/session/streams", json={"streams": wanted}, headers=sent) as answer:
        assert answer.status_code == 200, answer.read()
        yield Frames(answer)


@pytest.fixture(scope="module")
def player(hosted: Service) -> str:
    """Returns the token of a bot."""
    name = f"tabs-player-{uuid4().hex[:8]}"
    with Client(hosted.address, hosted.token) as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name=name), timeout=PATIENCE)
        return client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name), timeout=PATIENCE).token


def new_match(web: Gateway, token: str) -> str:
    seats = [{"caller": {}}, {"houseBot": "house-first"}]
    created = web.answer("MatchService/CreateMatch", {"game": "naga", "seats": seats}, token)
    return str(created["match"]["header"]["matchId"])


def watch_seat(match_id: str) -> play_pb2.WatchSeatRequest:
    delivery = play_pb2.Delivery(events=play_pb2.EVENT_DELIVERY_AT_ONCE, acknowledge=True)
    return play_pb2.WatchSeatRequest(match_id=match_id, delivery=delivery)


def test_ten_seats_come_in_one_answer_while_their_moves_go_through(web: Gateway, player: str) -> None:
    matches = [new_match(web, player) for _ in range(10)]
    with asked(web, player, *((SEAT, watch_seat(match_id)) for match_id in matches)) as frames:
        decisions: dict[int, str] = {}
        while len(decisions) < len(matches):
            stream, kind, _, content = frames.next()
            assert kind == 0
            update = play_pb2.WatchSeatResponse.FromString(content).update
            assert update.match_id == matches[stream]
            if update.HasField("decision"):
                decisions[stream] = update.decision.decision_id
        for stream, decision_id in decisions.items():
            answer = {"matchId": matches[stream], "decisionId": decision_id, "index": 0}
            web.answer("PlayService/SubmitMove", {"answer": answer}, player)
        accepted: set[int] = set()
        while len(accepted) < len(matches):
            stream, _, _, content = frames.next()
            if decisions[stream] in play_pb2.WatchSeatResponse.FromString(content).update.accepted:
                accepted.add(stream)


def test_a_stream_goes_on_with_the_request_of_its_last_frame_and_repeats_no_event(web: Gateway, player: str) -> None:
    match_id = new_match(web, player)
    with asked(web, player, (SEAT, watch_seat(match_id))) as frames:
        decision_id, seen, resume = "", 0, b""
        while not decision_id:
            _, _, resume, content = frames.next()
            update = play_pb2.WatchSeatResponse.FromString(content).update
            decision_id, seen = update.decision.decision_id, update.seen
    assert play_pb2.WatchSeatRequest.FromString(resume).seen == seen > 0
    assert play_pb2.WatchSeatRequest.FromString(resume).delivery == watch_seat(match_id).delivery
    web.answer(
        "PlayService/SubmitMove", {"answer": {"matchId": match_id, "decisionId": decision_id, "index": 0}}, player
    )
    with asked(web, player, (SEAT, resume)) as frames:
        _, _, _, content = frames.next()
        update = play_pb2.WatchSeatResponse.FromString(content).update
        assert update.seen - len(update.events) == seen


def test_what_one_stream_is_refused_the_others_do_not_notice(web: Gateway, player: str) -> None:
    match_id = new_match(web, player)
    missing = matches_pb2.WatchMatchRequest(match_id="nowhere")
    watched = matches_pb2.WatchMatchRequest(match_id=match_id)
    with asked(web, player, (MATCH, missing), (MATCH, watched)) as frames:
        found: dict[int, int] = {}
        while len(found) < 2:  # the other one may have more to tell before the refusal comes
            stream, kind, _, _ = frames.next()
            found.setdefault(stream, kind)
        assert found == {0: 2, 1: 0}
    with asked(web, player, (MATCH, missing)) as frames:
        _, _, _, content = frames.next()
        assert json.loads(content)["details"][0]["debug"]["reason"] == "MATCH_NOT_FOUND"


def test_a_stream_that_is_named_twice_is_opened_once(web: Gateway, player: str) -> None:
    match_id = new_match(web, player)
    watched = matches_pb2.WatchMatchRequest(match_id=match_id)
    found: dict[int, int] = {}
    with asked(web, player, (MATCH, watched), (MATCH, watched), (SEAT, watch_seat(match_id))) as frames:
        while len(found) < 3:
            stream, kind, _, _ = frames.next()
            found[stream] = kind
    assert found == {0: 0, 1: 2, 2: 0}


async def read_all(streams: Any, request: matches_pb2.WatchMatchRequest) -> AsyncIterator[bytes]:
    """Returns the frames of an answer, as one who does not read yet would get them."""
    wanted = {"method": MATCH, "request": b64encode(request.SerializeToString()).decode()}
    body = json.dumps({"streams": [wanted]}).encode()

    async def receive() -> Any:
        return {"type": "http.request", "body": body}

    scope = {"type": "http", "method": "POST", "path": "/session/streams", "query_string": b"", "server": ("h", 80)}
    asked_for = Request(scope | {"headers": [(b"x-fudaba-page", b"1"), (b"host", b"h")], "scheme": "http"}, receive)
    answer = await Tabs(streams).post(asked_for)
    assert isinstance(answer, StreamingResponse)
    return cast("AsyncIterator[bytes]", answer.body_iterator)


async def test_an_unexpected_error_in_a_stream_is_told_as_a_refusal() -> None:
    async def fails(request: matches_pb2.WatchMatchRequest, _: Any) -> AsyncIterator[Any]:
        yield request.no_such_field  # type: ignore[attr-defined]

    frames = [frame async for frame in await read_all({MATCH: fails}, matches_pb2.WatchMatchRequest(match_id="m"))]
    [(_, _, kind, _)] = [HEAD.unpack(frame[: HEAD.size]) for frame in frames]
    assert kind == 2
    assert json.loads(frames[0][HEAD.size :])["code"] == "internal"


async def test_who_does_not_read_is_kept_no_more_than_some_bytes_for() -> None:
    taken = 0

    async def long(_: Any, __: Any) -> AsyncIterator[Any]:
        nonlocal taken
        large = matches_pb2.WatchMatchResponse(
            match=matches_pb2.Match(header=record_pb2.MatchHeader(match_id="m" * 300_000))
        )
        while taken < 50:
            taken += 1
            yield large

    frames = await read_all({MATCH: long}, matches_pb2.WatchMatchRequest(match_id="m"))
    await anext(frames)
    for _ in range(200):  # every task gets its turn, again and again
        await asyncio.sleep(0)
    assert taken <= 8
    assert len([frame async for frame in frames]) == 50  # and the end


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"streams": 1}',
        b'{"streams": [{"method": "fudaba.v1.PlayService.Play", "request": ""}]}',
        b'{"streams": [{"method": [], "request": ""}]}',
        b'{"streams": [{"method": "fudaba.v1.PlayService.WatchSeat", "request": 1}]}',
        b'{"streams": [{"method": "fudaba.v1.PlayService.WatchSeat", "request": "?"}]}',
        b'{"streams": [{"method": "fudaba.v1.PlayService.WatchSeat", "request": "/w=="}]}',
        json.dumps({"streams": [{"method": MATCH, "request": ""}] * 101}).encode(),
        b" " * 100_001,
        b"[" * 99_999,
    ],
)
def test_what_asks_for_no_streams_is_refused_with_what_to_send(web: Gateway, body: bytes) -> None:
    answer = web.http.post("/session/streams", content=body, headers=PAGE)
    assert refusal_of(answer) == ("invalid_argument", "MALFORMED")


def test_another_sites_page_opens_no_streams(web: Gateway, player: str) -> None:
    for headers in ({}, PAGE | {"sec-fetch-site": "cross-site"}, PAGE | {"origin": "https://elsewhere.example"}):
        answer = web.http.post("/session/streams", json={"streams": []}, headers=headers)
        assert refusal_of(answer) == ("invalid_argument", "MALFORMED")
