"""What stands before every method: refusals become statuses, faults INTERNAL with an id, tokens their owners."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, TypeVar, final

import grpc
from google.protobuf.message import DecodeError, Message
from grpc import aio

from fudaba.v1 import errors_pb2, play_pb2
from fudaba_games.game import GameError
from fudaba_service.accounts import Accounts, Owner
from fudaba_service.front.flood import Caller, Callers
from fudaba_service.metrics import Metrics
from fudaba_service.refusals import Refused, refusal_of
from fudaba_service.store import StoreUnavailable

__all__ = ["Doorkeeper", "Guard", "first_of"]

log = logging.getLogger(__name__)

Context = aio.ServicerContext[Any, Any]
T = TypeVar("T")


@final
class Doorkeeper:
    """Who is calling."""

    def __init__(self, accounts: Accounts, callers: Callers) -> None:
        self._accounts = accounts
        self._callers = callers

    async def owner(self, context: Context) -> Owner | None:
        """The owner of the call's token, or None without a token. Refuses wrong ones."""
        for key, value in context.invocation_metadata() or ():
            if key == "authorization":
                kind, _, token = str(value).partition(" ")
                if kind.lower() != "bearer" or not token.strip():
                    raise Refused(errors_pb2.REASON_TOKEN_MISSING, "metadata authorization is not `Bearer TOKEN`")
                owner = await self._accounts.owner(token.strip())
                self._callers.know(str(value), "" if owner.organiser else owner.player)
                return owner
        return None

    async def organiser(self, context: Context) -> None:
        """Refuses everybody but the organiser."""
        owner = await self.known(context)
        if not owner.organiser:
            raise Refused(errors_pb2.REASON_ORGANISER_ONLY, "this call needs the organiser's token, not a bot's")

    async def is_organiser(self, context: Context) -> bool:
        """Whether the organiser is calling."""
        owner = await self.owner(context)
        return owner is not None and owner.organiser

    async def bot(self, context: Context) -> Owner:
        """The bot version that is calling. Refuses everybody else."""
        owner = await self.known(context)
        if owner.organiser:
            raise Refused(errors_pb2.REASON_BOT_ONLY, "this call needs a bot's token, not the organiser's")
        return owner

    async def known(self, context: Context) -> Owner:
        """Whoever is calling. Refuses calls without a token."""
        owner = await self.owner(context)
        if owner is None:
            raise Refused(errors_pb2.REASON_TOKEN_MISSING, "send a token as metadata `authorization: Bearer TOKEN`")
        return owner


def _authorization(context: Context) -> str:
    """What a call shows for itself; empty when it shows nothing."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            return str(value)
    return ""


def _refused(error: Exception) -> Refused:
    """The refusal that an exception amounts to."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, GameError):
        return refusal_of(error)
    if isinstance(error, StoreUnavailable):
        return Refused(errors_pb2.REASON_STORE_UNAVAILABLE, f"{error}; nothing was changed, try again")
    fault = secrets.token_hex(4)
    log.error("fault %s", fault, exc_info=error)
    return Refused(errors_pb2.REASON_INTERNAL, f"a fault of the service, logged as {fault}")


_UNREADABLE: Final = object()
_NOT_THE_CONTRACT: Final = "the message cannot be read; it is not the one that this method takes"


def _reading(deserialise: Callable[[bytes], Any] | None, unreadable: object = _UNREADABLE) -> Callable[[bytes], Any]:
    """Reads messages; what cannot be read becomes `unreadable`, so that the method is there to refuse it."""

    def read(raw: bytes) -> Any:
        try:
            return deserialise(raw) if deserialise is not None else raw
        except DecodeError:
            return unreadable

    return read


@final
class Guard(aio.ServerInterceptor):
    """Wraps every method of ours. What is not a refusal is a fault: logged here, and only its id is told."""

    def __init__(self, metrics: Metrics, callers: Callers, door: Doorkeeper) -> None:
        self._metrics = metrics
        self._callers = callers
        self._door = door

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """See `grpc.aio.ServerInterceptor`."""
        handler = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith("/fudaba."):
            return handler
        name = handler_call_details.method
        serialisers = (_reading(handler.request_deserializer), handler.response_serializer)
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(self._call(handler.unary_unary, name), *serialisers)
        if handler.unary_stream is not None:
            return grpc.unary_stream_rpc_method_handler(self._stream(handler.unary_stream, name), *serialisers)
        return grpc.stream_stream_rpc_method_handler(
            self._call(handler.stream_stream, name),
            _reading(handler.request_deserializer, unreadable=play_pb2.PlayRequest()),
            handler.response_serializer,
        )

    def _call(self, method: Any, name: str) -> Any:
        async def guarded(request: Any, context: Context) -> Any:
            try:
                await self._identify(context)
                with self._callers.call(_authorization(context), context.peer()) as caller:
                    await self._admit(caller, request, name)
                    response = await method(request, context)
                    if caller is not None and isinstance(response, play_pb2.SubmitMoveResponse):
                        caller.answered(response)
                    return response
            except aio.AbortError:
                raise
            except Exception as error:  # noqa: BLE001  # the boundary: nothing may pass it unexplained
                await self._end(context, error)

        return guarded

    def _stream(self, method: Any, name: str) -> Any:
        async def guarded(request: Any, context: Context) -> AsyncIterator[Any]:
            try:
                await self._identify(context)
                with self._callers.call(_authorization(context), context.peer()) as caller:
                    await self._admit(caller, request, name)
                    async for response in method(request, context):
                        yield response
            except aio.AbortError:
                raise
            except Exception as error:  # noqa: BLE001  # the boundary: nothing may pass it unexplained
                await self._end(context, error)

        return guarded

    async def _identify(self, context: Context) -> None:
        """Has a token that was never seen looked up, so that its owner pays. Until then its host does."""
        authorization = _authorization(context)
        if not authorization or self._callers.knows(authorization):
            return
        with self._callers.call("", context.peer()) as host:
            if host is not None:
                await self._callers.pay(host, "", 0)
            with suppress(Refused, StoreUnavailable):  # whoever needs the token is told so
                await self._door.owner(context)

    async def _admit(self, caller: Caller | None, request: Any, name: str) -> None:
        """Refuses what cannot be read; whoever has limits pays, also for that."""
        if caller is not None:
            await self._callers.pay(caller, name, request.ByteSize() if isinstance(request, Message) else 0)
        if request is _UNREADABLE:
            raise Refused.malformed(_NOT_THE_CONTRACT)

    async def _end(self, context: Context, error: Exception) -> None:
        refused = _refused(error)
        self._metrics.refusals.labels(refused.name).inc()
        await context.abort_with_status(refused.status())


async def first_of(news: Coroutine[Any, Any, T], ended: asyncio.Future[Refused]) -> T:
    """Waits for news, or raises the refusal that ends the call (see `Host.call`)."""
    task = asyncio.ensure_future(news)
    try:
        await asyncio.wait((task, ended), return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            raise ended.result()
        return task.result()
    finally:
        task.cancel()


MAX_MESSAGE: Final = 1024 * 1024
"""The largest message that is received, in bytes."""
