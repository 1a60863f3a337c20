"""Starting tasks that may be left alone, and ending tasks for sure."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

__all__ = ["begin", "end"]

_AGAIN: Final = 0.1

Result = TypeVar("Result")


def begin(work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
    """Starts a task. Who waits for it hears what it raises; if nobody does any more, asyncio does not complain."""
    task = asyncio.create_task(work)
    task.add_done_callback(_ask)
    return task


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
            _ask(task)


def _ask(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()
