"""The proxies of the tests end with the loop that they run in, whatever they were just doing."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from soak.chaos import proxy as chaos_proxy
from tests.support.service import proxy

_TURNS = range(12)
"""The number of turns of the loop that a connection may have had when the proxy ends."""


@pytest.fixture
def beyond() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        yield listener.getsockname()[1]


@pytest.mark.parametrize("kind", [proxy.Proxy, chaos_proxy.Proxy], ids=["service", "chaos"])
@pytest.mark.exhaustive
def test_no_connection_outlives_the_loop_however_far_it_had_come(kind: Any, beyond: int) -> None:
    async def connect_and_end(turns: int) -> None:
        async with kind(beyond).run() as running:
            with socket.create_connection(("127.0.0.1", running.port)):
                for _ in range(turns):
                    await asyncio.sleep(0)

    for turns in _TURNS:
        asyncio.run(connect_and_end(turns))
        gc.collect()  # pytest reports what it finds open
