"""Ending tasks for sure."""

from __future__ import annotations

import asyncio
from typing import Any, Final

__all__ = ["end"]

_AGAIN: Final = 0.1


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancels tasks until they have ended; what they raise is not told.

    Once is not enough: before Python 3.12 `asyncio.wait_for`, which redis-py uses for every command, swallows a
    cancellation that comes at the wrong moment.
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        done, pending = await asyncio.wait(pending, timeout=_AGAIN)
        for task in done:
            if not task.cancelled():
                task.exception()  # asked for, so that asyncio does not complain that nobody did
