"""What tests of the kit share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.support.kit.scripted import Script, Service


@pytest.fixture
async def scripted(tmp_path: Path) -> AsyncIterator[Callable[..., Awaitable[Service]]]:
    """`await scripted(script, ...)` is a service that runs the scripts, one a connection."""
    started: list[Service] = []

    async def start(*scripts: Script) -> Service:
        service = Service(f"unix:{tmp_path}/s{len(started)}", list(scripts))
        await service.start()
        started.append(service)
        return service

    yield start
    for service in started:
        await service.vanish()
    faults = [fault for service in started for fault in service.faults]
    assert not faults, faults
