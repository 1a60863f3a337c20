"""A store that takes 0.2 to 2 seconds for each answer, for minutes: all goes on slowly, and nobody pays for that."""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path
from typing import Final

import pytest

from soak.chaos.proxy import Proxy
from tests.support.faults.checker import check_nothing_lost
from tests.support.faults.fleet import fleet_in_progress
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser
from tests.support.service.processes import RedisServer, Service

MATCH_COUNT: Final = 4
WAY_SECONDS: Final = (0.1, 1.0)
"""The time that a piece takes, one way."""
SAME_WAY_SECONDS: Final = 2.0
SLOW_SECONDS: Final = 300.0


@pytest.mark.nightly(
    "`service/test_charges.py` has a store that is slow and not silent, and `test_killed_store.py` one that is away"
)
async def test_a_store_that_answers_slowly_for_long_loses_nothing_and_charges_nobody(
    folder: Path, redis: RedisServer
) -> None:
    chance = random.Random(31)
    async with Proxy(redis.port).run() as proxy:
        with Service(folder, "--redis", f"redis://{proxy.address}/0") as service:
            await asyncio.to_thread(service.start)
            async with (
                Organiser(service.address, service.token) as organiser,
                fleet_in_progress(organiser, [service.address], MATCH_COUNT) as fleet,
            ):
                ends = time.monotonic() + SLOW_SECONDS
                while (left := ends - time.monotonic()) > 0:
                    proxy.delay(chance.uniform(*WAY_SECONDS))
                    await asyncio.sleep(min(left, SAME_WAY_SECONDS))
                proxy.heal()
                await check_nothing_lost(fleet, service.data / "archive")
            assert_no_fault(service)
