"""Each bot hears the end of its match, though the store loses its newest moments just then."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from fudaba.v1 import play_pb2, record_pb2
from fudaba_service.store import Store, match_keys
from tests.support.patience import until
from tests.support.service.bots import Stream
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.in_progress import started
from tests.support.service.organiser import PATIENT, Organiser
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy
from tests.support.service.rewinds import forget, log_of, seated
from tests.support.service.stores import created, opened

PLAYER: Final = "x/1"
SLOW: Final = """
import pathlib, time
from fudaba import records
from fudaba_serving.storage import folder as folder_storage

publish, waits = folder_storage._publish, pathlib.Path({waits!r})

def slowly(written, path, **more):
    while path.name.endswith(records.SUFFIX) and waits.exists():
        time.sleep(0.01)
    return publish(written, path, **more)

folder_storage._publish = slowly
"""


@contextlib.asynccontextmanager
async def lost(redis: RedisServer, folder: Path) -> AsyncIterator[None]:
    """Yields a power cut: the store loses what was written to it in this block."""
    kept, files = folder / "kept", redis.folder / "appendonlydir"
    shutil.copytree(files, kept)
    yield
    await asyncio.to_thread(redis.kill)
    shutil.rmtree(files)
    kept.rename(files)
    await asyncio.to_thread(redis.start)


async def test_a_bot_that_had_not_come_is_told_the_end_of_a_match_that_the_store_lost(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service, redis.client() as client:
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            async with Stream(service.address, entrant.token) as stream:
                await stream.hello()
                async with lost(redis, folder):
                    match_id = await organiser.match(entrant, other, clock=PATIENT)
                    assert (await stream.update()).HasField("started")
                assert (await stream.over()).over.abort_cause == record_pb2.ABORT_CAUSE_LOST
            await until(lambda: client.exists(match_keys(match_id).gone), "the end of the match in the store")
            async with Stream(service.address, other.token) as stream:
                await stream.hello()
                end = (await organiser.get(match_id)).end
                assert await stream.update() == play_pb2.SeatUpdate(match_id=match_id, seat=1, over=end)


async def test_a_bot_that_came_back_before_the_end_of_a_lost_match_was_archived_is_told_it_on_that_stream(
    folder: Path, redis: RedisServer
) -> None:
    waits = folder / "waits"
    waits.touch()
    with Service(folder, "--redis", redis.url, data=folder / "data") as service:
        await asyncio.to_thread(service.start, first=SLOW.format(waits=str(waits)))
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            async with Stream(service.address, entrant.token) as stream, Stream(service.address, other.token) as later:
                await stream.hello()
                async with lost(redis, folder):
                    match_id = await organiser.match(entrant, other, clock=PATIENT)
                    assert (await stream.update()).HasField("started")
                await later.hello()
                waits.unlink()
                ends = [(await stream.over()).over, (await later.over()).over]
                assert ends == [(await organiser.get(match_id)).end] * 2
                assert ends[0].abort_cause == record_pb2.ABORT_CAUSE_LOST


async def test_replicas_that_find_the_same_match_lost_tell_the_same_end_of_it(folder: Path, redis: RedisServer) -> None:
    waits = folder / "waits"
    waits.touch()
    replicas = [Service(folder, "--redis", redis.url, name=name, data=folder / "data") for name in ("near", "far")]
    with replicas[0] as near, replicas[1] as far:
        for replica in replicas:
            await asyncio.to_thread(replica.start, first=SLOW.format(waits=str(waits)))
        async with Organiser(near.address, near.token) as organiser:
            entrants = [await organiser.entrant(), await organiser.entrant()]
            async with (
                Stream(near.address, entrants[0].token) as first,
                Stream(far.address, entrants[1].token) as second,
            ):
                streams = (first, second)
                await asyncio.gather(*[stream.hello() for stream in streams])
                async with lost(redis, folder):
                    match_id = await organiser.match(*entrants, clock=PATIENT)
                    for stream in streams:
                        assert (await stream.update()).HasField("started")
                await until(lambda: all("neither the store" in replica.log for replica in replicas), "the loss")
                waits.unlink()
                ends = [(await stream.over()).over for stream in streams]
                assert ends == [(await organiser.get(match_id)).end] * 2


async def test_a_bot_that_asks_another_replica_for_the_rest_of_a_lost_match_is_shown_it_once_that_is_archived(
    folder: Path, redis: RedisServer
) -> None:
    waits = folder / "waits"
    waits.touch()
    near, far = (Service(folder, "--redis", redis.url, name=name, data=folder / "data") for name in ("near", "far"))
    with near, far:
        await asyncio.to_thread(near.start, first=SLOW.format(waits=str(waits)))
        await asyncio.to_thread(far.start)
        async with Organiser(near.address, near.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            kept = await organiser.match(await organiser.entrant(), other, clock=PATIENT)
            async with Stream(near.address, entrant.token) as stream:
                await stream.hello()
                async with lost(redis, folder), Stream(near.address, other.token) as left:
                    await left.hello()
                    assert (await left.update()).match_id == kept
                    match_id = await organiser.match(entrant, other, clock=PATIENT)
                    assert (await left.update()).HasField("started")
                    assert (await stream.update()).HasField("started")
                async with Stream(far.address, other.token) as back:
                    await back.hello(seen=[play_pb2.Seen(match_id=match_id)])
                    assert (await back.update()).match_id == kept, "it has its seats, and is about to be told ends"
                    waits.unlink()
                    rest = await back.over()
                assert rest.over.abort_cause == record_pb2.ABORT_CAUSE_LOST
                assert rest.HasField("started"), "it is not told the end alone"


async def test_who_finds_a_match_finished_by_another_replica_takes_no_bot_out_of_it_when_the_store_forgets_that(
    folder: Path, redis: RedisServer
) -> None:
    async with (
        Proxy(redis.port).run() as proxy,
        opened(redis.url) as near,
        opened(f"redis://{proxy.address}/0", "far") as far,
    ):
        match_id = await created(near, b"a")
        await near.index.offer(match_id, [PLAYER])

        async def finish(store: Store) -> int:
            return await store.matches.finish(match_id, [PLAYER], 1, b"a", [(PLAYER, b"the end")])

        async with lost(redis, folder):
            assert await finish(near) == 1
            proxy.hold(lambda data: b"ZADD" in data)
            finishing = asyncio.ensure_future(finish(far))
            await until(lambda: proxy.held or finishing.done(), "the look at who was faster")
        proxy.release()
        assert await finishing == 0
        assert await near.index.matches_of(PLAYER) == [match_id]
        assert (await near.matches.load(match_id, follow=False)).entries == [b"a"]


async def test_seats_are_told_the_end_that_was_being_archived_while_their_match_was_put_back(
    folder: Path, redis: RedisServer
) -> None:
    waits = folder / "waits"
    waits.touch()
    with Service(folder, "--redis", redis.url, data=folder / "data") as service:
        await asyncio.to_thread(service.start, first=SLOW.format(waits=str(waits)))
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            await asyncio.gather(*[seat.to_the_end() for seat in seats])
            forget(redis, seats[0], len(log_of(redis, seats[0])) - 2)
            with redis.client() as client:
                view: Any = client
                view.client_kill_filter(_type="pubsub")  # the service sees that it may have missed something
            for seat in seats:
                while not seat.journal.rewinds:
                    await seat.hear()
                assert seat.journal.over is None
            waits.unlink()
            for seat in seats:
                while seat.journal.over is None:
                    await seat.hear()
            record = await organiser.record(seats[0].journal.match_id)
            assert [seat.journal.over for seat in seats] == [record.end, record.end]
        assert_no_fault(service)
