"""A stream that has nothing to tell says that it is there, in a way that clients of every age ignore."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from fudaba.v1 import arena_pb2, matches_pb2, play_pb2
from fudaba_serving.grpc.policy import contract
from fudaba_web.heartbeats import SILENCE_SECONDS, heartbeat, with_heartbeats
from tests.support.deaf_relay import DeafRelay
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.bots import BOT, register
from tests.support.web.gateways import Gateway, gateway

STREAMS = {
    method.name: method
    for service in contract()
    for method in service.methods
    if method.server_streaming and not method.client_streaming
}
NEWS = {
    "events",
    "match",
    "view",
    "record",
    "positions",
    "lines",
    "changes",
    "tournament",
    "ladder",
    "decision",
    "over",
}
"""Fields that a client acts on."""
MID_MATCH_CONNECTION_NUMBER = 6
"""Which connection of the bot falls into its match: who it is, the match, its stream, then moves."""


@pytest.mark.parametrize("name", sorted(STREAMS))
def test_a_heartbeat_of_each_stream_has_no_news(name: str) -> None:
    kind = GetMessageClass(STREAMS[name].output_type)
    request = GetMessageClass(STREAMS[name].input_type)()
    for last in (request, kind()):
        beat = heartbeat(kind, last)
        update = beat.update if isinstance(beat, play_pb2.WatchSeatResponse) else beat
        assert not {field.name for field, _ in update.ListFields()} & NEWS


def test_a_heartbeat_repeats_where_the_stream_stands() -> None:
    update = play_pb2.SeatUpdate(match_id="m", seat=2, seen=7, history=9, accepted=["1.0"])
    beat = heartbeat(play_pb2.WatchSeatResponse, play_pb2.WatchSeatResponse(update=update))
    assert beat == play_pb2.WatchSeatResponse(update=play_pb2.SeatUpdate(match_id="m", seat=2, seen=7, history=9))
    watched = matches_pb2.WatchMatchResponse(seen=5, match=matches_pb2.Match())
    assert heartbeat(matches_pb2.WatchMatchResponse, watched) == matches_pb2.WatchMatchResponse(seen=5)
    ladder = arena_pb2.WatchLadderResponse(season=3, seen=8, ladder=arena_pb2.Ladder())
    assert heartbeat(arena_pb2.WatchLadderResponse, ladder) == arena_pb2.WatchLadderResponse(season=3, seen=8)


def test_before_the_first_answer_a_heartbeat_repeats_where_the_client_stood() -> None:
    request = play_pb2.WatchSeatRequest(match_id="m", seen=4, history=6)
    update = play_pb2.SeatUpdate(match_id="m", seen=4, history=6)
    assert heartbeat(play_pb2.WatchSeatResponse, request) == play_pb2.WatchSeatResponse(update=update)
    records = heartbeat(matches_pb2.StreamRecordsResponse, matches_pb2.StreamRecordsRequest(page_token="p"))
    assert records == matches_pb2.StreamRecordsResponse(next_page_token="p")


def test_what_is_read_meanwhile_is_not_lost_and_is_closed_with_the_stream() -> None:
    request, kind = matches_pb2.WatchMatchRequest(match_id="m"), matches_pb2.WatchMatchResponse
    closed = []

    async def messages(more: asyncio.Event) -> AsyncIterator[Message]:
        try:
            yield kind(seen=1, match=matches_pb2.Match())
            await more.wait()
            yield kind(seen=2, match=matches_pb2.Match())
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    async def read() -> list[Any]:
        more = asyncio.Event()
        found: list[Any] = []
        stream = with_heartbeats(messages(more), request, kind, silence_seconds=0.01)
        async for response in stream:
            found.append(response)
            if len(found) == 3:
                more.set()
            if response.seen == 2 and not response.HasField("match"):
                break
        await stream.aclose()  # type: ignore[attr-defined]  # it is a generator
        return found

    found = asyncio.run(read())
    assert [message.seen for message in found if message.HasField("match")] == [1, 2]
    assert closed == [True]


@pytest.mark.exhaustive
def test_a_quiet_stream_of_a_gateway_says_within_its_silence_that_it_is_there(web: Gateway, hosted: Service) -> None:
    token = register(hosted, "quiet")
    seats = [{"caller": {}}, {"houseBot": "house-random"}]
    made = web.answer("MatchService/CreateMatch", {"game": "naga", "seats": seats}, token)
    body = json.dumps({"matchId": made["match"]["header"]["matchId"]}).encode()
    # A longer silence than the contract's ends the reading.
    limits = httpx.Timeout(PATIENCE, read=SILENCE_SECONDS + PATIENCE)
    headers = {"content-type": "application/connect+json", "authorization": f"Bearer {token}"}
    envelope = b"\0" + len(body).to_bytes(4, "big") + body
    url = "/fudaba.v1.PlayService/WatchSeat"
    with web.http.stream("POST", url, content=envelope, headers=headers, timeout=limits) as answer:
        updates = (frame["update"] for frame in _envelopes(answer))
        last = next(updates)
        for update in updates:
            if set(update) <= {"matchId", "seat", "seen", "history"}:
                break
            last = update
    for field in ("matchId", "seat", "seen", "history"):
        assert update.get(field) == last.get(field)


def _envelopes(answer: httpx.Response) -> Any:
    left = b""
    for content in answer.iter_raw():
        left += content
        while len(left) >= 5 and len(left) >= 5 + (size := int.from_bytes(left[1:5], "big")):
            yield json.loads(left[5 : 5 + size])
            left = left[5 + size :]


@pytest.mark.exhaustive
def test_the_bot_with_json_alone_plays_on_when_its_connections_go_deaf(web: Gateway, hosted: Service) -> None:
    deafened = []

    def go_deaf(relay: DeafRelay, connection: int) -> None:
        if connection == MID_MATCH_CONNECTION_NUMBER:
            deafened.append(relay.go_deaf())

    with DeafRelay(web.url, go_deaf) as relay:
        over = _played_by_json_bot(relay.url, register(hosted, "deafened"))
    [links] = deafened
    assert links >= 2  # its stream, and a move; the relay may not have heard of the end of the move before yet
    assert over["outcome"]
    assert _timeouts(web, "deafened") == 0


@pytest.mark.exhaustive
def test_the_bot_with_json_alone_plays_on_while_the_service_restarts(tmp_path: Path) -> None:
    with short_folder() as place, Service(place, "--appendfsync", "always") as service:
        service.start()

        def restart(_: DeafRelay, connection: int) -> None:
            if connection == MID_MATCH_CONNECTION_NUMBER:
                service.kill()
            if connection == MID_MATCH_CONNECTION_NUMBER + 2:
                service.start()

        with gateway(tmp_path, service.address) as web, DeafRelay(web.url, restart) as relay:
            over = _played_by_json_bot(relay.url, register(service, "restarted"))
            assert over["outcome"]
            assert _timeouts(web, "restarted") == 0


def _played_by_json_bot(url: str, token: str) -> Any:
    """Returns how the bot's match ended, as it says itself."""
    env = os.environ | {"FUDABA_WEB": url, "FUDABA_TOKEN": token}
    done = subprocess.run([sys.executable, str(BOT)], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _timeouts(web: Gateway, bot: str) -> int:
    """Returns how often a bot's time ran out in the one match that it has played."""
    [match] = web.answer("MatchService/ListMatches", {"bot": bot})["matches"]
    record = web.answer("MatchService/GetRecord", {"matchId": match["header"]["matchId"]})["record"]
    return sum("timeout" in entry for entry in record["log"])
