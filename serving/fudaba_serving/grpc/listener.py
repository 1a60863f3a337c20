"""gRPC's server, with a fix: a call to a method whose name is not text does not end it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, cast, final

import grpc
from grpc import aio
from grpc._cython import cygrpc
from grpc.aio import _server

from fudaba_serving.grpc.policy import PolicyMissing, check_policies

__all__ = ["ListenerEnded", "listener", "serve_on"]

_LONG_SECONDS: Final = 3600.0


class ListenerEnded(Exception):
    """The server has stopped listening without an order to do so."""


def listener(
    interceptors: Sequence[aio.ServerInterceptor], options: Sequence[tuple[str, Any]], calls: int | None = None
) -> aio.Server:
    """Returns a server for registered methods, as generated code makes them of a service.

    Registering a service raises `PolicyMissing` unless each of its methods has a policy; see `policy.py`.

    The server refuses calls beyond `calls` at once with RESOURCE_EXHAUSTED; None sets no limit.
    """
    return cast("aio.Server", _Listener(interceptors, options, calls))


async def serve_on(server: aio.Server, working: asyncio.Task[None]) -> None:
    """Returns or raises what `working` does. Raises `ListenerEnded` if the server ends first.

    Without this, a process that does not listen would look healthy to everybody but its bots.
    """
    listening = asyncio.ensure_future(_listens(server))
    try:
        await asyncio.wait((working, listening), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ListenerEnded("the server does not listen any more") from listening.exception()
    finally:
        listening.cancel()


async def _listens(server: aio.Server) -> None:
    # Without a time limit, a cancellation of this wait would cancel the server's own future.
    while await server.wait_for_termination(_LONG_SECONDS):
        pass


@final
class _Listener(_server.Server):
    def __init__(
        self, interceptors: Sequence[aio.ServerInterceptor], options: Sequence[tuple[str, Any]], calls: int | None
    ) -> None:
        # This does the same as the base class's constructor, but with a core of our own class.
        self._loop = cygrpc.get_working_loop()
        self._server = _Core(self._loop, None, (), tuple(interceptors), tuple(options), calls)
        self._server.interceptors = tuple(interceptors)

    def add_generic_rpc_handlers(self, generic_rpc_handlers: Sequence[Any]) -> None:
        """Registers services, as generated code does. Raises `PolicyMissing`."""
        for handler in generic_rpc_handlers:
            if not isinstance(handler, grpc.ServiceRpcHandler):
                raise PolicyMissing(f"{handler!r} does not say which service it is, so its methods have no policies")
            check_policies(handler.service_name())
        super().add_generic_rpc_handlers(generic_rpc_handlers)


@final
class _Core(cygrpc.AioServer):  # type: ignore[misc]  # compiled, without types
    """A core whose server survives calls to methods with names that are not UTF-8.

    grpcio 1.84 and later end the server for good on such a call. They do so in the loop that takes calls for methods
    that are not registered. All methods here are registered, so this class keeps such calls away from that loop: it
    refuses them as unknown without reading their names. Earlier releases have neither the loop nor the fault, and call
    nothing here.
    """

    interceptors: tuple[aio.ServerInterceptor, ...] = ()
    """The interceptors of all calls, also of those for methods that are not registered."""

    def _make_request_call_future(self, method: bytes | None) -> Any:
        if method is not None:
            return super()._make_request_call_future(method)
        # When the server stops, this task ends. gRPC's loop takes that as the end of its wait for a call.
        loop = asyncio.get_running_loop()
        return loop.create_task(self._refuse_unknown(loop))

    async def _refuse_unknown(self, loop: asyncio.AbstractEventLoop) -> None:
        """Answers UNIMPLEMENTED to every call for a method that is not registered, unless an interceptor answers it."""
        none, answers = cygrpc._MethodResolver([], {}), set[asyncio.Task[Any]]()
        while True:
            call = await self._request_call()
            answer = cygrpc._handle_rpc("", none, self.interceptors, call, loop, False)
            task = loop.create_task(cygrpc._schedule_rpc_coro(answer, call, loop, ""))
            answers.add(task)
            task.add_done_callback(answers.discard)
