"""Ends calls with a status, and leaves nothing of them behind that only the garbage collector would find.

An error refers to the frames that it passed through. These frames refer to their call and, more often than expected, to
the error: by a local variable, or by a task that the error ended. With a call gRPC keeps everything that came over its
connection at the same time, hundreds of KiB. The garbage collector seldom runs here.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, NoReturn

import grpc
from grpc import aio

__all__ = ["abort", "abort_with_status", "forget_frames"]


def forget_frames(error: BaseException) -> None:
    """Makes an error, and the errors that led to it, forget where they were raised, since nothing reads that later.

    Visits each error once: an error may be its own cause, and a loop of causes and contexts has no end.
    """
    visited: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        known = pending.pop()
        if known is None or id(known) in visited:
            continue
        visited.add(id(known))
        known.__traceback__ = None
        pending += (known.__cause__, known.__context__)
        if isinstance(known, BaseExceptionGroup):
            pending += known.exceptions


async def abort_with_status(context: aio.ServicerContext[Any, Any], status: grpc.Status) -> NoReturn:
    """Ends a call with a status. Raises `grpc.aio.AbortError`."""
    await abort(context, status.code, status.details or "", status.trailing_metadata or ())


async def abort(
    context: aio.ServicerContext[Any, Any], code: grpc.StatusCode, details: str, trailing_metadata: Any = ()
) -> NoReturn:
    """Ends a call with the status of this code, these details and these trailers. Raises `grpc.aio.AbortError`."""
    try:
        await context.abort(code, details, trailing_metadata)
    except aio.AbortError as error:
        # The call's task keeps the error, which passes through more frames before the task is done.
        if (task := asyncio.current_task()) is not None:
            task.add_done_callback(partial(_forget, error))
        raise
    raise AssertionError("gRPC ends a call that is aborted")


def _forget(error: aio.AbortError, _: asyncio.Task[Any]) -> None:
    forget_frames(error)
    error.__context__ = None
