"""Each bot hears the end of its match, wherever it was when that happened."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest

from fudaba import Bot, Decision
from fudaba._play_options import PlayOptions
from fudaba._stream import play
from fudaba.v1 import matches_pb2, play_pb2
from fudaba_service.store import keys
from tests.support.patience import until
from tests.support.service.bots import Stream
from tests.support.service.in_progress import started
from tests.support.service.organiser import PATIENT, Entrant, Organiser, StoreView
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy

MAX_ENDS_PER_BOT: Final = 1_000
"""The number of ends that are kept for a bot."""


@pytest.fixture
def service(folder: Path, redis: RedisServer) -> Any:
    with started(folder, redis) as running:
        yield running


@pytest.fixture
def store(redis: RedisServer) -> Any:
    view = StoreView(redis.url)
    with contextlib.closing(view.client):
        yield view


@pytest.fixture
async def organiser(service: Service) -> AsyncIterator[Organiser]:
    async with Organiser(service.address, service.token) as client:
        yield client


async def abort(organiser: Organiser, match_id: str) -> None:
    request = matches_pb2.AbortMatchRequest(match_id=match_id)
    await organiser.matches.AbortMatch(request, metadata=organiser.metadata)


async def over_before(organiser: Organiser, store: StoreView, *entrants: Entrant) -> str:
    """Returns a match that was over before any of its bots came."""
    match_id = await organiser.match(*entrants, clock=PATIENT)
    await abort(organiser, match_id)
    await store.forgets(match_id)
    return match_id


def kept(store: StoreView, entrant: Entrant) -> int:
    view: Any = store.client
    return int(view.zcard(keys.bot_ended(f"{entrant.name}/1")))


async def hears_end(organiser: Organiser, entrant: Entrant, match_id: str, seat: int) -> None:
    """A new stream of the bot, which names nothing, is told the end and nothing else; it answers no ping."""
    async with Stream(organiser.address, entrant.token) as stream:
        stream.pongs = False
        await stream.hello()
        update = await stream.update()
        end = (await organiser.get(match_id)).end
        assert update == play_pb2.SeatUpdate(match_id=match_id, seat=seat, over=end)


async def test_a_bot_that_never_came_is_told_the_end_until_it_has_read_it(
    organiser: Organiser, store: StoreView, folder: Path
) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await over_before(organiser, store, entrant, other)
    for _ in range(2):
        await hears_end(organiser, entrant, match_id, 0)
    async with Stream(organiser.address, entrant.token) as stream:
        await stream.hello()
        assert (await stream.update()).HasField("over")
        reading = asyncio.ensure_future(stream.receive())  # answers pings
        await until(lambda: not kept(store, entrant), "the pong")
        reading.cancel()
    async with Stream(organiser.address, entrant.token) as stream:
        await stream.hello()
        assert await stream.quiet()
    await hears_end(organiser, other, match_id, 1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("then", ["goes on", "is killed"])
@pytest.mark.parametrize("names", [True, False])
async def test_a_bot_whose_link_breaks_as_its_match_ends_is_told_the_end(
    service: Service, organiser: Organiser, store: StoreView, then: str, names: bool
) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other, clock=PATIENT)
    async with (
        Proxy(int(service.address.rpartition(":")[2])).run() as proxy,
        Stream(proxy.address, other.token) as stream,
        Stream(organiser.address, entrant.token) as there,
    ):
        await there.hello()
        await stream.hello()
        update = await stream.decision()
        proxy.freeze()
        await abort(organiser, match_id)
        await store.forgets(match_id)
        if then == "is killed":
            service.kill()
            await asyncio.to_thread(service.start)
        proxy.cut()
    seen = [play_pb2.Seen(match_id=match_id, seen=update.seen, history=update.history)] if names else []
    async with Stream(organiser.address, other.token) as stream:
        await stream.hello(seen=seen)
        update = await stream.update()
        assert update.over == (await organiser.get(match_id)).end
        assert update.HasField("started") == names
        assert await stream.quiet(), "it was told twice"


async def test_a_bot_that_was_told_the_end_on_its_stream_is_not_told_again(
    organiser: Organiser, store: StoreView
) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(entrant, other, clock=PATIENT)
    async with Stream(organiser.address, entrant.token) as stream:
        await stream.hello()
        await abort(organiser, match_id)
        await stream.over()
        reading = asyncio.ensure_future(stream.receive())
        await store.forgets(match_id)
        await until(lambda: not kept(store, entrant), "the pong")
        reading.cancel()
    assert kept(store, other) == 1


async def test_a_stream_that_was_not_told_of_a_match_that_began_and_ended_is_told_the_end(
    organiser: Organiser, service: Service, redis: RedisServer, store: StoreView, folder: Path
) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    async with Proxy(redis.port).run() as proxy:
        url = f"redis://127.0.0.1:{proxy.port}/0"
        with Service(folder, "--redis", url, name="two", data=folder / "data") as two:
            await asyncio.to_thread(two.start)
            async with Stream(two.address, entrant.token) as stream:
                await stream.hello()
                await until(lambda: store.client.hexists(keys.STREAMS, f"{entrant.name}/1"), "the stream")
                proxy.lose_news()
                match_id = await over_before(organiser, store, entrant, other)
                proxy.deliver_news()
                assert (await stream.over()).match_id == match_id


async def test_what_is_kept_for_a_bot_that_never_comes_is_bounded(organiser: Organiser, store: StoreView) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    key = keys.bot_ended(f"{entrant.name}/1")
    view: Any = store.client
    now = int(view.time()[0]) * 1000
    view.zadd(key, {b"an hour ago": now - 3_700_000} | {f"{n}": now - 1000 for n in range(MAX_ENDS_PER_BOT + 5)})
    match_id = await over_before(organiser, store, entrant, other)
    assert kept(store, entrant) == MAX_ENDS_PER_BOT
    newest = view.zrange(key, -1, -1)[0]
    assert play_pb2.SeatUpdate.FromString(newest).match_id == match_id
    assert 0 < view.ttl(key) <= 3600


class FirstMove(Bot):
    def choose(self, decision: Decision) -> int:
        return 0


async def test_a_kit_that_plays_one_match_does_not_take_an_older_end_for_it(
    organiser: Organiser, store: StoreView
) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    await over_before(organiser, store, entrant, other)
    match_id = await organiser.match(entrant, other)
    tallies = await asyncio.gather(
        *[play(FirstMove, PlayOptions(address=organiser.address, token=e.token, matches=1)) for e in (entrant, other)]
    )
    assert [(tally.finished, tally.aborted) for tally in tallies] == [(1, 0), (1, 0)]
    assert (await organiser.get(match_id)).HasField("end")
