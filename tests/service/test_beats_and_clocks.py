"""Whose clock a replica goes by when it begins, whatever clocks were set to meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import pytest

from fudaba_service.store import beats
from fudaba_service.store.beats import Beats
from fudaba_service.store.boot_clock import BootClock
from fudaba_service.store.keys import BEATS, BEATS_OPEN, CLOCK, replica_channel
from fudaba_service.store.shared_time import TOLERANCE_MS, ClockReading, SharedTime
from tests.support.service.beating import Replicas, replicas_on
from tests.support.service.processes import RedisServer


@pytest.fixture
async def replicas(redis: RedisServer) -> AsyncIterator[Replicas]:
    async with replicas_on(redis.url) as running:
        yield running


async def test_the_first_replica_of_all_has_the_time_of_redis_clock(replicas: Replicas) -> None:
    seconds, _ = await replicas.redis.time()
    await replicas.start("machine-1-a")
    latest_ms = await redis_ms(replicas)
    assert seconds * 1000 <= replicas.now("machine-1-a") <= latest_ms + TOLERANCE_MS


@pytest.mark.parametrize("jump", [-120.0, 120.0])
async def test_the_machines_clock_is_witness_when_redis_clock_was_set_while_nobody_was_there(
    replicas: Replicas, jump: float
) -> None:
    began_ms = await redis_ms(replicas)
    await replicas.start("machine-1-a")
    last = replicas.now("machine-1-a")
    await replicas.die("machine-1-a")
    await replicas.pass_by(4)
    await replicas.set_clock(jump)
    await replicas.start("machine-2-b")
    lasted_ms = await redis_ms(replicas) - began_ms  # by Redis's clock, which is a real one
    assert last + 4_000 - TOLERANCE_MS <= replicas.now("machine-2-b") <= last + 4_000 + lasted_ms + TOLERANCE_MS


async def test_the_machines_clock_is_witness_of_the_moment_at_which_redis_clock_was_read(
    replicas: Replicas, monkeypatch: pytest.MonkeyPatch
) -> None:
    await replicas.start("machine-1-a")
    last = replicas.now("machine-1-a")
    await replicas.die("machine-1-a")
    await replicas.set_clock(-120)
    time = SharedTime(lambda: replicas.seconds, lambda: replicas.seconds + replicas.wall_is_ahead)
    new = Beats(replicas.redis, "machine-2-b", time)
    listeners = new._listeners

    async def slow(others: Sequence[str]) -> int:
        replicas.seconds += 3
        return await listeners(others)

    monkeypatch.setattr(new, "_listeners", slow)
    await new.begin()
    assert abs(time.now_ms() - last - 3_000) <= TOLERANCE_MS


@pytest.mark.parametrize(("redis_jump", "wall_jump"), [(-50.0, 120.0), (2.5, -2.5), (120.0, -50.0), (0.0, 0.0)])
@pytest.mark.parametrize("stopped", [False, True])
async def test_on_one_machine_the_time_goes_on_whatever_clocks_were_set_to_while_nobody_was_there(
    replicas: Replicas, redis_jump: float, wall_jump: float, stopped: bool
) -> None:
    clock = BootClock()
    if not clock.boot:
        pytest.skip("this machine has no clock that cannot be set")
    old, new = SharedTime(), SharedTime(wall=lambda: time.time() + wall_jump)
    first = Beats(replicas.redis, "machine-1-a", old, boot_clock=clock)
    await first.beat()
    if stopped:
        await first.stop()
    await replicas.set_clock(redis_jump)
    two = Beats(replicas.redis, "machine-2-b", new, boot_clock=clock)
    for _ in range(2):
        await two.beat()
        assert abs(new.ahead_of(old.now_ms)) <= TOLERANCE_MS


async def test_what_is_open_of_the_time_is_taken_over_from_a_replica_on_the_same_machine(
    replicas: Replicas, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = BootClock()
    if not clock.boot:
        pytest.skip("this machine has no clock that cannot be set")
    old, new = SharedTime(), SharedTime()
    first = Beats(replicas.redis, "machine-1-a", old, boot_clock=clock)
    await first.beat()
    monkeypatch.setattr(SharedTime, "open_ms", property(lambda shared: 3_000 if shared is old else 0))
    await first.beat()
    taken_over: list[float] = []
    go_on = new.go_on

    def going_on(reading: ClockReading, now_ms: float, open_ms: float) -> int | None:
        taken_over.append(open_ms)
        return go_on(reading, now_ms, open_ms)

    monkeypatch.setattr(new, "go_on", going_on)
    await Beats(replicas.redis, "machine-2-b", new, boot_clock=clock).begin()
    assert taken_over == [3_000]


async def test_what_is_open_goes_with_its_replica(replicas: Replicas) -> None:
    # One of the first releases, which know nothing of it, has removed the heartbeat alone.
    await replicas.redis.hset(BEATS_OPEN, "gone-1-a", 3_000)
    await replicas.start("machine-1-a")
    await replicas.pass_by(1)
    assert not await replicas.redis.exists(BEATS_OPEN)


@pytest.mark.parametrize("jump", [-120.0, 120.0])
async def test_a_machines_clock_that_was_set_while_nobody_was_there_is_no_witness(
    replicas: Replicas, jump: float
) -> None:
    began_ms = await redis_ms(replicas)
    await replicas.start("machine-1-a")
    last = replicas.now("machine-1-a")
    await replicas.die("machine-1-a")
    await replicas.pass_by(4)
    replicas.wall_is_ahead += jump
    await replicas.start("machine-2-b")
    lasted_ms = await redis_ms(replicas) - began_ms  # by Redis's clock, which is a real one
    assert last + 4_000 - TOLERANCE_MS <= replicas.now("machine-2-b") <= last + 4_000 + lasted_ms + TOLERANCE_MS


@pytest.mark.parametrize(
    ("jump", "subscribed"), [(1.5, True), (5.0, True), (14.0, True), (120.0, True), (120.0, False)]
)
async def test_a_replica_that_begins_as_redis_clock_is_set_has_the_time_of_the_others_all_the_same(
    replicas: Replicas, monkeypatch: pytest.MonkeyPatch, jump: float, subscribed: bool
) -> None:
    monkeypatch.setattr(beats, "_MAX_CLOCK_READINGS", 1_000)
    old, new = SharedTime(), SharedTime()
    first, two = Beats(replicas.redis, "here-1-a", old), Beats(replicas.redis, "there-2-b", new)
    await first.begin()
    has_read = asyncio.Event()

    def ahead(read: Callable[[], Awaitable[Any]]) -> Callable[[], Awaitable[Any]]:
        async def reading() -> Any:
            found, others = await read()
            has_read.set()
            return found._replace(redis_ms=found.redis_ms + jump * 1000), others

        return reading

    async with replicas.redis.pubsub() as listening:
        if subscribed:  # else it is on its way back to a Redis that was restarted
            await listening.subscribe(replica_channel("here-1-a"))
            await listening.get_message(timeout=5)
        await first.beat()
        for each in (first, two):
            monkeypatch.setattr(each, "_read", ahead(each._read))
        beginning = asyncio.create_task(two.begin())
        await has_read.wait()
        while not beginning.done():
            await first.beat()
            await asyncio.sleep(0.01)
        await beginning
    assert abs(new.now_ms() - old.now_ms()) < 1_000


async def test_a_replica_is_as_unsure_of_the_time_as_the_one_on_its_machine_from_which_it_has_it(
    replicas: Replicas, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = BootClock()
    if not clock.boot:
        pytest.skip("this machine has no clock that cannot be set")
    old, new = SharedTime(), SharedTime()
    first = Beats(replicas.redis, "machine-1-a", old, boot_clock=clock)
    two = Beats(replicas.redis, "machine-2-b", new, boot_clock=clock)
    read = first._read

    async def slow() -> Any:
        found, others = await read()
        return found._replace(asked=found.asked - 3_000, redis_ms=found.redis_ms - 2_000), others

    with monkeypatch.context() as patched:
        patched.setattr(first, "_read", slow)
        await first.beat()
    for each in (two, first, two):
        await each.beat()
        assert abs(int(await replicas.redis.get(CLOCK) or 0)) < 1_000, "Redis's clock was not set"
    earliest_ms = await redis_ms(replicas)
    here = [time_here.now_ms() for time_here in (old, new)]
    latest_ms = await redis_ms(replicas)
    assert all(earliest_ms - 1_000 < now_ms < latest_ms + 1_000 for now_ms in here)


async def redis_ms(replicas: Replicas) -> float:
    """Returns what Redis's clock says."""
    seconds, microseconds = await replicas.redis.time()
    return float(seconds * 1000 + microseconds / 1000)


async def test_of_replicas_that_begin_together_with_redis_clock_behind_the_last_heartbeat_all_have_one_time(
    replicas: Replicas,
) -> None:
    await replicas.start("gone-1-a")
    await replicas.beats["gone-1-a"].stop()
    await replicas.die("gone-1-a")
    begun, has_read, may_go_on = replicas.seconds, asyncio.Event(), asyncio.Event()
    fast_time, slow_time = SharedTime(lambda: replicas.seconds), SharedTime(lambda: replicas.seconds)
    fast, slow = Beats(replicas.redis, "here-2-b", fast_time), Beats(replicas.redis, "there-3-c", slow_time)

    def behind(read: Callable[[], Awaitable[Any]]) -> Callable[[], Awaitable[Any]]:
        async def reading() -> Any:
            found, others = await read()
            return found._replace(redis_ms=found.redis_ms + (replicas.seconds - begun - 120) * 1000), others

        return reading

    fast._read, read = behind(fast._read), behind(slow._read)  # type: ignore[method-assign,assignment]

    async def held_up() -> Any:
        found = await read()
        has_read.set()
        await may_go_on.wait()
        return found

    slow._read = held_up  # type: ignore[method-assign]
    beginning = asyncio.create_task(slow.begin())
    await has_read.wait()
    replicas.seconds += 2
    began_ms = await redis_ms(replicas)
    await fast.begin()
    correction = await replicas.redis.get(CLOCK)
    may_go_on.set()
    await beginning
    for each in (slow, fast, slow):
        await each.beat()
        # Redis's clock is a real one: it goes on while the replicas' stands.
        lasted_ms = await redis_ms(replicas) - began_ms
        assert abs(int(await replicas.redis.get(CLOCK) or 0) - int(correction or 0)) < 1_000 + lasted_ms
    assert abs(fast_time.now_ms() - slow_time.now_ms()) < 1_000 + lasted_ms


async def test_a_heartbeat_of_the_others_that_was_long_on_its_way_sets_no_time_back(
    replicas: Replicas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beats, "_MAX_CLOCK_READINGS", 3)
    await replicas.start("here-1-a")
    last = replicas.now("here-1-a")
    replicas.wall_is_ahead -= 60  # of another machine: it is not a witness
    await replicas.pass_by(4)
    new = SharedTime()
    two = Beats(replicas.redis, "there-2-b", new)
    read = two._read

    async def then_beaten() -> Any:
        found = await read()
        await replicas.redis.hset(BEATS, "here-1-a", f"{last + 500} {last + 500} 0 0")
        return found

    monkeypatch.setattr(two, "_read", then_beaten)
    await two.begin()
    assert new.now_ms() >= last + 4_000 - TOLERANCE_MS


async def test_a_replica_that_begins_while_the_others_are_frozen_has_the_time_of_redis_clock(
    replicas: Replicas,
) -> None:
    began_ms = await redis_ms(replicas)
    await replicas.start("here-1-a")
    last = replicas.now("here-1-a")
    replicas.wall_is_ahead -= 60  # of another machine: it is not a witness
    await replicas.pass_by(4)
    await replicas.start("there-2-b")
    lasted_ms = await redis_ms(replicas) - began_ms
    assert last + 4_000 - TOLERANCE_MS <= replicas.now("there-2-b") <= last + 4_000 + lasted_ms + TOLERANCE_MS


async def test_a_replica_that_begins_while_the_store_becomes_another_one_keeps_no_correction_there(
    replicas: Replicas,
) -> None:
    beats = Beats(replicas.redis, "here-2-b", SharedTime(lambda: replicas.seconds))
    read = beats._read

    async def emptied() -> Any:
        found = await read()
        beats._store_id = "another"
        return found

    beats._read = emptied  # type: ignore[method-assign]
    await beats.begin()
    assert await replicas.redis.get(CLOCK) is None
