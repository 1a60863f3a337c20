"""A call that is refused leaves nothing behind that only the collection of garbage would find."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from grpc import aio

from fudaba.serving.aborting import abort, abort_with_status
from fudaba_service.refusals import Refused

Context = aio.ServicerContext[Any, Any]
CALLS = 20
LOOKS = 100


class Called:
    """Is known by each call's frames, as its context is."""


async def with_status(context: Context) -> None:
    await abort_with_status(context, Refused.malformed("nothing is right here").status())


async def with_details(context: Context) -> None:
    await abort(context, grpc.StatusCode.UNIMPLEMENTED, "there is no such method")


async def as_grpc_does(context: Context) -> None:
    await context.abort(grpc.StatusCode.UNIMPLEMENTED, "there is no such method")


class Refusing(grpc.GenericRpcHandler):
    """A server on which every method is refused, some calls deeper."""

    def __init__(self, end: Callable[[Context], Awaitable[None]]) -> None:
        self._end = end

    def service(self, details: Any) -> Any:
        async def refused(_: Any, context: Context) -> bytes:
            called = Called()
            try:
                raise LookupError(called)
            except LookupError:
                await self._end(context)
            return b""

        async def streamed(request: Any, context: Context) -> AsyncIterator[bytes]:
            yield await refused(request, context)

        if details.method == "/streams":
            return grpc.stream_stream_rpc_method_handler(streamed)
        return grpc.unary_unary_rpc_method_handler(refused)


@asynccontextmanager
async def refusing(end: Callable[[Context], Awaitable[None]]) -> AsyncIterator[aio.Channel]:
    server = aio.server()
    server.add_generic_rpc_handlers((Refusing(end),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        await server.stop(None)


async def refusal(channel: Any, method: str) -> str | None:
    """What a call is told that is refused."""
    try:
        if method == "/streams":
            await channel.stream_stream(method)(iter([b""])).read()
        else:
            await channel.unary_unary(method)(b"")
    except aio.AioRpcError as error:
        return error.details()
    raise AssertionError("it was answered")


async def left_of_calls(end: Callable[[Context], Awaitable[None]], method: str) -> int:
    """How many of some calls that were refused are still known to somebody, while no garbage is collected."""
    gc.collect()
    gc.disable()
    try:
        async with refusing(end) as channel:
            for _ in range(CALLS):
                assert await refusal(channel, method) in {"there is no such method", "nothing is right here"}
            for _ in range(LOOKS):
                if not (left := sum(isinstance(one, Called) for one in gc.get_objects())):
                    break
                await asyncio.sleep(0.01)  # the latest call's task is about to be done
            return left
    finally:
        gc.enable()


@pytest.mark.parametrize("method", ["/unary", "/streams"])
@pytest.mark.parametrize("end", [with_status, with_details])
async def test_a_refused_call_is_forgotten_at_once(end: Callable[[Context], Awaitable[None]], method: str) -> None:
    assert await left_of_calls(end, method) == 0


async def test_without_that_each_would_stay_until_garbage_is_collected() -> None:
    assert await left_of_calls(as_grpc_does, "/unary") == CALLS
