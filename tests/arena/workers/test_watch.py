"""A worker is stopped while bots lose time there, and goes on."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, final

import pytest

from fudaba.client import Endpoint
from fudaba.v1 import record_pb2
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.ends import read_end
from fudaba_arena.play.matches.executor import AttemptFailed
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.workers.block_queue import BlockQueue, new_message
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import store_retry
from fudaba_arena.workers import canary
from fudaba_arena.workers.block_consumer import BlockConsumer
from fudaba_arena.workers.blocks import Blocks
from fudaba_arena.workers.logs import Logs
from fudaba_arena.workers.players import Players
from fudaba_arena.workers.timekeeping import Timekeeping
from fudaba_arena.workers.watch import Watch, decisions
from tests.support.arena.schedule.states import state
from tests.support.patience import PATIENCE, until
from tests.support.service.processes import RedisServer


async def look_at_nothing(_: BlockSpec, __: PlannedMatch) -> None:
    """No match ends here."""


@final
class Watched:
    """A worker's parts, as `workers/worker.py` has them, of a service that never answers."""

    def __init__(self, redis: str, folder: Path, tasks: asyncio.TaskGroup) -> None:
        self.store, self.kept, metrics = Store(redis), Timekeeping(), Metrics()
        self.service = ServiceClient(Endpoint(f"unix:{folder}/nobody"), lambda _: None)
        players = Players(self.service, Logs(folder), None, metrics, lambda _: None)
        retry = store_retry(lambda _: None, metrics)
        self.blocks = Blocks(
            "watched", self.store, self.service, players, retry, metrics, tasks, 8, inf, 3600, look_at_nothing
        )
        loop = asyncio.get_running_loop()

        def play_block(*block: Any) -> None:
            asyncio.run_coroutine_threadsafe(self.blocks.play(*block), loop).result()

        self.said: list[str] = []
        self.taking = BlockConsumer(redis, 3600, 4, play_block, commands=True, profile="")
        self.watch = Watch(self.blocks, self.taking, self.kept, metrics, self.said.append)

    def seconds(self, begin: int, count: int, took: float) -> None:
        """The canary takes so long in each of these seconds."""
        for second in range(begin, begin + count):
            self.kept.note(second, took)


@pytest.fixture
def queued(redis: RedisServer) -> RedisServer:
    """Returns a Redis of which nothing is in the queue."""
    with redis.client() as client:
        client.flushall()
    return redis


@asynccontextmanager
async def watched(redis: RedisServer, folder: Path) -> AsyncIterator[Watched]:
    async with asyncio.TaskGroup() as tasks:
        watched_worker = Watched(redis.url, folder, tasks)
        watched_worker.taking.start()
        yield watched_worker
        watched_worker.blocks.hold()
        await watched_worker.blocks.cut()
        await watched_worker.taking.stop()
    await watched_worker.service.close()
    await watched_worker.store.close()


async def handed_out(
    watched_worker: Watched, redis: RedisServer, name: str, tournament_state: ScheduledTournament
) -> None:
    queue = BlockQueue(redis.url)
    for block in tournament_state.schedule:
        spec = BlockSpec.from_block(tournament_state, block)
        message = new_message(commands=True)
        await watched_worker.store.handed_out.hand_out(name, block.number, block.slot, 0, spec.text(), message)
        await queue.send(message, name, block.number, 0)
    await queue.close()


async def test_a_slow_worker_gives_back_what_its_bots_have_begun_whatever_came_of_it_and_stops(
    queued: RedisServer, tmp_path: Path
) -> None:
    tournament = state(2)
    async with watched(queued, tmp_path) as watched_worker:
        await handed_out(watched_worker, queued, "t", tournament)

        async def begun() -> bool:
            return bool(watched_worker.blocks.order.running)

        await until(begun, "a match is begun")
        watched_worker.seconds(1, 10, 0.01)
        await watched_worker.watch.judge_lateness(10)
        assert watched_worker.watch.why == ""
        watched_worker.seconds(11, 10, 2.5)
        async with asyncio.timeout(PATIENCE):
            await watched_worker.watch.judge_lateness(20)
        assert "in 10 of 20 seconds" in watched_worker.watch.why
        [found] = (await watched_worker.store.handed_out.progress("t", [0])).values()
        assert found.end is not None
        end = read_end(found.end)
        assert isinstance(end, AttemptFailed)
        assert (end.cause, end.bots) == ("worker_slow", ())
        assert watched_worker.blocks.count == 0


async def test_a_stopped_worker_takes_nothing_until_bots_are_in_time_again(queued: RedisServer, tmp_path: Path) -> None:
    async with watched(queued, tmp_path) as watched_worker:
        watched_worker.seconds(1, 20, 2.5)
        await watched_worker.watch.judge_lateness(20)
        assert watched_worker.watch.why
        await handed_out(watched_worker, queued, "t", state(2))
        watched_worker.seconds(21, 19, 0.01)
        await watched_worker.watch.judge_lateness(39)
        assert watched_worker.watch.why
        assert watched_worker.blocks.count == 0
        watched_worker.seconds(40, 2, 0.01)
        await watched_worker.watch.judge_lateness(41)
        assert watched_worker.watch.why == ""

        async def plays() -> bool:
            return bool(watched_worker.blocks.order.running)

        await until(plays, "it plays what waited")
    assert len(watched_worker.said) == 2


async def test_a_worker_that_is_slow_again_soon_stays_stopped_for_longer(queued: RedisServer, tmp_path: Path) -> None:
    async with watched(queued, tmp_path) as watched_worker:
        now, pauses = 0, []
        for _ in range(3):
            watched_worker.seconds(now, 10, 2.5)
            now += 10
            await watched_worker.watch.judge_lateness(now)
            stopped = now
            while watched_worker.watch.why:
                watched_worker.seconds(now, 1, 0.01)
                now += 1
                await watched_worker.watch.judge_lateness(now)
            pauses.append(now - stopped)
        assert pauses == [20, 40, 80]
        now += 1000
        watched_worker.seconds(now, 10, 2.5)
        await watched_worker.watch.judge_lateness(now + 10)
        for second in range(now + 10, now + 31):
            watched_worker.seconds(second, 1, 0.01)
            await watched_worker.watch.judge_lateness(second + 1)
        assert watched_worker.watch.why == ""


async def test_blocks_whose_bots_all_run_elsewhere_are_left_as_they_are(queued: RedisServer, tmp_path: Path) -> None:
    tournament = state(2)
    tournament.tournament = replace(
        tournament.tournament, bots=tuple(replace(bot, command=()) for bot in tournament.tournament.bots)
    )
    async with watched(queued, tmp_path) as watched_worker:
        await handed_out(watched_worker, queued, "t", tournament)

        async def begun() -> bool:
            return bool(watched_worker.blocks.order.running)

        await until(begun, "a match is begun")
        watched_worker.seconds(1, 20, 2.5)
        await watched_worker.watch.judge_lateness(20)
        assert watched_worker.watch.why
        [found] = (await watched_worker.store.handed_out.progress("t", [0])).values()
        assert found.end is None
        assert not found.held


def test_the_decisions_of_built_in_bots_are_measured_as_the_service_did() -> None:
    record = record_pb2.MatchRecord()
    record.end.end_time.FromMilliseconds(100_000)
    for seat, at_ms, bot_us in ((0, 90_000, 5_000), (1, 91_000, 7_000_000), (0, 99_000, 2_000_000)):
        entry = record.log.add(seat=seat, at_ms=at_ms)
        entry.move.SetInParent()
        entry.spent.bot_us = bot_us
    late = record.log.add(seat=0, at_ms=99_500)
    late.timeout.SetInParent()
    late.spent.bot_us = 10_000_000
    record.log.add(seat=0, at_ms=99_900).forfeit.SetInParent()
    assert list(decisions(record, {0})) == [(10.0, 0.005), (1.0, 2.0), (0.5, 10.0)]


@pytest.mark.exhaustive
async def test_a_canary_tells_that_it_was_stopped_and_is_started_again_when_it_dies(tmp_path: Path) -> None:
    took: list[float] = []
    said: list[str] = []
    watching = asyncio.create_task(canary.watch(dict(os.environ), tmp_path / "canary.log", took.append, said.append))

    def processes() -> list[int]:
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
                words = (place / "cmdline").read_bytes()
            except OSError:
                continue  # gone
            if parent == os.getpid() and b"fudaba_arena.workers.canary" in words:
                found.append(int(place.name))
        return found

    async def sings() -> bool:
        return len(took) > seen

    seen = 0
    await until(sings, "it decides")
    [pid] = processes()
    os.kill(pid, signal.SIGSTOP)
    seen = len(took) + 1  # one answer may be under way
    await until(sings, "its silence is noted")
    os.kill(pid, signal.SIGCONT)
    assert took[-1] > 1.9
    os.kill(pid, signal.SIGKILL)

    async def again() -> bool:
        return bool(said) and processes() not in ([], [pid])

    await until(again, "it is started again")
    watching.cancel()
    await asyncio.wait([watching])
    assert processes() == []
