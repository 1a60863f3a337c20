"""What tests of the bots in other languages share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.support.folders import short_folder
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yields a service of the module's own. Whatever the tests do to it, it logs no fault."""
    with short_folder() as place, Service(place) as running:
        yield running.start()
        assert running.terminate() == 0, running.log
        assert_no_fault(running)


@pytest.fixture
async def organiser(service: Service) -> AsyncIterator[Organiser]:
    async with Organiser(service.address, service.token) as client:
        yield client
