"""What a worker does with a block that it is told of."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from fudaba.client import Endpoint
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches import by_workers
from fudaba_arena.play.matches.attempts import Attempt, StartOrder
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.by_workers import ByWorkers
from fudaba_arena.play.matches.ends import read_end
from fudaba_arena.play.matches.executor import AttemptFailed, AttemptLeft
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.workers.block_queue import BlockQueue, addressed_to
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.schedule.state import NOBODY
from fudaba_arena.store.answers import key
from fudaba_arena.store.leases.handed_out import Lease
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import store_retry
from fudaba_arena.store.workers.known_workers import PLAYING, KnownWorker
from fudaba_arena.store.workers.runtimes import KnownRuntime
from fudaba_arena.tournament.limits import BotLimits, Limits
from fudaba_arena.workers.blocks import Blocks
from fudaba_arena.workers.logs import Logs
from fudaba_arena.workers.players import Players
from tests.support.arena.schedule.states import state
from tests.support.arena.workers.listening import Heard, nothing_to_see
from tests.support.patience import PATIENCE, until
from tests.support.service.processes import RedisServer


def test_what_is_stored_of_a_block_is_all_that_a_worker_needs_to_know() -> None:
    tournament = state(3, capacity=2)
    for block in tournament.schedule:
        spec = BlockSpec.from_block(tournament, block)
        assert BlockSpec.read(spec.text()) == spec
        assert len({spec.seed(match) for match in spec.matches}) == block.deals


@pytest.mark.parametrize(("rated", "cores"), [(True, 2.0), (False, 0.0)])
def test_a_block_that_was_handed_out_before_seats_had_cores_has_the_default_of_its_kind(
    rated: bool, cores: float
) -> None:
    tournament = state(2)
    spec = replace(
        BlockSpec.from_block(tournament, next(iter(tournament.schedule))),
        rated=rated,
        limits=BotLimits(Limits(cores=2.0)),
    )
    earlier = json.loads(spec.text())
    del earlier["limits"]["cores_per_seat"]
    assert BlockSpec.read(json.dumps(earlier)).limits.cores_per_seat == cores
    assert BlockSpec.read(spec.text()).limits.cores_per_seat == 0.0, "what was said counts"


@pytest.mark.parametrize("rated", [True, False])
def test_bots_may_ponder_in_a_block_that_was_handed_out_before_there_was_a_rule(rated: bool) -> None:
    tournament = state(2)
    spec = replace(
        BlockSpec.from_block(tournament, next(iter(tournament.schedule))), rated=rated, limits=BotLimits(ponder=False)
    )
    assert not BlockSpec.read(spec.text()).limits.ponder, "what was said counts"
    earlier = json.loads(spec.text())
    del earlier["limits"]["ponder"]
    assert BlockSpec.read(json.dumps(earlier)).limits.ponder
    del earlier["limits"]
    assert BlockSpec.read(json.dumps(earlier)).limits.ponder


async def test_a_block_that_the_store_has_lost_is_handed_out_again(redis: RedisServer, tmp_path: Path) -> None:
    store, queue, metrics, tournament = Store(redis.url), BlockQueue(redis.url), Metrics(), state(2)
    tournament.tournament = replace(tournament.tournament, name="lost")
    service = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), lambda _: None)
    executor = ByWorkers(tournament, store, service, queue, store_retry(lambda _: None, metrics), metrics, Offers())
    [block] = tournament.schedule

    async def sent() -> bool:
        found = await store.handed_out.progress("lost", [block.number])
        return block.number in found and bool(found[block.number].message)

    async with executor.opened(Heard()):
        playing = asyncio.ensure_future(executor.play(block))
        await until(sent, "it is handed out")
        with redis.client() as client:
            client.delete(key("lost", f"block:{block.number}"), key("lost", "handed-out"))
        await until(sent, "it is handed out again")
        assert await store.handed_out.numbers("lost") == {block.number}
        executor.hold()
        assert await playing == AttemptLeft()
    await queue.close()
    await service.close()
    await store.close()


async def test_a_block_that_a_worker_has_just_taken_is_in_play_though_the_arena_has_not_looked_since(
    redis: RedisServer, tmp_path: Path
) -> None:
    store, queue, metrics, tournament = Store(redis.url), BlockQueue(redis.url), Metrics(), state(2, blocks=2)
    tournament.tournament = replace(tournament.tournament, name="taken")
    service = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), lambda _: None)
    executor = ByWorkers(tournament, store, service, queue, store_retry(lambda _: None, metrics), metrics, Offers())
    taken, left = tournament.schedule

    async def handed_out() -> bool:
        return await store.handed_out.numbers("taken") == {taken.number, left.number}

    async with executor.opened(Heard()):
        playing, leaving = (asyncio.ensure_future(executor.play(block)) for block in (taken, left))
        await until(handed_out, "both are handed out")
        lease = await store.handed_out.take("taken", taken.number, taken.attempt, "a-worker", 60_000)
        assert isinstance(lease, Lease)
        executor.hold()
        assert await leaving == AttemptLeft()
        assert executor.running == len(taken.matches)
        assert not playing.done()
        executor.cut()
        assert await playing == AttemptLeft()
    await queue.close()
    await service.close()
    await store.close()


async def test_a_block_whose_runtime_no_worker_has_goes_to_one_that_gets_it_or_is_nobody_s_fault(
    redis: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, queue, metrics, tournament = Store(redis.url), BlockQueue(redis.url), Metrics(), state(2)
    bots = tuple(
        replace(bot, command=(), submission="s", needs="python/python-3.9") for bot in tournament.tournament.bots
    )
    tournament.tournament = replace(tournament.tournament, name="needs", bots=bots)
    service = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), lambda _: None)
    offers = Offers()

    def has(name: str) -> KnownWorker:
        runtimes = (KnownRuntime.with_contents(name, "python", "3", "", [(name, "1")]),)
        worker = KnownWorker("w", PLAYING, "", 0, 8, 0, 8, 15.0, runtimes)
        offers.note([worker])
        return worker

    async def message() -> str:
        found = await store.handed_out.progress("needs", [block.number])
        return found[block.number].message if block.number in found else "none"

    async def handed_out() -> bool:
        return await message() == ""

    has("python-3.13")
    executor = ByWorkers(tournament, store, service, queue, store_retry(lambda _: None, metrics), metrics, offers)
    [block] = tournament.schedule
    async with executor.opened(Heard()):
        playing = asyncio.ensure_future(executor.play(block))
        await until(handed_out, "it waits for a worker that can play it")
        profile = has("python-3.9").profile
        notice = await until(message, "such a worker is told")
        assert addressed_to(notice) == profile
        executor.hold()
        assert await playing == AttemptLeft()
        has("python-3.13")
        monkeypatch.setattr(by_workers, "_UNPLAYABLE_SECONDS", 0.0)
        monkeypatch.setattr(by_workers, "_ELSEWHERE_SECONDS", 0.0)
        end = await executor.play(block)
    assert isinstance(end, AttemptFailed)
    assert (end.cause, end.bots, "no_runtime" in NOBODY) == ("no_runtime", (), True)
    await queue.close()
    await service.close()
    await store.close()


async def test_a_worker_that_is_told_again_of_what_it_plays_plays_it_once(redis: RedisServer, tmp_path: Path) -> None:
    store, metrics, tournament = Store(redis.url), Metrics(), state(2)
    service = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), lambda _: None)
    [block] = tournament.schedule
    await store.handed_out.hand_out(
        "twice", block.number, block.slot, 0, BlockSpec.from_block(tournament, block).text()
    )
    async with asyncio.TaskGroup() as tasks:
        players = Players(service, Logs(tmp_path), None, metrics, lambda _: None)
        retry = store_retry(lambda _: None, metrics)
        blocks = Blocks("w", store, service, players, retry, metrics, tasks, 2, inf, 3600, nothing_to_see)
        playing = asyncio.create_task(blocks.play("twice", block.number, 0))

        async def held() -> bool:
            return (await store.handed_out.progress("twice", [block.number]))[block.number].held

        await until(held, "it is played")
        with redis.client() as client:
            client.delete(key("twice", f"lease:{block.number}"))
        async with asyncio.timeout(PATIENCE):
            await blocks.play("twice", block.number, 0)
        assert not await held()
        blocks.hold()
        await blocks.cut()
        await playing
    await service.close()
    await store.close()


async def test_a_worker_whose_lease_has_run_out_by_its_own_clock_begins_nothing_until_it_has_it_again(
    redis: RedisServer, tmp_path: Path
) -> None:
    store, metrics, tournament = Store(redis.url), Metrics(), state(2)
    service = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), lambda _: None)
    tournament.tournament = replace(tournament.tournament, name="cut-off")
    [block] = tournament.schedule
    await store.handed_out.hand_out(
        "cut-off", block.number, block.slot, 0, BlockSpec.from_block(tournament, block).text()
    )
    async with asyncio.TaskGroup() as tasks:
        players = Players(service, Logs(tmp_path), None, metrics, lambda _: None)
        retry = store_retry(lambda _: None, metrics)
        blocks = Blocks("w", store, service, players, retry, metrics, tasks, 2, inf, 3, nothing_to_see)
        playing = asyncio.create_task(blocks.play("cut-off", block.number, 0))

        async def begun() -> bool:
            return blocks.order.running == 1

        await until(begun, "a match is begun, and there is room for no other")
        [attempt] = blocks.order.attempts

        async def run_out() -> bool:
            return time.monotonic() > attempt.ours_until

        async def had_again() -> bool:
            return time.monotonic() < attempt.ours_until

        redis.freeze()
        try:
            await until(run_out, "the lease cannot be renewed, and has run out")
            order, waiting = StartOrder(100), Attempt.at(attempt.spec)
            waiting.ours_until = attempt.ours_until
            order.attempts.append(waiting)
            assert order.start_next() is None
        finally:
            redis.thaw()
        await until(had_again, "it is renewed")
        blocks.hold()
        await blocks.cut()
        await playing
    await service.close()
    await store.close()


async def test_of_blocks_that_submitted_bots_play_as_many_are_handed_out_as_have_sittings_that_can_be_played_at_once(
    redis: RedisServer, tmp_path: Path
) -> None:
    """A block has two sittings of its one deal, and four matches are to be played at once."""
    handed_out = []
    for submission in ("s", ""):
        store, queue, metrics = Store(redis.url), BlockQueue(redis.url), Metrics()
        tournament = state(2, blocks=6, concurrency=4)
        bots = tuple(replace(bot, submission=submission) for bot in tournament.tournament.bots)
        tournament.tournament = replace(tournament.tournament, name=f"room{submission}", bots=bots)
        service = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), lambda _: None)
        executor = ByWorkers(tournament, store, service, queue, store_retry(lambda _: None, metrics), metrics, Offers())
        async with executor.opened(Heard()):
            playing = [
                asyncio.ensure_future(executor.play(block)) for block in tournament.schedule if executor.has_room
            ]
            handed_out.append(len(playing))
            executor.cut()
            assert set(await asyncio.gather(*playing)) == {AttemptLeft()}
            assert executor.has_room
        await queue.close()
        await service.close()
        await store.close()
    assert handed_out == [4, 2]


async def test_a_block_whose_workers_have_all_died_is_set_aside_with_the_reason(
    redis: RedisServer, tmp_path: Path
) -> None:
    store, metrics, tournament = Store(redis.url), Metrics(), state(2)
    await store.connect()
    service = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), lambda _: None)
    [block] = tournament.schedule
    spec = BlockSpec.from_block(tournament, block)
    await store.handed_out.hand_out("t", block.number, block.slot, 0, spec.text())

    async def died() -> bool:
        return isinstance(await store.handed_out.take("t", block.number, 0, "dead", 1), Lease)

    for _ in range(3):
        await until(died, "the lease of the worker before runs out")
    async with asyncio.TaskGroup() as tasks:
        players = Players(service, Logs(tmp_path), None, metrics, lambda _: None)
        retry = store_retry(lambda _: None, metrics)
        blocks = Blocks("heir", store, service, players, retry, metrics, tasks, 1, inf, 60, nothing_to_see)

        async def noted() -> str | None:
            await blocks.play("t", block.number, 0)
            return (await store.handed_out.progress("t", [block.number]))[block.number].end

        end = read_end(await until(noted, "how it ended is noted"))
    assert isinstance(end, AttemptFailed)
    assert end.cause == "worker_lost"
    assert end.bots == ()
    await service.close()
    await store.close()
