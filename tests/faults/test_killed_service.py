"""The service is killed under many matches of every game, and started again: nothing is lost, and nobody pays."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.faults.checker import check_nothing_lost
from tests.support.faults.fleet import LONGER_SECONDS, fleet_in_progress
from tests.support.faults.scale import SCALE
from tests.support.service.in_progress import started
from tests.support.service.organiser import Organiser
from tests.support.service.processes import RedisServer

EXTERNAL = pytest.mark.nightly(
    "the same with the embedded store; `test_replicas.py` kills one of two at an external one"
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("store", ["embedded", pytest.param("external", marks=EXTERNAL)])
async def test_a_service_that_is_killed_in_mid_match_loses_nothing_and_costs_nobody_time(
    folder: Path, request: pytest.FixtureRequest, store: str
) -> None:
    redis: RedisServer | None = request.getfixturevalue("redis") if store == "external" else None
    with started(folder, redis) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            fleet_in_progress(organiser, [service.address], SCALE.matches) as fleet,
        ):
            for number in range(SCALE.rounds):
                service.kill()
                await asyncio.sleep([LONGER_SECONDS, 0.0][number % 2])
                await asyncio.to_thread(service.start)
                await fleet.goes_on()
            assert all(player.connections > SCALE.rounds for player in fleet.players)
            await check_nothing_lost(fleet, service.data / "archive")
