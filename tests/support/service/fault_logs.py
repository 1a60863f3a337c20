"""The lines that a service must not log, and the store that tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.folders import short_folder
from tests.support.service.processes import RedisServer, Service


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yields a new folder with a short path."""
    with short_folder() as place:
        yield place


def assert_no_fault(service: Service) -> None:
    """Checks that nothing went wrong in the service that nobody foresaw."""
    for sign in ("Traceback", " fault ", "never retrieved"):
        assert sign not in service.log, service.log


@pytest.fixture
def redis(folder: Path) -> Iterator[RedisServer]:
    """Yields a store of this test's own, which loses nothing."""
    place = folder / "redis"
    place.mkdir()
    with RedisServer(place, "--appendfsync", "always") as server:
        yield server.start()
