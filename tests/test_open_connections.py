"""Connections that a test leaves open fail that test, and no later one."""

from __future__ import annotations

import asyncio
import gc
import warnings
from asyncio import selector_events

import pytest

from tests.support.open_connections import OpenConnections


async def opened(*, then_closes: bool) -> asyncio.StreamWriter:
    """Opens a connection to a server of its own, which closes its end."""
    server = await asyncio.start_server(lambda _reader, writer: writer.transport.abort(), "127.0.0.1", 0)
    async with server:
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # so that it does not notice the other's end
        if then_closes:
            writer.transport.abort()
    return writer


def left_open(monkeypatch: pytest.MonkeyPatch, *, then_closes: bool) -> OpenConnections:
    """Watches a loop that closes after a connection was opened."""
    # Put back afterwards, and so that the watch over this very test sees nothing.
    monkeypatch.setattr(selector_events.BaseSelectorEventLoop, "close", selector_events.BaseSelectorEventLoop.close)
    connections = OpenConnections()
    connections.watch()
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        writer = runner.run(opened(then_closes=then_closes))
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        del writer
        gc.collect()
    return connections


def test_a_connection_that_is_open_when_its_loop_closes_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    ending = left_open(monkeypatch, then_closes=False).pytest_runtest_teardown()
    next(ending)
    with pytest.raises(pytest.fail.Exception, match="closed before its connections"):
        next(ending)


def test_connections_that_were_closed_fail_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ending = left_open(monkeypatch, then_closes=True).pytest_runtest_teardown()
    next(ending)
    with pytest.raises(StopIteration):
        next(ending)
