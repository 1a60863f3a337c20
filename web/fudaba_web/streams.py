"""The methods that answer with a stream: a call goes on to service or arena, and heartbeats fill its silences."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, final

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass
from grpc import aio

from fudaba.v1 import matches_pb2
from fudaba_serving.grpc.policy import contract
from fudaba_web.errors import translated, unreachable
from fudaba_web.heartbeats import with_heartbeats
from fudaba_web.spectators import Spectators
from fudaba_web.upstreams import Upstreams, upstream_of

__all__ = ["WATCH_MATCH", "Open", "ServerStreams", "WebClient", "begin_call"]

WATCH_MATCH: Final = "fudaba.v1.MatchService.WatchMatch"


@final
@dataclass(frozen=True, slots=True)
class WebClient:
    """A client, by its request."""

    headers: Mapping[str, str]
    address: str
    """The address; empty if it is not known."""
    timeout_ms: float | None = None
    """The time that the client waits; None if there is no limit."""


Open = Callable[[Any, WebClient], AsyncIterator[Any]]
"""Opens a stream for a request. The stream raises `ConnectError`."""


@final
class ServerStreams(dict[str, Open]):
    """Collects, by full name, the openers of the methods that take one request and answer with a stream."""

    def __init__(self, upstreams: Upstreams) -> None:
        super().__init__(
            {
                method.full_name: _shared(method, upstreams)
                if method.full_name == WATCH_MATCH
                else partial(_passed_on, method, upstreams)
                for service in contract()
                for method in service.methods
                if method.server_streaming and not method.client_streaming
            }
        )


def begin_call(method: MethodDescriptor, upstreams: Upstreams, request: Any, caller: WebClient) -> Any:
    """Begins the call that a client asked for. Raises `ConnectError` if there is no server to call."""
    if not upstreams.has(method):
        raise unreachable(upstream_of(method))
    left_ms = caller.timeout_ms
    timeout = None if left_ms is None else max(left_ms, 1.0) / 1000
    begin = upstreams.stream(method) if method.server_streaming else upstreams.unary(method)
    return begin(request, timeout=timeout, metadata=_metadata(method, upstreams, request, caller))


async def _passed_on(
    method: MethodDescriptor, upstreams: Upstreams, request: Any, caller: WebClient
) -> AsyncIterator[Any]:
    call = begin_call(method, upstreams, request, caller)
    try:
        async for message in with_heartbeats(aiter(call), request, GetMessageClass(method.output_type)):
            yield message
    except aio.AioRpcError as error:
        raise translated(error, upstream_of(method)) from error
    finally:
        call.cancel()


def _shared(method: MethodDescriptor, upstreams: Upstreams) -> Open:
    """Opens a `WatchMatch`: all of a match share one stream of the service."""
    spectators = Spectators()

    async def watch(request: Any, caller: WebClient) -> AsyncIterator[Any]:
        authorization = caller.headers.get("authorization", "")
        try:
            watched = spectators.watch(request, authorization, partial(_follow, method, upstreams, caller))
            async for message in with_heartbeats(watched, request, matches_pb2.WatchMatchResponse):
                yield message
        except aio.AioRpcError as error:
            raise translated(error, "service") from error

    return watch


def _follow(method: MethodDescriptor, upstreams: Upstreams, caller: WebClient, request: Any) -> Any:
    """Returns the shared stream. It has no time limit: the first client's is not that of the others."""
    return upstreams.stream(method)(request, metadata=_metadata(method, upstreams, request, caller))


def _metadata(method: MethodDescriptor, upstreams: Upstreams, request: Any, caller: WebClient) -> Any:
    return upstreams.metadata(method, request, caller.headers, caller.address)
