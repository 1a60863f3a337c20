"""What stands before every method: refusals become statuses, faults INTERNAL with an id, tokens their owners."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, final

import grpc
from grpc import aio

from fudaba.serving.refusals import Refused, refusal_of_fault
from fudaba.serving.requests import check_request, reading
from fudaba.v1 import errors_pb2
from fudaba_arena.front.callers import NOBODY, Caller, Callers
from fudaba_arena.front.permissions import admit, open_to_all
from fudaba_arena.metrics import Metrics
from fudaba_arena.store.results import StoreUnavailable

__all__ = ["Context", "Doorkeeper", "Guard"]

Context = aio.ServicerContext[Any, Any]


@final
class Doorkeeper:
    """Who is calling."""

    def __init__(self, callers: Callers) -> None:
        self._callers = callers

    async def caller(self, context: Context) -> Caller:
        """Who is calling. Refuses wrong tokens, and when it cannot be said whose one is."""
        token = _token(context)
        return await self._callers.caller(token) if token else NOBODY

    async def is_organiser(self, context: Context) -> bool:
        """Whether the organiser is calling, as far as can be said now. Refuses wrong tokens."""
        try:
            return (await self.caller(context)).organiser
        except Refused as refused:
            if refused.reason != errors_pb2.REASON_SERVICE_UNAVAILABLE:
                raise
            return False  # what everybody may read needs no service

    async def admit(self, method: str, context: Context) -> None:
        """Refuses whoever may not call a method."""
        if not open_to_all(method):
            admit(method, await self.caller(context))


def _token(context: Context) -> str:
    """What a call shows for itself; empty when it shows nothing."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            kind, _, token = str(value).partition(" ")
            token = token.strip()
            if kind.lower() != "bearer" or not token or not all("!" <= char <= "~" for char in token):
                raise Refused(errors_pb2.REASON_TOKEN_MISSING, "metadata authorization is not `Bearer TOKEN`")
            return token
    return ""


def _refusal_for(error: Exception) -> Refused:
    if isinstance(error, Refused):
        return error
    if isinstance(error, StoreUnavailable):
        return Refused(errors_pb2.REASON_STORE_UNAVAILABLE, f"{error}; nothing was changed, try again")
    return refusal_of_fault(error)


@final
class Guard(aio.ServerInterceptor):
    """Wraps every method of ours. What is not a refusal is a fault: logged here, and only its id is told."""

    def __init__(self, door: Doorkeeper, metrics: Metrics) -> None:
        self._door = door
        self._metrics = metrics

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """See `grpc.aio.ServerInterceptor`."""
        handler = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith("/fudaba."):
            return handler
        serialisers = (reading(handler.request_deserializer), handler.response_serializer)
        name = handler_call_details.method.rpartition("/")[2]
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(self._call(handler.unary_unary, name), *serialisers)
        return grpc.unary_stream_rpc_method_handler(self._stream(handler.unary_stream, name), *serialisers)

    def _call(self, method: Any, name: str) -> Any:
        async def guarded(request: Any, context: Context) -> Any:
            self._metrics.calls.labels(name).inc()
            try:
                check_request(request)
                await self._door.admit(name, context)
                return await method(request, context)
            except aio.AbortError:
                raise
            except Exception as error:  # noqa: BLE001  # the boundary: nothing may pass it unexplained
                await self._end(context, error)

        return guarded

    def _stream(self, method: Any, name: str) -> Any:
        async def guarded(request: Any, context: Context) -> AsyncIterator[Any]:
            self._metrics.calls.labels(name).inc()
            try:
                check_request(request)
                await self._door.admit(name, context)
                async for response in method(request, context):
                    yield response
            except aio.AbortError:
                raise
            except Exception as error:  # noqa: BLE001  # the boundary: nothing may pass it unexplained
                await self._end(context, error)

        return guarded

    async def _end(self, context: Context, error: Exception) -> None:
        refused = _refusal_for(error)
        self._metrics.refusals.labels(refused.name).inc()
        await context.abort_with_status(refused.status())
