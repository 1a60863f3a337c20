"""What tests of workers share: starting an arena takes most of their time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.arena.running import Service, service
from tests.support.arena.standing import Arena, standing
from tests.support.folders import short_folder
from tests.support.service.processes import RedisServer


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    with service() as running:
        yield running


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with short_folder() as place, RedisServer(place, "--appendfsync", "always") as server:
        server.start()
        yield server


@pytest.fixture(scope="module")
def arena(hosted: Service, redis: RedisServer) -> Iterator[Arena]:
    """Yields one that hands out its blocks."""
    with standing(hosted, "--workers", "--redis", redis.url) as running:
        yield running
