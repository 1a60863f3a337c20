"""Those who follow the same match share one stream from the service, and each is told what it would be told alone."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from fudaba.client import Client
from fudaba.v1 import bots_pb2, matches_pb2, play_pb2
from fudaba_web.spectators import SharedMessage, Spectators
from tests.support.patience import PATIENCE, until
from tests.support.service.processes import Service
from tests.support.web.gateways import NO_TLS, Gateway

Response = matches_pb2.WatchMatchResponse
WATCH = "/fudaba.v1.MatchService/WatchMatch"


class Feed:
    """What the service tells, as a test has it."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Response | None] = asyncio.Queue()
        self.begun = 0
        self.cancelled = False

    def begin(self, _: matches_pb2.WatchMatchRequest) -> Feed:
        self.begun += 1
        return self

    def cancel(self) -> None:
        self.cancelled = True

    async def __aiter__(self) -> AsyncIterator[Response]:
        while (message := await self.queue.get()) is not None:
            yield message


class Reader:
    """A spectator, who adds up what it is told as the contract says."""

    def __init__(self, spectators: Spectators, feed: Feed, seen: list[int]) -> None:
        self.events = seen
        self.view = 0
        self.state = 0
        self.messages = 0
        self.task = asyncio.create_task(self._read(spectators, feed))

    async def _read(self, spectators: Spectators, feed: Feed) -> None:
        request = matches_pb2.WatchMatchRequest(match_id="m", seen=len(self.events))
        async for message in spectators.watch(request, "", feed.begin):
            self.take(message)

    def take(self, sent: SharedMessage) -> None:
        message = sent.message
        assert Response.FromString(sent.binary()) == message
        self.messages += 1
        del self.events[message.seen - len(message.events) :]
        self.events += [event.naga.dealt.deal for event in message.events]
        assert len(self.events) == message.seen
        self.view = message.view.naga.deal if message.HasField("view") else 0
        self.state = message.match.state or self.state


def response(base: int, deals: list[int], view: int, state: int = 0) -> Response:
    """Returns a message whose events are told apart by numbers, after `base` others."""
    message = Response(seen=base + len(deals))
    for deal in deals:
        message.events.add().naga.dealt.deal = deal
    if view:
        message.view.naga.deal = view
    if state:
        message.match.state = matches_pb2.MATCH_STATE_PLAYING
    return message


@pytest.mark.parametrize("seed", range(12))
async def test_whenever_somebody_comes_it_knows_what_all_know(seed: int) -> None:
    chance = random.Random(seed)
    spectators, feed = Spectators(), Feed()
    events: list[int] = []
    readers = [Reader(spectators, feed, [])]
    feed.queue.put_nowait(response(0, [], 0, 1))
    for step in range(60):
        if chance.random() < 0.1:
            del events[chance.randrange(len(events) + 1) :]  # the match is put back
        new = [10 * step + n for n in range(chance.randrange(3))]
        feed.queue.put_nowait(response(len(events), new, step + 1))
        events += new
        if chance.random() < 0.5:
            await asyncio.sleep(0)
        if chance.random() < 0.3:
            await until(lambda: readers[0].view == step + 1)  # noqa: B023  # it is called at once
            readers.append(Reader(spectators, feed, events[: chance.randrange(len(events) + 1)]))
            await until(lambda: readers[-1].messages)
    await until(lambda: all(reader.messages for reader in readers))
    feed.queue.put_nowait(None)
    await asyncio.gather(*(reader.task for reader in readers))
    assert feed.begun == 1
    assert [reader.events for reader in readers] == [events] * len(readers)
    assert {(reader.view, reader.state) for reader in readers} == {(60, matches_pb2.MATCH_STATE_PLAYING)}


async def test_when_the_last_one_leaves_the_stream_is_cancelled_and_the_next_one_begins_another() -> None:
    spectators, feed = Spectators(), Feed()
    readers = [Reader(spectators, feed, []) for _ in range(3)]
    feed.queue.put_nowait(response(0, [], 0, 1))
    await until(lambda: all(reader.messages for reader in readers))
    for reader in readers:
        assert not feed.cancelled
        reader.task.cancel()
        await asyncio.wait([reader.task])
    await until(lambda: feed.cancelled)
    again = Reader(spectators, feed, [])
    feed.queue.put_nowait(None)
    await again.task
    assert feed.begun == 2


async def test_who_does_not_read_is_cut_off_and_the_others_go_on() -> None:
    spectators, feed = Spectators(), Feed()
    reader = Reader(spectators, feed, [])
    slow = spectators.watch(matches_pb2.WatchMatchRequest(match_id="m"), "", feed.begin)
    feed.queue.put_nowait(response(0, [], 0, 1))
    await anext(slow)
    for n in range(1_500):
        feed.queue.put_nowait(response(n, [1], 1))
    await until(lambda: len(reader.events) == 1_500)
    with pytest.raises(Exception, match="does not read") as cut:
        async for _ in slow:
            pass
    assert cut.value.code.value == "resource_exhausted"  # type: ignore[attr-defined]  # a ConnectError
    feed.queue.put_nowait(None)
    await reader.task


# --- over real processes


@pytest.fixture(scope="module")
def played(hosted: Service) -> Iterator[tuple[str, str]]:
    """Yields a match that waits for the first move of a bot of ours, and that bot's token."""
    name = f"slow-{uuid4().hex[:8]}"
    with Client(hosted.address, hosted.token) as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name=name), timeout=PATIENCE)
        token = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name), timeout=PATIENCE).token
    with Client(hosted.address, token) as client:
        request = matches_pb2.CreateMatchRequest(game="naga")
        request.seats.add().caller.SetInParent()
        request.seats.add().house_bot = "house-first"
        request.clock.move_ms = int(PATIENCE * 1000)
        yield client.matches.CreateMatch(request, timeout=PATIENCE).match.header.match_id, token


def envelope(message: Any) -> bytes:
    body = json.dumps(message).encode()
    return b"\0" + len(body).to_bytes(4, "big") + body


async def read(client: httpx.AsyncClient, match_id: str, seen: int, arrived: asyncio.Event) -> tuple[int, Any]:
    """Follows a match to its end. Returns how many events were told, and the state at the end."""
    count, state, left = seen, "", b""
    headers = {"content-type": "application/connect+json"}
    body = envelope({"matchId": match_id, "seen": seen})
    async with client.stream("POST", WATCH, content=body, headers=headers) as stream:
        async for chunk in stream.aiter_bytes():
            left += chunk
            while len(left) >= 5 and len(left) >= 5 + int.from_bytes(left[1:5], "big"):
                size = int.from_bytes(left[1:5], "big")
                message, flags, left = json.loads(left[5 : 5 + size]), left[0], left[5 + size :]
                if flags:
                    assert message == {}
                    return count, state
                count += len(message.get("events", []))
                assert count == message.get("seen", 0)
                state = message.get("match", {}).get("state", state)
                arrived.set()
    raise AssertionError("it ended without its end")


@pytest.mark.exhaustive
async def test_many_follow_a_match_to_its_end(web: Gateway, hosted: Service, played: tuple[str, str]) -> None:
    match_id, token = played
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=web.url, timeout=PATIENCE, limits=limits, verify=NO_TLS) as client:
        arrivals = [asyncio.Event() for _ in range(40)]
        readers = [asyncio.create_task(read(client, match_id, 0, arrived)) for arrived in arrivals[:20]]
        await asyncio.gather(*(arrived.wait() for arrived in arrivals[:20]))

        def play() -> None:
            with Client(hosted.address, token) as bot:
                for update in bot.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=match_id)):
                    if update.update.HasField("decision"):
                        decision = update.update.decision.decision_id
                        answer = play_pb2.Answer(match_id=match_id, decision_id=decision, index=0)
                        bot.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), timeout=PATIENCE)

        playing = asyncio.create_task(asyncio.to_thread(play))
        readers += [asyncio.create_task(read(client, match_id, 0, arrived)) for arrived in arrivals[20:]]
        ends = await asyncio.gather(*readers)
        await playing
    assert len(set(ends)) == 1
    assert ends[0][0] > 0
    assert ends[0][1] == "MATCH_STATE_FINISHED"
