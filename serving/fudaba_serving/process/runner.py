"""The event loop and the log of a process that only serves, or only plays for an arena."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec

from fudaba.heartbeat import beat_from
from fudaba_serving.process.tasks import cancel_all

__all__ = ["log_to_stderr", "runner"]


@contextmanager
def runner(*modules: str) -> Iterator[asyncio.Runner]:
    """Yields an event loop for the whole life of the process: uvloop where it is installed, and a patient collector.

    It first imports the modules that the process works with. Raises what their import raises.

    Nearly all objects here are freed with their last reference. With its default settings, the cyclic collector would
    search every live match again and again, for a tenth of the CPU. It searches new objects in small portions: a single
    search through all objects of ten thousand matches held up all calls for a quarter of a second.

    The loop sends a heartbeat to the program that keeps the process running (see `fudaba.heartbeat`). At its end it
    cancels the tasks that are left, such as a command to a store that is away. `asyncio.Runner` would report an
    exception of such a task as a fault, and wait forever for one that has lost its cancellation.
    """
    gc.disable()  # imports leave no garbage
    try:
        for module in modules:
            import_module(module)
    finally:
        gc.enable()
    gc.freeze()  # imported modules stay
    gc.set_threshold(5_000, 5, 4_000)
    with asyncio.Runner(loop_factory=_beating_loop) as loop:
        try:
            yield loop
        finally:
            loop.run(cancel_all())


def _beating_loop() -> asyncio.AbstractEventLoop:
    loop: asyncio.AbstractEventLoop
    if find_spec("uvloop") is None:
        loop = asyncio.new_event_loop()
    else:
        import uvloop  # noqa: PLC0415  # only where it is installed

        loop = uvloop.new_event_loop()
    beat_from(loop)
    return loop


def log_to_stderr(level: int) -> None:
    """Writes the log of the process to standard error; each line has its time."""
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
