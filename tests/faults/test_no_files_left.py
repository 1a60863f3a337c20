"""A service may open no more files for a while: its matches go on, and nothing is lost."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support.descriptors import none_left
from tests.support.faults.checker import check_nothing_lost
from tests.support.faults.fleet import fleet_in_progress
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.in_progress import started
from tests.support.service.organiser import Organiser
from tests.support.service.processes import RedisServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sets the limit of another process")
MATCH_COUNT: Final = 4
NONE_LEFT_SECONDS: Final = 4.0


@pytest.mark.exhaustive
async def test_a_service_that_has_no_file_left_for_a_while_plays_on_and_loses_nothing(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            fleet_in_progress(organiser, [service.address], MATCH_COUNT) as fleet,
        ):
            with none_left(service.pid):
                await fleet.goes_on()
                await asyncio.sleep(NONE_LEFT_SECONDS)  # matches end, and their records cannot be written
            await check_nothing_lost(fleet, service.data / "archive")
        assert_no_fault(service)
