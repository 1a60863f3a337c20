"""How `fudaba serve` stops."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from fudaba.v1 import matches_pb2, play_pb2
from tests.support.patience import until
from tests.support.service.bots import Stream, bearer, check_ended, play_match
from tests.support.service.descendants import alive, descendants
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser, check_refusal, refused
from tests.support.service.processes import RedisServer, Service
from tests.support.service.watched_metrics import Watched


async def test_a_graceful_stop_tells_every_stream_and_leaves_no_process(folder: Path) -> None:
    with Service(folder, "--grace", "100") as service:
        service.start()
        store = int((service.data / "store" / "lock").read_text().partition('"pid": ')[2].partition(",")[0])
        assert store == service.pid
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(entrant, other)
            async with Stream(service.address, entrant.token) as stream, Stream(service.address, other.token) as second:
                stream.pongs = second.pongs = False
                await stream.hello()
                await second.hello()
                await second.decision()
                seat = organiser.play.WatchSeat(
                    play_pb2.WatchSeatRequest(match_id=match_id), metadata=bearer(entrant.token)
                )
                watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
                await seat.read()
                await watch.read()
                waiting = organiser.matches.AwaitMatch(matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=60_000))
                asking = asyncio.ensure_future(refused(waiting, "SHUTTING_DOWN", "connect again"))
                for _ in range(2):
                    await organiser.get(match_id)  # on the same connection: the call before it has arrived
                children = descendants(service.pid)
                assert children
                status = asyncio.create_task(asyncio.to_thread(service.terminate))
                for ended in (stream, second):
                    check_refusal(await ended.ending(), "SHUTTING_DOWN", "connect again")
                for call in (seat, watch):
                    check_refusal(await check_ended(call), "SHUTTING_DOWN", "connect again")
                await asking
                assert await status == 0
        await until(lambda: not any(alive(pid) for pid in children), "the end of the store")
        assert_no_fault(service)
        assert service.log.rstrip().endswith("stopping")
        await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            assert (await organiser.get(match_id)).state == matches_pb2.MATCH_STATE_PLAYING
            async with Stream(service.address, other.token) as stream:
                await stream.hello()
                assert (await stream.decision()).match_id == match_id


async def test_a_stop_tells_also_streams_that_have_just_come_and_those_that_say_nothing(
    folder: Path, redis: RedisServer
) -> None:
    watched = Watched(folder, "--redis", redis.url, "--grace", "100")
    with watched.service as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            tokens = [(await organiser.entrant()).token for _ in range(3)]
            async with contextlib.AsyncExitStack() as stack:
                streams = [await stack.enter_async_context(Stream(service.address, token)) for token in tokens]
                here, comes, _ = streams
                here.pongs = comes.pongs = False
                await here.hello()
                await until(lambda: watched.value("fudaba_streams,play") == 3, "all tokens are known")
                redis.freeze()
                await comes.hello()  # of which the store is not told
                stopping = asyncio.create_task(asyncio.to_thread(service.terminate))
                try:
                    for stream in streams:
                        check_refusal(await stream.ending(), "SHUTTING_DOWN", "connect again")
                finally:
                    redis.thaw()
                assert await stopping == 0
        assert_no_fault(service)


async def test_a_killed_service_leaves_no_store_behind(folder: Path) -> None:
    with Service(folder) as service:
        service.start()
        children = descendants(service.pid)
        assert children
        service.kill()
        await until(lambda: not any(alive(pid) for pid in children), "the end of the store")


async def test_an_interrupt_stops_as_gracefully_as_sigterm(folder: Path) -> None:
    import signal

    with Service(folder) as service:
        service.start()
        service.signal(signal.SIGINT)
        assert service.wait() == 0
        assert_no_fault(service)


async def test_a_stop_does_not_wait_for_ever_for_a_store_that_is_gone(folder: Path, redis: RedisServer) -> None:
    with Service(folder, "--redis", redis.url, "--grace", "0.5") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(entrant, other)
            async with Stream(service.address, entrant.token) as waits, Stream(service.address, other.token) as stream:
                waits.pongs = stream.pongs = False
                await waits.hello()
                await stream.hello()
                decision = (await stream.decision()).decision
                redis.kill()
                await stream.answer(match_id, decision.decision_id, index=0)
                await until(lambda: "does not take entries" in service.log, "the outage")
                stopping = asyncio.create_task(asyncio.to_thread(service.terminate))
                check_refusal(await stream.ending(), "SHUTTING_DOWN")
                assert await stopping == 0
        assert "still in flight" in service.log
        assert_no_fault(service)


async def test_a_stop_does_not_wait_for_ever_for_an_archive_that_cannot_be_written(folder: Path) -> None:
    with Service(folder, "--grace", "0.5") as service:
        service.start()
        archive = service.data / "archive"
        archive.rename(folder / "aside")
        archive.write_text("in the way")
        async with Organiser(service.address, service.token) as organiser:
            entrants = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(*entrants)
            await play_match(*organiser.by_chance(*entrants))
            record = await organiser.record(match_id)
            assert await asyncio.to_thread(service.terminate) == 0
            assert_no_fault(service)
            archive.unlink()
            (folder / "aside").rename(archive)
            await asyncio.to_thread(service.start)
            assert await organiser.record(match_id) == record


async def test_a_second_signal_ends_a_stop_that_waits(folder: Path) -> None:
    import signal

    with Service(folder, "--grace", "1000") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            entrants = await organiser.entrant(), await organiser.entrant()
            archive = service.data / "archive"
            archive.rename(folder / "aside")
            archive.write_text("in the way")
            match_id = await organiser.match(*entrants)
            await play_match(*organiser.by_chance(*entrants))
            await organiser.ended(match_id)
            await until(lambda: "is not archived yet" in service.log, "the record that cannot be written")
        service.signal(signal.SIGTERM)
        await until(lambda: service.log.rstrip().endswith("stopping"), "the stop")
        service.signal(signal.SIGINT)
        assert await asyncio.to_thread(service.wait) == 0
        assert "still in flight" in service.log
        assert_no_fault(service)
