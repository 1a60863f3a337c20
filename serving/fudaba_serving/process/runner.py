"""What a process runs in that does nothing but serve, or play for an arena."""

from __future__ import annotations

import asyncio
import gc
import logging
from importlib.util import find_spec

from fudaba.heartbeat import beat_from

__all__ = ["log_to_stderr", "runner"]


def runner() -> asyncio.Runner:
    """An event loop for the whole life of the process: uvloop where it is installed, and a patient collector.

    Nearly all objects here go when their last reference goes. The cyclic collector's default settings have it look
    through every live match again and again, for a tenth of the CPU. Of what is new it looks through little at a time:
    all that came with ten thousand matches held everything up for a quarter of a second.

    The loop beats for whoever keeps the process running (see `fudaba.heartbeat`).
    """
    gc.freeze()
    gc.set_threshold(5_000, 5, 4_000)
    return asyncio.Runner(loop_factory=_beating_loop)


def _beating_loop() -> asyncio.AbstractEventLoop:
    loop: asyncio.AbstractEventLoop
    if find_spec("uvloop") is None:
        loop = asyncio.new_event_loop()
    else:
        import uvloop  # noqa: PLC0415  # where it exists

        loop = uvloop.new_event_loop()
    beat_from(loop)
    return loop


def log_to_stderr(level: int) -> None:
    """Writes the log of the process to standard error, each line with its time."""
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
