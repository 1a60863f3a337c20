"""One service a module, shared by its tests; each test makes its own bots and matches."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from urllib.parse import quote

import pytest

from tests.support.folders import short_folder
from tests.support.service.fault_logs import assert_no_fault, folder, redis
from tests.support.service.organiser import Entrant, Organiser, StoreView
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy
from tests.support.service.servers import each_server, executable_of

__all__ = ["folder", "redis"]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yields a service with a store of its own. Whatever the tests do to it, it logs no fault."""
    with short_folder() as place, Service(place) as running:
        yield running.start()
        assert running.terminate() == 0, running.log
        assert_no_fault(running)


@pytest.fixture
async def organiser(service: Service) -> AsyncIterator[Organiser]:
    async with Organiser(service.address, service.token) as client:
        yield client


@pytest.fixture
async def pair(organiser: Organiser) -> tuple[Entrant, Entrant]:
    """Returns two new bots."""
    return await organiser.entrant(), await organiser.entrant()


@pytest.fixture
async def store(service: Service, organiser: Organiser) -> AsyncIterator[StoreView]:
    """Yields the shared service's store. The matches that earlier tests have brought to an end have left it."""
    view = StoreView(f"unix://{quote(str(service.data / 'store' / 'valkey.sock'))}")
    with contextlib.closing(view.client):
        for match_id in {name.partition(":")[0] for name in view.matches}:
            if (await organiser.get(match_id)).HasField("end"):
                await view.forgets(match_id)
        yield view


@pytest.fixture(
    scope="module",
    params=each_server(["everysec", "always"]),
)
def server(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    """Yields every store in turn: the Valkey of the wheel and the Redis on PATH."""
    executable = executable_of(request.param)
    _, _, appendfsync = request.param.partition("-")
    with short_folder() as folder, RedisServer(folder, "--appendfsync", appendfsync, executable=executable) as running:
        yield running.start()


@pytest.fixture
async def proxy(server: RedisServer) -> AsyncIterator[Proxy]:
    async with Proxy(server.port).run() as running:
        yield running
