"""A service stands still for longer than any deadline (SIGSTOP), and goes on: nothing is lost, and nobody pays."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Final

import pytest

from tests.support.faults.checker import check_nothing_lost
from tests.support.faults.fleet import fleet_in_progress
from tests.support.service.in_progress import started
from tests.support.service.organiser import Organiser
from tests.support.service.processes import RedisServer

MATCH_COUNT: Final = 4
KEEPALIVE_SECONDS: Final = 10.0
"""By then the keepalive of a client has found the connection dead."""
LONG: Final = pytest.param(70.0, marks=pytest.mark.nightly("the same for a second and a half"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("seconds", [1.5, LONG])
async def test_the_only_service_may_stand_still_and_goes_on(folder: Path, redis: RedisServer, seconds: float) -> None:
    with started(folder, redis) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            fleet_in_progress(organiser, [service.address], MATCH_COUNT) as fleet,
        ):
            service.freeze()
            await asyncio.sleep(seconds)
            service.thaw()
            await fleet.goes_on()
            await check_nothing_lost(fleet, service.data / "archive")


@pytest.mark.nightly("`test_replicas.py` has one of two stand still for two seconds, and its bots go on at the other")
async def test_one_of_two_may_stand_still_for_long_and_disturbs_nobody_when_it_goes_on(
    folder: Path, redis: RedisServer
) -> None:
    with contextlib.ExitStack() as stack:
        stopped, other = [stack.enter_context(started(folder, redis, name)) for name in ("one", "two")]
        addresses = [stopped.address, other.address]
        async with (
            Organiser(other.address, stopped.token) as organiser,
            fleet_in_progress(organiser, addresses, MATCH_COUNT) as fleet,
        ):
            stopped.freeze()
            await asyncio.sleep(KEEPALIVE_SECONDS)
            for player in [player for player in fleet.players if player.address == stopped.address]:
                player.leave()
            await fleet.goes_on()
            await asyncio.sleep(70.0 - KEEPALIVE_SECONDS)
            stopped.thaw()
            await check_nothing_lost(fleet, other.data / "archive")
