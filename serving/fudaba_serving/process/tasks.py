"""Starts, shields and cancels tasks; right on Python 3.11, too.

Before Python 3.12 `asyncio.wait_for`, which redis-py uses for every command, swallows a cancellation that arrives
together with the result. `shielded` protects a caller from that, and `cancel` ends a task that has lost a cancellation
to any library.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from functools import partial
from typing import Any, Final, TypeVar, final

__all__ = ["BackgroundTasks", "cancel", "cancel_all", "shielded", "spawn"]

log = logging.getLogger(__name__)

_RETRY_SECONDS: Final = 0.1
_CLEANUP_SECONDS: Final = 5.0

Result = TypeVar("Result")


def spawn(work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
    """Starts a task. Its exception reaches the task that awaits it; asyncio does not complain if none does."""
    task = asyncio.create_task(work)
    task.add_done_callback(_retrieve)
    return task


async def shielded(work: Awaitable[Result]) -> Result:
    """Returns the result of work that goes on when the caller is cancelled.

    A cancellation always reaches the caller: the wait of `asyncio.shield` never swallows it, whatever the work does. An
    exception of work that no task awaits any more is not a fault: the task of the work returns it, since asyncio
    reports each task that ends with an exception when the loop ends.
    """
    task = asyncio.ensure_future(_outcome(work))
    task.add_done_callback(partial(_close, work))
    return (await asyncio.shield(task)).result()


def _close(work: Awaitable[object], _: asyncio.Future[Any]) -> None:
    """Closes work that never began, because the loop ended first. Python would warn that nobody awaited it."""
    if asyncio.iscoroutine(work):
        work.close()


async def _outcome(work: Awaitable[Result]) -> asyncio.Future[Result]:
    """Returns the result or the exception of work, as a future that is done."""
    outcome: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
    try:
        outcome.set_result(await work)
    except Exception as error:  # noqa: BLE001  # whoever awaits the outcome gets it
        outcome.set_exception(error)
        _retrieve(outcome)
    try:
        return outcome
    finally:
        del outcome  # else the exception's traceback would keep it, and it the exception, until a collection


async def cancel(*tasks: asyncio.Task[Any]) -> None:
    """Cancels tasks until they have ended. Their exceptions are dropped.

    A task may lose a cancellation, so this cancels it again until it ends.
    """
    await _cancel(tasks, _RETRY_SECONDS)


async def cancel_all() -> None:
    """Cancels all other tasks of the loop until they have ended; again only after a while, since some clean up.

    Whatever was to wait for such a task has ended, so its exception is dropped; tasks in the background log theirs.
    """
    await _cancel(asyncio.all_tasks() - {asyncio.current_task()}, _CLEANUP_SECONDS)


async def _cancel(tasks: Iterable[asyncio.Task[Any] | None], retry_seconds: float) -> None:
    pending = {task for task in tasks if task is not None}
    while pending:
        for task in pending:
            task.cancel()
        done, pending = await asyncio.wait(pending, timeout=retry_seconds)
        for task in done:
            _retrieve(task)


def _retrieve(task: asyncio.Future[Any]) -> None:
    if not task.cancelled():
        task.exception()


@final
class BackgroundTasks:
    """Tasks that run without being awaited. An exception that ends a task is logged, and `fault` is called, unless the
    task has its own handler for exceptions: see `spawn`.
    """

    def __init__(self, fault: Callable[[], None]) -> None:
        self._fault = fault
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None], failed: Callable[[Exception], None] | None = None) -> None:
        """Runs work in the background, and keeps it until it is done. Calls `failed` with its exception."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(partial(self._ended, failed))

    async def done(self) -> None:
        """Returns when no task is left."""
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
