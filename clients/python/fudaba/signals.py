"""Signals that stop a process with an event loop, in which other code may fork."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final, final

__all__ = ["STOPS", "stopped_by"]

STOPS: Final = (signal.SIGINT, signal.SIGTERM)
"""The signals with which people and supervisors stop a program."""


@final
class _Handler:
    """Hands a signal of this process to its event loop."""

    for_event_loop = True
    """Handles a signal. In a child of a fork it is dropped; see `fudaba._forking`."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, on_signal: Callable[[signal.Signals], Any], at_once: Callable[[], Any]
    ) -> None:
        self._loop = loop
        self._on_signal = on_signal
        self._at_once = at_once

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        self._at_once()
        self._loop.call_soon_threadsafe(self._on_signal, signal.Signals(number))


@contextlib.contextmanager
def stopped_by(on_signal: Callable[[signal.Signals], Any], at_once: Callable[[], Any] = lambda: None) -> Iterator[None]:
    """While it is open, `on_signal` is called in the running event loop for each of `STOPS` that this process gets.

    Before that, `at_once` is called, whatever the main thread is doing; it may raise. Use it in the main thread. Unlike
    `loop.add_signal_handler`, it trusts no descriptor that a child may have inherited: the descriptor only wakes the
    loop, and Python calls a signal's handler in the process that got the signal.
    """
    loop = asyncio.get_running_loop()
    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)
    handler = _Handler(loop, on_signal, at_once)
    loop.add_reader(reader, reader.recv, 4096)
    woken_before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    before = {number: signal.signal(number, handler) for number in STOPS}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
        signal.set_wakeup_fd(woken_before)
        loop.remove_reader(reader)
        reader.close()
        writer.close()
