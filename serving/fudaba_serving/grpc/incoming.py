"""Requests on their way: a call is counted before its request is read, and only so many of a caller's are read at once.

gRPC reads the request of a unary call before anything here hears of the call, as much as it says that it will send. So
whoever sends a part of many requests, and no more, would have that memory. Here such a call is a stream of requests of
which only the first is read: until then gRPC takes a window's worth of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import aclosing
from typing import Any, Final, cast

from fudaba.refusals import Refused
from fudaba_serving.grpc.rate_limit import Caller, too_many_begun

__all__ = ["request_of"]

_SECONDS: Final = 30.0
"""So long a request may take to come."""


async def request_of(requests: AsyncIterable[Any], caller: Caller | None, seconds: float = _SECONDS) -> Any:
    """The request of a call. Refuses one that does not come, and who sends too many at once that do not."""
    if caller is None:
        return await _first(requests)
    reading = False
    try:
        async with asyncio.timeout(seconds):
            with caller.to_read():
                async with caller.reading:
                    reading = True
                    return await _first(requests)
    except TimeoutError as error:
        if reading:
            raise Refused.malformed(f"the request was not here after {seconds:g} s; send it again, whole") from error
        raise too_many_begun() from error


async def _first(requests: AsyncIterable[Any]) -> Any:
    # Of gRPC they are an object that knows its generator, which knows it, and the call: closed, it knows nobody.
    async with aclosing(cast("AsyncGenerator[Any]", aiter(requests))) as coming:
        async for request in coming:
            return request
    raise Refused.malformed("the call has no request; send its message, also if nothing is set in it")
