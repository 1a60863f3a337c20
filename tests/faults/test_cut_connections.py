"""Connections are cut in mid-message, at any byte, between bots and service and between service and store."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.faults.checker import check_nothing_lost
from tests.support.faults.fleet import fleet_in_progress
from tests.support.faults.scale import SCALE
from tests.support.service.in_progress import SHORT, started
from tests.support.service.organiser import Organiser
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy

MATCHES = max(14, SCALE.matches)
"""Fewer send too little for a connection to be cut often."""


@contextlib.asynccontextmanager
async def cutting(port: int, least: int, most: int) -> AsyncIterator[Proxy]:
    """Yields a proxy that cuts every connection after this many bytes, counted in both directions."""
    chance = random.Random(1)
    async with Proxy(port).run() as proxy:
        proxy.lifetime = lambda: chance.randint(least, most)
        yield proxy


@pytest.mark.exhaustive
async def test_bots_whose_connections_are_cut_in_mid_message_lose_nothing(folder: Path) -> None:
    with started(folder) as service:
        port = int(service.address.rpartition(":")[2])
        async with (
            Organiser(service.address, service.token) as organiser,
            cutting(port, 500, 30_000) as proxy,
            fleet_in_progress(organiser, [proxy.address], MATCHES) as fleet,
        ):
            await check_nothing_lost(fleet, service.data / "archive")
            assert proxy.cuts > 5 * SCALE.rounds


@pytest.mark.exhaustive
async def test_a_service_whose_connections_to_its_store_are_cut_in_mid_message_loses_nothing_and_doubles_nothing(
    folder: Path, redis: RedisServer
) -> None:
    async with cutting(redis.port, 10_000, 50_000) as proxy:
        behind = Service(folder, "--redis", f"redis://{proxy.address}/0", name="service", data=folder / "data")
        with behind as service:
            await asyncio.to_thread(service.start)
            async with (
                Organiser(service.address, service.token) as organiser,
                fleet_in_progress(organiser, [service.address], MATCHES, clock=SHORT) as fleet,
            ):
                before = proxy.cuts
                await check_nothing_lost(fleet, service.data / "archive")
                assert proxy.cuts > before + 5 * SCALE.rounds
            assert "Traceback" not in service.log, service.log
