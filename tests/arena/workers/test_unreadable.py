"""A worker that cannot read a submission or a block says so and goes on; what nobody can read is written anew."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, cast

import pytest

from fudaba.client import Endpoint
from fudaba_arena.errors import ArenaError
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.by_workers import ByWorkers
from fudaba_arena.play.matches.ends import read_end
from fudaba_arena.play.matches.executor import AttemptLeft
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.workers.block_queue import BlockQueue
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.store.leases.handed_out import Lease
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import store_retry
from fudaba_arena.workers.blocks import Blocks
from fudaba_arena.workers.logs import Logs
from fudaba_arena.workers.players import Players
from fudaba_arena.workers.submission_checker import SubmissionChecker
from tests.support.arena.schedule.states import state
from tests.support.arena.workers.listening import Heard, nothing_to_see
from tests.support.patience import until
from tests.support.service.processes import RedisServer


async def test_a_submission_that_cannot_be_read_is_left_and_the_worker_goes_on(redis: RedisServer) -> None:
    store, metrics, said = Store(redis.url), Metrics(), list[str]()
    service = ServiceClient(Endpoint("unix:/nowhere"), lambda _: None)
    await store.submissions.create("s-1", "ann", "of-ann", "{", b"x", now_ms=1, expires_ms=2, size=3)
    await store.checks.add("s-1", '{"form": 2}', 1)
    never = cast("Any", None)  # nothing of it is tried
    retry = store_retry(lambda _: None, metrics)
    checking = SubmissionChecker("w", store, service, never, never, (), retry, 60_000, said.append, 2)
    working = asyncio.ensure_future(checking.run())

    async def is_left() -> bool:
        return not await store.checks.waiting() and await store.checks.oldest_ms() is None

    await until(is_left, "no worker is to check it")
    assert not working.done()
    [line] = said
    assert line.startswith("submission s-1 cannot be checked: the end of a submission is stored in form 2")
    working.cancel()
    await asyncio.wait([working])
    await store.submissions.take_back("s-1", 5)
    assert await store.checks.waiting() == {"s-1": ""}, "somebody has looked at it"
    await service.close()
    await store.close()


@pytest.mark.parametrize("stored", [b"{", b"[]", b"", b'{"form": 2}'])
async def test_a_block_that_a_worker_cannot_read_is_noted_and_the_worker_goes_on(
    redis: RedisServer, tmp_path: Path, stored: bytes
) -> None:
    store, metrics, tournament = Store(redis.url), Metrics(), state(2)
    await store.connect()
    service = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), lambda _: None)
    [block] = tournament.schedule
    name = f"unreadable-{stored.hex()}"
    await store.handed_out.hand_out(name, block.number, block.slot, 0, stored.decode())
    async with asyncio.TaskGroup() as tasks:
        players = Players(service, Logs(tmp_path), None, metrics, lambda _: None)
        retry = store_retry(lambda _: None, metrics)
        blocks = Blocks("w", store, service, players, retry, metrics, tasks, 1, inf, 60, nothing_to_see)
        await blocks.play(name, block.number, 0)
    end = (await store.handed_out.progress(name, [block.number]))[block.number].end
    with pytest.raises(ArenaError, match=r"as it is stored|is stored (in form 2|without|as something)"):
        read_end(end or "{}")
    await service.close()
    await store.close()


async def test_a_block_that_the_arena_cannot_read_stays_with_its_worker_until_the_lease_runs_out(
    redis: RedisServer, tmp_path: Path
) -> None:
    store, queue, metrics, tournament_state = Store(redis.url), BlockQueue(redis.url), Metrics(), state(2)
    name = "later-release"
    tournament_state.tournament = replace(tournament_state.tournament, name=name)
    service = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), lambda _: None)
    executor = ByWorkers(
        tournament_state, store, service, queue, store_retry(lambda _: None, metrics), metrics, Offers()
    )
    [block] = tournament_state.schedule
    handed_out = store.handed_out
    await handed_out.hand_out(name, block.number, block.slot, 0, '{"form": 2}')
    assert isinstance(await handed_out.take(name, block.number, 0, "newer", 3_600_000), Lease)
    async with executor.opened(Heard()):
        playing = asyncio.ensure_future(executor.play(block))

        async def held() -> bool:
            return executor.running == len(block.matches)

        await until(held, "it is known to be held")
        assert await handed_out.keep([(name, block.number)], "newer", 3_600_000) == {(name, block.number)}
        assert await handed_out.spec_texts(name) == {block.number: b'{"form": 2}'}
        assert not await handed_out.forget(name, block.number), "a command leaves it alone as well"
        await handed_out.keep([(name, block.number)], "newer", 1)

        async def readable_now() -> bool:
            return (await handed_out.spec_texts(name))[block.number] != b'{"form": 2}'

        await until(readable_now, "it is written anew")
        assert not await handed_out.keep([(name, block.number)], "newer", 3_600_000)
        executor.hold()
        assert await playing == AttemptLeft()
    await queue.close()
    await service.close()
    await store.close()


async def test_a_block_that_was_put_aside_and_is_handed_out_anew_counts_its_workers(
    redis: RedisServer, tmp_path: Path
) -> None:
    store, queue, metrics, tournament_state = Store(redis.url), BlockQueue(redis.url), Metrics(), state(2)
    name = "put-aside"
    tournament_state.tournament = replace(tournament_state.tournament, name=name)
    service = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), lambda _: None)
    executor = ByWorkers(
        tournament_state, store, service, queue, store_retry(lambda _: None, metrics), metrics, Offers()
    )
    [block] = tournament_state.schedule
    handed_out, messages = store.handed_out, {""}
    await handed_out.hand_out(name, block.number, block.slot, 0, '{"form": 2}')

    async def sent() -> bool:
        found = await handed_out.progress(name, [block.number])
        return block.number in found and found[block.number].message not in messages

    async with executor.opened(Heard()):
        assert await handed_out.forget(name, block.number)
        playing = asyncio.ensure_future(executor.play(block))
        await until(sent, "it is handed out anew")
        messages.add((await handed_out.progress(name, [block.number]))[block.number].message)
        assert isinstance(await handed_out.take(name, block.number, 0, "dies", 1), Lease)
        await until(sent, "it is sent to another worker")
        lease = await handed_out.take(name, block.number, 0, "heir", 60_000)
        assert isinstance(lease, Lease)
        assert lease.begun == 2, "a worker has died with it"
        executor.cut()
        assert await playing == AttemptLeft()
    await queue.close()
    await service.close()
    await store.close()


async def test_a_block_that_was_handed_out_so_that_nobody_can_read_it_is_written_anew(
    redis: RedisServer, tmp_path: Path
) -> None:
    store, queue, metrics, tournament = Store(redis.url), BlockQueue(redis.url), Metrics(), state(2)
    tournament.tournament = replace(tournament.tournament, name="garbled")
    service = ServiceClient(Endpoint(f"unix:{tmp_path}/nobody"), lambda _: None)
    executor = ByWorkers(tournament, store, service, queue, store_retry(lambda _: None, metrics), metrics, Offers())
    [block] = tournament.schedule
    await store.handed_out.hand_out("garbled", block.number, block.slot, 0, "{")

    async def readable_now() -> bool:
        return (await store.handed_out.spec_texts("garbled"))[block.number] != b"{"

    async with executor.opened(Heard()):
        playing = asyncio.ensure_future(executor.play(block))
        await until(readable_now, "it is written anew")
        assert BlockSpec.read((await store.handed_out.spec_texts("garbled"))[block.number]).number == block.number
        executor.hold()
        assert await playing == AttemptLeft()
    await queue.close()
    await service.close()
    await store.close()
