"""Tasks: started so that they may be left alone, cancelled for sure, or run in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar, final

__all__ = ["BackgroundTasks", "cancel", "spawn"]

log = logging.getLogger(__name__)

_AGAIN: Final = 0.1

Result = TypeVar("Result")


def spawn(work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
    """Starts a task. Who waits for it hears what it raises; if nobody does any more, asyncio does not complain."""
    task = asyncio.create_task(work)
    task.add_done_callback(_ask)
    return task


async def cancel(*tasks: asyncio.Task[Any]) -> None:
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


@final
class BackgroundTasks:
    """Tasks that nobody waits for. `fault` is called for each that ends by an exception, which is logged.

    That is left to whoever wants to be told of the exception: see `spawn`.
    """

    def __init__(self, fault: Callable[[], None]) -> None:
        self._fault = fault
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None], failed: Callable[[Exception], None] | None = None) -> None:
        """Runs work in the background, and keeps it until it is done. `failed` is told of its exception."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(partial(self._ended, failed))

    async def done(self) -> None:
        """Returns when none is left."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def cancel(self) -> None:
        """Cancels all of them."""
        await cancel(*self._tasks)

    def _ended(self, failed: Callable[[Exception], None] | None, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if failed is not None and isinstance(error, Exception):
            failed(error)
        elif error is not None:
            log.error("a fault in the background", exc_info=error)
            self._fault()
