"""Two replicas on one Redis, bots spread over both: one is killed, one freezes and goes on, one is stopped."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.faults.checker import check_nothing_lost
from tests.support.faults.fleet import LONGER_SECONDS, Fleet, fleet_in_progress
from tests.support.faults.scale import SCALE
from tests.support.service.in_progress import started
from tests.support.service.organiser import Organiser
from tests.support.service.processes import RedisServer, Service

SHORTLY = pytest.mark.nightly("the same for longer than any bot has for a move")


@contextlib.asynccontextmanager
async def two_replicas(folder: Path, redis: RedisServer) -> AsyncIterator[tuple[Service, Service, Fleet]]:
    """Every other bot is connected to the first; the organiser to the second."""
    with started(folder, redis, "one") as first, started(folder, redis, "two") as two:
        async with (
            Organiser(two.address, first.token) as organiser,
            fleet_in_progress(organiser, [first.address, two.address], SCALE.matches) as fleet,
        ):
            yield first, two, fleet


@pytest.mark.exhaustive
async def test_a_replica_that_is_killed_loses_nothing_and_its_bots_go_on_at_the_other(
    folder: Path, redis: RedisServer
) -> None:
    async with two_replicas(folder, redis) as (first, two, fleet):
        for _ in range(SCALE.rounds):
            first.kill()
            await fleet.goes_on()
            await asyncio.to_thread(first.start)
        await check_nothing_lost(fleet, two.data / "archive")


@pytest.mark.exhaustive
@pytest.mark.parametrize("seconds", [LONGER_SECONDS, pytest.param(1.5, marks=SHORTLY)])
async def test_a_replica_that_freezes_and_goes_on_forks_nothing_and_costs_nobody_time(
    folder: Path, redis: RedisServer, seconds: float
) -> None:
    async with two_replicas(folder, redis) as (first, two, fleet):
        for _ in range(SCALE.rounds):
            first.freeze()
            await asyncio.sleep(seconds)
            first.thaw()
            await fleet.goes_on()
        await check_nothing_lost(fleet, two.data / "archive")


@pytest.mark.exhaustive
async def test_bots_of_a_frozen_replica_can_go_on_at_the_other_and_the_thawed_one_does_not_disturb_them(
    folder: Path, redis: RedisServer
) -> None:
    async with two_replicas(folder, redis) as (first, two, fleet):
        first.freeze()
        await asyncio.sleep(2.0)
        for player in [player for player in fleet.players if player.address == first.address]:
            player.leave()  # as a client does whose keepalive has found the connection dead
        await fleet.goes_on()
        first.thaw()
        await check_nothing_lost(fleet, two.data / "archive")


@pytest.mark.exhaustive
async def test_a_replica_that_is_stopped_hands_its_bots_over_at_once(folder: Path, redis: RedisServer) -> None:
    async with two_replicas(folder, redis) as (first, two, fleet):
        for _ in range(SCALE.rounds):
            assert await asyncio.to_thread(first.terminate) == 0
            await fleet.goes_on()
            await asyncio.to_thread(first.start)
        await check_nothing_lost(fleet, two.data / "archive")
