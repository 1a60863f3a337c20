"""Ends calls with a status, and leaves nothing of them behind."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, NoReturn

import grpc
from grpc import aio

__all__ = ["abort", "abort_with_status"]


async def abort_with_status(context: aio.ServicerContext[Any, Any], status: grpc.Status) -> NoReturn:
    """Ends a call with a status. Raises `grpc.aio.AbortError`."""
    await abort(context, status.code, status.details or "", status.trailing_metadata or ())


async def abort(
    context: aio.ServicerContext[Any, Any], code: grpc.StatusCode, details: str, trailing_metadata: Any = ()
) -> NoReturn:
    """Ends a call with a status that this code, these details and these trailers make. Raises `grpc.aio.AbortError`.

    gRPC keeps the error with the call, and the error keeps all frames that it came through, which know the call. Such a
    circle of 10 KiB for each refused call would stay until the garbage is collected, which is seldom. It is cut here.
    """
    try:
        await context.abort(code, details, trailing_metadata)
    except aio.AbortError as error:
        task = asyncio.current_task()
        if task is not None:  # that of the call: once it is done, nobody looks at the frames any more
            task.add_done_callback(partial(_forget_frames, error))
        raise
    raise AssertionError("gRPC ends a call that is aborted")


def _forget_frames(error: aio.AbortError, _: asyncio.Task[Any]) -> None:
    error.__traceback__ = error.__context__ = None
