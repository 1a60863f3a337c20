"""Connections that a test leaves open when its event loop closes."""

from __future__ import annotations

import asyncio
from asyncio import selector_events
from collections.abc import Generator
from typing import Final, final

import pytest

_close: Final = selector_events.BaseSelectorEventLoop.close


@final
class OpenConnections:
    """Fails the test whose event loop closes before its connections.

    The garbage collector would find them sooner or later, and fail whatever test runs by then. asyncio's own event
    loop knows its connections; uvloop closes them with the loop.
    """

    def __init__(self) -> None:
        self._left: list[str] = []

    def watch(self) -> None:
        """Makes each event loop of this process report open connections when it closes."""
        left = self._left

        def close(loop: selector_events.BaseSelectorEventLoop) -> None:
            if not loop.is_closed():
                left.extend(_open_connections(loop))
            _close(loop)

        selector_events.BaseSelectorEventLoop.close = close  # type: ignore[method-assign, assignment]  # no hook

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, None, None]:
        """Looks after the fixtures have ended: an event loop may be theirs."""
        try:
            yield
        finally:  # a teardown that fails leaves nothing of this test to the next one
            left = "\n".join(self._left)
            self._left.clear()
        if left:
            pytest.fail(f"An event loop closed before its connections:\n{left}", pytrace=False)


def _open_connections(loop: selector_events.BaseSelectorEventLoop) -> list[str]:
    transports: list[asyncio.Transport] = list(loop._transports.values())  # type: ignore[attr-defined]  # no public list
    return [
        f"{transport!r} to {transport.get_extra_info('peername')} of {transport.get_protocol()!r}"
        for transport in transports
        if not transport.is_closing()
    ]
