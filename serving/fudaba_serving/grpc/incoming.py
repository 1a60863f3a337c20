"""The reading of requests: a call is counted before its request is read, and only some of a caller's are read at once.

gRPC reads the request of a unary call, as much as the client announces, before this code knows of the call. So a client
that sends only a part of each of many requests would occupy that memory. Here such a call is a stream of requests, and
only the first one is read: until then gRPC accepts no more than its window.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import aclosing
from typing import Any, Final, cast

from fudaba.refusals import Refused
from fudaba_serving.grpc.rate_limit import Caller, too_many_begun

__all__ = ["request_of"]

_REQUEST_SECONDS: Final = 30.0
"""The time that a request may take to arrive, including the wait for its turn to be read."""


async def request_of(requests: AsyncIterable[Any], caller: Caller | None, seconds: float = _REQUEST_SECONDS) -> Any:
    """Returns the request of a call. Refuses a request that does not come.

    Refuses a caller with too many requests that have begun and not arrived. If `caller` is None, there are no such
    limits.
    """
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
            raise Refused.malformed(f"the request did not arrive within {seconds:g} s; send it again, whole") from error
        raise too_many_begun() from error


async def _first(requests: AsyncIterable[Any]) -> Any:
    # gRPC's object and its generator refer to each other, and to the call. A closed generator refers to neither.
    async with aclosing(cast("AsyncGenerator[Any]", aiter(requests))) as coming:
        async for request in coming:
            return request
    raise Refused.malformed("the call has no request; send its message, even if nothing is set in it")
