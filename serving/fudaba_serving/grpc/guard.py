"""Guards every method: charges the caller, admits the call by the method's policy, and ends a refused call.

A refusal becomes a status, and a fault becomes INTERNAL with an id. `CallHooks` has what service and arena do
differently.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, final

import grpc
from grpc import aio
from prometheus_client import Counter

from fudaba.refusals import Refused
from fudaba_serving.grpc.aborting import abort_with_status, forget_frames
from fudaba_serving.grpc.foreign import Door as ForeignDoor
from fudaba_serving.grpc.foreign import Foreign
from fudaba_serving.grpc.incoming import request_of
from fudaba_serving.grpc.origins import Origin
from fudaba_serving.grpc.policy import Policy, policy_at
from fudaba_serving.grpc.rate_limit import Caller, Callers
from fudaba_serving.grpc.requests import check_request, reading, size_of

__all__ = ["CallHooks", "Guard", "Method"]

Context = aio.ServicerContext[Any, Any]
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

_CONTRACT: Final = "/fudaba.v1."


class Method(NamedTuple):
    """A method of the contract, as the guard knows it."""

    path: str
    """gRPC's name for the method, such as `/fudaba.v1.BotService/GetBot`."""
    policy: Policy
    """The policy that the contract declares for it."""

    @property
    def action(self) -> str:
        """Its name in the log of actions, such as `BotService.GetBot`."""
        return self.path.removeprefix(_CONTRACT).replace("/", ".")


class Door(ForeignDoor, Protocol):
    """The identification of callers."""

    async def identify(self, context: Context) -> Origin:
        """Returns the origin of a call, once its token was looked up."""
        ...

    def paying(self, context: Context, origin: Origin) -> AbstractContextManager[Caller | None]:
        """Counts a call for as long as it runs; yields the caller who pays for it."""
        ...

    async def admit(self, context: Context, policy: Policy) -> None:
        """Refuses a caller who may not call the method of a policy."""
        ...


class CallHooks:
    """The steps of a call that differ from server to server. By default they do nothing."""

    def begin(self, method: Method) -> None:
        """Called when a call arrives, before anything else."""

    def calls(self, request: Any) -> int:  # noqa: ARG002 - a hook
        """Returns the number of calls that a request counts as."""
        return 1

    async def check(self, context: Context, method: Method, request: Any, caller: Caller | None) -> None:
        """Called when a call is paid for. Refuses calls that its connection does not allow."""

    def turn(self) -> AbstractContextManager[None]:
        """Returns the context in which a call is admitted and, unless it `waits`, answered."""
        return nullcontext()

    def waits(self, method: Method) -> bool:  # noqa: ARG002 - a hook
        """Returns whether a method waits for more than its turn."""
        return False

    def streaming(self, context: Context, caller: Caller | None) -> AbstractAsyncContextManager[None]:  # noqa: ARG002 - a hook
        """Returns the context of an open stream."""
        return nullcontext()

    async def refused(self, refused: Refused, caller: Caller | None) -> None:
        """Called when a method refuses a call, before the caller gets the refusal."""

    async def note(self, context: Context, method: Method, request: Any, response: Any) -> None:
        """Called after a call of an audited method. Records what an organiser did."""

    def answered(self, response: Any, caller: Caller) -> None:
        """Called with the response for a caller who pays."""

    def read_requests(self, read: Any) -> Any:
        """Returns the function that reads the requests of a method with a stream of requests, in place of `read`."""
        return read

    def write_stream(self, write: Any) -> Any:
        """Returns the function that writes the responses of a stream, in place of `write`."""
        return write


@final
class Guard(aio.ServerInterceptor):
    """Wraps every method; methods outside the contract are only charged.

    An exception that is not a refusal is a fault: it is logged, and the caller gets its id.
    """

    def __init__(
        self,
        callers: Callers,
        door: Door,
        hooks: CallHooks,
        refusal_of: Callable[[Exception], Refused],
        refusals: Counter,
    ) -> None:
        """`refusal_of` returns the refusal for an exception; `refusals` counts refused calls by their reason."""
        self._callers = callers
        self._door = door
        self._hooks = hooks
        self._refusal_of = refusal_of
        self._refusals = refusals
        self._foreign = Foreign(callers, door, self._end)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """See `grpc.aio.ServerInterceptor`."""
        return await self._foreign.handler(continuation, handler_call_details, self._wrap)

    def _wrap(self, handler: Handler, path: str) -> Handler:
        method = Method(path, policy_at(path))
        read, write = reading(handler.request_deserializer), handler.response_serializer
        if handler.unary_unary is not None:
            return grpc.stream_unary_rpc_method_handler(self._call(handler.unary_unary, method), read, write)
        write = self._hooks.write_stream(write)
        if handler.unary_stream is not None:
            return grpc.stream_stream_rpc_method_handler(self._stream(handler.unary_stream, method), read, write)
        return grpc.stream_stream_rpc_method_handler(
            self._call(handler.stream_stream, method, streams=True),
            self._hooks.read_requests(handler.request_deserializer),
            write,
        )

    def _call(self, handler: Any, method: Method, *, streams: bool = False) -> Any:
        async def guarded(requests: Any, context: Context) -> Any:
            try:
                self._hooks.begin(method)
                with self._door.paying(context, await self._door.identify(context)) as caller:
                    request = requests if streams else await request_of(requests, caller)
                    await self._pay(caller, request, method, context)
                    response = await self._answer(handler, method, request, context, caller)
                    if method.policy.audited:
                        await self._hooks.note(context, method, request, response)
                    if caller is not None:
                        self._hooks.answered(response, caller)
                    return response
            except aio.AbortError:
                raise
            except Exception as error:  # noqa: BLE001  # the boundary: nothing may pass it unexplained
                await self._end(context, error)

        return guarded

    def _stream(self, handler: Any, method: Method) -> Any:
        async def guarded(requests: Any, context: Context) -> AsyncIterator[Any]:
            try:
                self._hooks.begin(method)
                with self._door.paying(context, await self._door.identify(context)) as caller:
                    request = await request_of(requests, caller)
                    await self._pay(caller, request, method, context)
                    with self._hooks.turn():
                        await self._door.admit(context, method.policy)
                    async with self._hooks.streaming(context, caller):
                        async for response in handler(request, context):
                            yield response
            except aio.AbortError:
                raise
            except Exception as error:  # noqa: BLE001  # the boundary: nothing may pass it unexplained
                await self._end(context, error)

        return guarded

    async def _pay(self, caller: Caller | None, request: Any, method: Method, context: Context) -> None:
        """Refuses a request that cannot be read, or that is not for the connection. A caller with limits pays even for
        that.
        """
        if caller is not None:
            calls, cost = self._hooks.calls(request), method.policy.base_cost
            await self._callers.pay(caller, method.path, size_of(request), calls, base_cost=cost)
        await self._hooks.check(context, method, request, caller)
        check_request(request)

    async def _answer(self, handler: Any, method: Method, request: Any, context: Context, caller: Caller | None) -> Any:
        try:
            with self._hooks.turn():
                await self._door.admit(context, method.policy)
                if not self._hooks.waits(method):
                    return await handler(request, context)
            return await handler(request, context)
        except Refused as refused:
            await self._hooks.refused(refused, caller)
            raise

    async def _end(self, context: Context, error: Exception) -> None:
        refused = self._refusal_of(error)
        self._refusals.labels(refused.name).inc()
        forget_frames(error)
        await abort_with_status(context, refused.status())
