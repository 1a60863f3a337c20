"""Clocks that were set while no replica was there: the time goes on, replicas that begin agree, and no bot pays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from fudaba_service.store import beats
from fudaba_service.store.keys import CLOCK
from fudaba_service.store.outages import Outage
from fudaba_service.store.shared_time import TOLERANCE_MS
from tests.support.patience import PATIENCE
from tests.support.service.beating import Replicas, replicas_on
from tests.support.service.processes import RedisServer

BOOT_NUMBER = 7


@pytest.fixture
async def replicas(redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Replicas]:
    monkeypatch.setattr(beats, "_MAX_CLOCK_READINGS", 1)  # nobody else comes here
    async with replicas_on(redis.url, redis_waits=True) as running:
        yield running


async def all_gone(replicas: Replicas, seconds: float, *, boot: int = 0, before: float = 0.0) -> int:
    """A replica was killed that many seconds ago; the time of its last heartbeat.

    While it was there Redis's clock was set forward by some seconds `before`.
    """
    await replicas.start("machine-1-a", boot=boot)
    replicas.redis_is_ahead += before
    await replicas.beat("machine-1-a")
    last = replicas.now("machine-1-a")
    await replicas.die("machine-1-a")
    replicas.seconds += seconds
    return last


def agree(replicas: Replicas, first: str, second: str) -> bool:
    return abs(replicas.now(first) - replicas.now(second)) <= TOLERANCE_MS


@pytest.mark.parametrize(
    ("seconds", "redis_jump", "wall_jump"),
    [(40.0, 100.1, 2_009.6), (40.0, -60.0, 2_009.6), (40.0, 0.0, -10.0), (4.0, 100.1, -60.0)],
)
async def test_the_boot_clock_is_witness_whatever_other_clocks_were_set_to_and_however_long_all_were_away(
    replicas: Replicas, seconds: float, redis_jump: float, wall_jump: float
) -> None:
    last = await all_gone(replicas, seconds, boot=BOOT_NUMBER)
    replicas.redis_is_ahead += redis_jump
    replicas.wall_is_ahead += wall_jump
    two = await replicas.start("machine-2-b", boot=BOOT_NUMBER)
    now = replicas.now("machine-2-b")
    assert abs(now - last - seconds * 1000) <= TOLERANCE_MS
    assert replicas.alike(two.outages, Outage(last, now))


@pytest.mark.parametrize("boot", [0, BOOT_NUMBER + 1])
async def test_a_jump_of_redis_clock_that_is_followed_without_a_witness_is_covered_by_an_outage_of_all(
    replicas: Replicas, boot: int
) -> None:
    last = await all_gone(replicas, 40, boot=boot and BOOT_NUMBER)
    replicas.redis_is_ahead += 100.1
    replicas.wall_is_ahead -= 60
    two = await replicas.start("machine-2-b", boot=boot)
    now = replicas.now("machine-2-b")
    assert abs(now - last - 140_100) <= TOLERANCE_MS
    assert replicas.alike(two.outages, Outage(last, now))


@pytest.mark.parametrize(("seconds", "drift"), [(40.0, 0.0), (28_800.0, 2.0)])
async def test_redis_clock_is_trusted_again_when_it_was_not_set_while_all_were_away_for_long(
    replicas: Replicas, seconds: float, drift: float
) -> None:
    last = await all_gone(replicas, seconds, boot=BOOT_NUMBER, before=100)
    replicas.redis_is_ahead += drift
    two = await replicas.start("machine-2-b", boot=BOOT_NUMBER)
    now = replicas.now("machine-2-b")
    assert abs(now - replicas.redis_seconds * 1000) <= TOLERANCE_MS
    assert replicas.alike(two.outages, Outage(last, now))
    assert int(await replicas.redis.get(CLOCK) or 0) == 0


@pytest.mark.parametrize(
    ("before", "jump", "seconds", "other_machine", "boot"),
    [
        (0.0, 100.0, 4.0, True, 0),
        (0.0, -100.0, 4.0, False, 0),
        (100.0, -200.0, 40.0, False, 0),
        (-100.0, 0.0, 40.0, True, 0),
        (0.0, 100.0, 40.0, True, BOOT_NUMBER),
        (100.0, 0.0, 40.0, False, BOOT_NUMBER),
        (-100.0, 0.0, 40.0, True, BOOT_NUMBER),
    ],
)
async def test_replicas_that_begin_one_after_another_after_redis_clock_was_set_have_one_time(
    replicas: Replicas, before: float, jump: float, seconds: float, other_machine: bool, boot: int
) -> None:
    await all_gone(replicas, seconds, boot=boot, before=before)
    replicas.redis_is_ahead += jump
    first, second = "machine-2-b", "there-3-c" if other_machine else "machine-3-c"
    async with asyncio.timeout(PATIENCE):
        await replicas.prepare(first, boot=boot).begin()
        began = replicas.now(first)
        replicas.seconds += 0.3
        await replicas.prepare(second, boot=boot and boot + other_machine).begin()
    assert agree(replicas, first, second)
    for name in (second, first, second):
        await replicas.beats[name].beat()
        assert agree(replicas, first, second)
    assert abs(replicas.now(first) - began - 300) <= TOLERANCE_MS
    correction = int(await replicas.redis.get(CLOCK) or 0)
    assert abs(replicas.redis_seconds * 1000 + correction - replicas.now(first)) <= TOLERANCE_MS


async def test_a_replica_that_begins_corrects_redis_clock_also_when_memory_is_full(replicas: Replicas) -> None:
    last = await all_gone(replicas, 40, boot=BOOT_NUMBER)
    replicas.redis_is_ahead += 100
    await replicas.redis.config_set("maxmemory", "1")
    await replicas.start("machine-2-b", boot=BOOT_NUMBER)
    assert abs(replicas.now("machine-2-b") - last - 40_000) <= TOLERANCE_MS
    assert int(await replicas.redis.get(CLOCK) or 0) == -100_000


async def test_by_how_much_a_slow_link_left_the_time_behind_is_an_outage_of_its_replica(replicas: Replicas) -> None:
    await replicas.start("here-1-a")
    two = replicas.prepare("there-2-b")
    read = two._read

    async def slow() -> Any:
        found, others = await read()
        return found._replace(asked=found.asked - 600, redis_ms=found.redis_ms - 500), others

    two._read = slow  # type: ignore[method-assign]
    await two.beat()
    assert two.outages == []
    two._read = read  # type: ignore[method-assign]
    await two.beat()
    now = replicas.now("there-2-b")
    assert replicas.alike(two.outages, Outage(now - 500, now, "there-2-b"))
