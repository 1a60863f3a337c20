"""A service that forgets soon."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from tests.support.patience import PATIENCE
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.lists import listed
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service

OFTEN = "from fudaba_service.sessions import retention as r; r._SWEEP_SECONDS = 0.1"


@contextlib.asynccontextmanager
async def keeping(folder: Path, *options: str) -> AsyncIterator[tuple[Service, Organiser]]:
    """Yields a service that looks often for what is kept no longer."""
    with Service(folder, *options) as service:
        service.start(first=OFTEN)
        async with Organiser(service.address, service.token) as organiser:
            yield service, organiser
        assert_no_fault(service)


async def none_listed(organiser: Organiser, *match_ids: str) -> None:
    """Waits until none of these is listed: that is the last thing that is done to remove them."""
    async with asyncio.timeout(PATIENCE):
        while {*match_ids} & {*await listed(organiser)}:  # noqa: ASYNC110  # the service tells nobody of it
            await asyncio.sleep(0.02)
