"""Methods outside the contract: health, reflection and unknown methods. Calls to them are charged, too: to the caller's
host, or to the seat that its connection is for, whatever token comes with the call.

Health checks have a separate budget, so that no caller can use up the calls that the supervisor of the process needs
for its probe.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol, TypeAlias, final

import grpc
from grpc import aio

from fudaba.refusals import Refused
from fudaba.v1 import errors_pb2
from fudaba_serving.grpc.aborting import abort
from fudaba_serving.grpc.client_errors import CallerGone
from fudaba_serving.grpc.incoming import request_of
from fudaba_serving.grpc.rate_limit import Caller, Callers

__all__ = ["Foreign", "foreign_cost"]

Context = aio.ServicerContext[Any, Any]
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

_HEALTH: Final = "/grpc.health."
_REFLECTION: Final = "/grpc.reflection."
_REFLECTION_COST_CALLS: Final = 5.0
"""The cost of a reflection request at the rate limit, since the contract has no policy for it."""
_STREAMS: Final = "streams"
"""The purse of a host that counts its open reflection streams."""
_MAX_STREAMS_OPEN: Final = 32
"""The number of these streams that may be open or wait: when their client is gone, all of them end at one moment."""
_MAX_WAIT_SECONDS: Final = 2.0
_UNKNOWN: Final = "there is no such method; server reflection lists the methods"


class Door(Protocol):
    """The identification of callers."""

    async def foreign_payer(self, context: Context) -> str:
        """Returns the payer of a call, whatever token it shows: its host, or the seat that its connection is for."""
        ...

    def check_foreign(self, context: Context) -> None:
        """Refuses methods outside the contract, except health checks, on connections that are for few methods only."""
        ...


def foreign_cost(method: str) -> float:
    """Returns the cost of a call of a method outside the contract, in calls of the rate limit."""
    return _REFLECTION_COST_CALLS if method.startswith(_REFLECTION) else 1.0


@asynccontextmanager
async def _one_more(streams: Caller | None) -> AsyncIterator[None]:
    """Counts a stream of a host, which may open few at once: a stream that its client does not read holds 150 KiB.

    Further streams wait, and are refused if they have to wait for more than `_MAX_WAIT_SECONDS` seconds.
    """
    if streams is None:
        yield
        return
    try:
        await asyncio.wait_for(streams.reading.acquire(), _MAX_WAIT_SECONDS)
    except TimeoutError as error:
        message = (
            "too many streams are open, and no more are allowed at once; send all requests over one stream, and end it"
        )
        raise Refused(errors_pb2.REASON_TOO_FAST, message, retry_seconds=1.0) from error
    try:
        yield
    finally:
        streams.reading.release()


@final
class Foreign:
    """The wrapper of the methods outside the contract."""

    def __init__(self, callers: Callers, door: Door, end: Callable[[Context, Exception], Awaitable[None]]) -> None:
        """`end` ends a call with the refusal that an exception stands for."""
        self._callers = callers
        self._door = door
        self._end = end
        self._nothing: Handler = grpc.stream_stream_rpc_method_handler(self._unknown())
        """The handler of unknown methods: it refuses the call once the call is paid for."""
        self._kept: dict[str, Handler] = {}

    async def handler(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        details: grpc.HandlerCallDetails,
        wrap: Callable[[Handler, str], Handler],
    ) -> Handler:
        """Returns the handler of any method, wrapped once. `wrap` wraps a method of the contract."""
        name = details.method
        if name not in self._kept:
            found = await continuation(details)
            if found is None:  # not kept: unknown names are unlimited
                return self._nothing
            self._kept[name] = wrap(found, name) if name.startswith("/fudaba.") else self._wrapped(found, name)
        return self._kept[name]

    def _wrapped(self, handler: Any, name: str) -> Handler:
        read, write = handler.request_deserializer, handler.response_serializer
        if handler.unary_unary is not None:
            return grpc.stream_unary_rpc_method_handler(self._call(handler.unary_unary, name), read, write)
        if handler.unary_stream is not None:
            # Health's handler writes its responses by hand.
            return grpc.stream_stream_rpc_method_handler(self._call(handler.unary_stream, name), read, write)
        return grpc.stream_stream_rpc_method_handler(self._stream(handler.stream_stream, name), read, write)

    def _unknown(self) -> Any:
        async def refused(_: Any, context: Context) -> None:
            await abort(context, grpc.StatusCode.UNIMPLEMENTED, _UNKNOWN)

        return self._call(refused, "", reads=False)

    def _call(self, method: Any, name: str, *, reads: bool = True) -> Any:
        purse = "health" if name.startswith(_HEALTH) else ""

        async def guarded(requests: Any, context: Context) -> Any:
            try:
                with self._callers.host(await self._door.foreign_payer(context), purse) as caller:
                    await self._pay(caller, name)
                    if not purse:
                        self._door.check_foreign(context)
                    return await method(await request_of(requests, caller) if reads else None, context)
            except (aio.AbortError, CallerGone):
                raise
            except Exception as error:  # noqa: BLE001  # the boundary: nothing may pass it unexplained
                await self._end(context, error)

        return guarded

    def _stream(self, method: Any, name: str) -> Any:
        async def guarded(requests: Any, context: Context) -> AsyncIterator[Any]:
            try:
                host = await self._door.foreign_payer(context)
                with (
                    self._callers.host(host) as caller,
                    self._callers.host(host, _STREAMS, _MAX_STREAMS_OPEN) as streams,
                ):
                    async with _one_more(streams):
                        self._door.check_foreign(context)
                        async for response in method(self._paid(requests, caller, name), context):
                            yield response
            except (aio.AbortError, CallerGone):
                raise
            except Exception as error:  # noqa: BLE001  # the boundary: nothing may pass it unexplained
                await self._end(context, error)

        return guarded

    async def _paid(self, requests: Any, caller: Caller | None, name: str) -> AsyncIterator[Any]:
        """Yields the messages of a stream; each of them costs as much as a call."""
        await self._pay(caller, name)  # for the first message, or for a stream without one
        paid = True
        async for request in requests:
            if not paid:
                await self._pay(caller, name)
            paid = False
            yield request

    async def _pay(self, caller: Caller | None, name: str) -> None:
        if caller is not None:
            await self._callers.pay(caller, name, 0, base_cost=foreign_cost(name))
