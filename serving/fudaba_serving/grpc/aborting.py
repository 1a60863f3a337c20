"""Ends calls with a status, and leaves nothing of them behind that only the collection of garbage would find.

An error knows the frames that it came through. These know their call and, more often than one thinks, the error: by a
local variable, or by a task that it ended. With a call gRPC keeps all that came over its connection at the same time,
hundreds of KiB. And garbage is seldom collected here.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, NoReturn

import grpc
from grpc import aio

__all__ = ["abort", "abort_with_status", "forget_frames"]


def forget_frames(error: BaseException) -> None:
    """Has an error, and those that it came from, forget where they were raised: nobody will look.

    Each is visited once: an error may be its own cause, and a loop of causes and contexts has no end.
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
    """Ends a call with a status that this code, these details and these trailers make. Raises `grpc.aio.AbortError`."""
    try:
        await context.abort(code, details, trailing_metadata)
    except aio.AbortError as error:
        # The call's task keeps the error, which comes through more frames before that is done.
        if (task := asyncio.current_task()) is not None:
            task.add_done_callback(partial(_forget, error))
        raise
    raise AssertionError("gRPC ends a call that is aborted")


def _forget(error: aio.AbortError, _: asyncio.Task[Any]) -> None:
    forget_frames(error)
    error.__context__ = None
