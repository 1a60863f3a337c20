"""gRPC's server, such that a call to a method whose name is not text does not end it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, cast, final

from grpc import aio
from grpc._cython import cygrpc
from grpc.aio import _server

__all__ = ["ListenerEnded", "listener", "serve_on"]

_LONG: Final = 3600.0


class ListenerEnded(Exception):
    """The server has stopped listening, and nobody has told it to."""


def listener(
    interceptors: Sequence[aio.ServerInterceptor], options: Sequence[tuple[str, Any]], calls: int | None = None
) -> aio.Server:
    """A server for registered methods, which is what generated code makes of a service.

    Any calls more than so many at once are refused with RESOURCE_EXHAUSTED; None for no limit.
    """
    return cast("aio.Server", _Listener(interceptors, options, calls))


async def serve_on(server: aio.Server, working: asyncio.Task[None]) -> None:
    """Returns, or raises, what `working` does; raises `ListenerEnded` if the server ends first.

    A process that goes on without listening would look well to everybody but its bots.
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
    # Without a time limit a cancellation of this wait would be one of the server's own.
    while await server.wait_for_termination(_LONG):
        pass


@final
class _Listener(_server.Server):
    def __init__(
        self, interceptors: Sequence[aio.ServerInterceptor], options: Sequence[tuple[str, Any]], calls: int | None
    ) -> None:
        # As there, with a class of our own.
        self._loop = cygrpc.get_working_loop()
        self._server = _Core(self._loop, None, (), tuple(interceptors), tuple(options), calls)
        self._server.interceptors = tuple(interceptors)


@final
class _Core(cygrpc.AioServer):  # type: ignore[misc]  # compiled, without types
    """grpcio 1.84 and later ends its server for good when the name of a called method is not UTF-8.

    It does so in the loop that takes calls which are for no registered method. All methods here are registered, so that
    loop gets none of them: they are refused as unknown without a look at their names. Earlier releases have neither the
    loop nor the fault; then nothing here is ever called.
    """

    interceptors: tuple[aio.ServerInterceptor, ...] = ()
    """What stands before calls, those for no registered method included."""

    def _make_request_call_future(self, method: bytes | None) -> Any:
        if method is not None:
            return super()._make_request_call_future(method)
        # The loop takes its end, when the server is stopped, for that of a wait for a call.
        loop = asyncio.get_running_loop()
        return loop.create_task(self._refuse_unknown(loop))

    async def _refuse_unknown(self, loop: asyncio.AbstractEventLoop) -> None:
        """Answers UNIMPLEMENTED to every call that is for no registered method, unless an interceptor answers it."""
        none, answers = cygrpc._MethodResolver([], {}), set[asyncio.Task[Any]]()
        while True:
            call = await self._request_call()
            answer = cygrpc._handle_rpc("", none, self.interceptors, call, loop, False)
            task = loop.create_task(cygrpc._schedule_rpc_coro(answer, call, loop, ""))
            answers.add(task)
            task.add_done_callback(answers.discard)
