"""Every method of the contract but `Play`, made from its descriptors: a call comes in, and goes on to service or arena.

`Play` has a stream in both directions, which browsers do not have: they watch a seat and submit moves.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, final

from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass
from grpc import aio

from fudaba.v1 import matches_pb2
from fudaba_serving.grpc.policy import contract, policy_of
from fudaba_web.codecs import CODECS
from fudaba_web.errors import translated, unreachable
from fudaba_web.heartbeats import with_heartbeats
from fudaba_web.spectators import Spectators
from fudaba_web.upstreams import Upstreams

__all__ = ["Methods"]

LARGEST: Final = 1_500_000
"""Bytes of the largest request: a piece of an upload, in JSON."""
_SHARED: Final = "fudaba.v1.MatchService.WatchMatch"

Context = RequestContext[Any, Any]
_Endpoint = Any
"""An `Endpoint`; its two kinds have no public names."""


@final
class Methods(ConnectASGIApplication[Upstreams]):
    """An ASGI application that answers Connect, gRPC-Web and, where HTTP/2 is spoken, gRPC."""

    def __init__(self, upstreams: Upstreams) -> None:
        super().__init__(service=upstreams, endpoints=_endpoints, read_max_bytes=LARGEST, codecs=CODECS)

    @property
    def path(self) -> str:
        """Where the methods are: each has the path that gRPC gives it."""
        return "/"


def _endpoints(upstreams: Upstreams) -> Mapping[str, _Endpoint]:
    methods: Iterable[MethodDescriptor] = (method for service in contract() for method in service.methods)
    return {
        f"/{method.containing_service.full_name}/{method.name}": _endpoint(method, upstreams)
        for method in methods
        if not method.client_streaming
    }


def _endpoint(method: MethodDescriptor, upstreams: Upstreams) -> _Endpoint:
    # A link may be shared, and a browser may follow it ahead of its reader: it is for what changes nothing.
    reads = not policy_of(method).changes and not method.server_streaming
    info: MethodInfo[Any, Any] = MethodInfo(
        name=method.name,
        service_name=method.containing_service.full_name,
        input=GetMessageClass(method.input_type),
        output=GetMessageClass(method.output_type),
        idempotency_level=IdempotencyLevel.NO_SIDE_EFFECTS if reads else IdempotencyLevel.UNKNOWN,
        stream_type=StreamType.SERVER_STREAM if method.server_streaming else StreamType.UNARY,
    )
    if method.full_name == _SHARED:
        return Endpoint.server_stream(info, _shared(method, upstreams))
    upstream = "arena" if method.containing_service.name == "ArenaService" else "service"

    async def unary(request: Any, context: Context) -> Any:
        call = _call(method, upstreams, request, context, upstream)
        try:
            return await call
        except aio.AioRpcError as error:
            raise translated(error, upstream) from error
        finally:
            call.cancel()

    async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
        call = _call(method, upstreams, request, context, upstream)
        try:
            async for message in with_heartbeats(aiter(call), request, info.output):
                yield message
        except aio.AioRpcError as error:
            raise translated(error, upstream) from error
        finally:
            call.cancel()

    return Endpoint.server_stream(info, stream) if method.server_streaming else Endpoint.unary(info, unary)


def _shared(method: MethodDescriptor, upstreams: Upstreams) -> Callable[[Any, Context], AsyncIterator[Any]]:
    """`WatchMatch`, of which many are one to the service."""
    spectators = Spectators()

    async def watch(request: Any, context: Context) -> AsyncIterator[Any]:
        authorization = context.request_headers.get("authorization", "")
        try:
            watched = spectators.watch(request, authorization, partial(_follow, method, upstreams, context))
            async for message in with_heartbeats(watched, request, matches_pb2.WatchMatchResponse):
                yield message
        except aio.AioRpcError as error:
            raise translated(error, "service") from error

    return watch


def _follow(method: MethodDescriptor, upstreams: Upstreams, context: Context, request: Any) -> Any:
    """The one stream. The time limit of whoever came first is not that of the others."""
    return upstreams.stream(method)(request, metadata=_metadata(method, upstreams, request, context))


def _metadata(method: MethodDescriptor, upstreams: Upstreams, request: Any, context: Context) -> Any:
    address = (context.client_address or "").rpartition(":")[0]
    return upstreams.metadata(method, request, context.request_headers, address)


def _call(method: MethodDescriptor, upstreams: Upstreams, request: Any, context: Context, upstream: str) -> Any:
    """Begins the call that a client asked for. Raises `ConnectError` where there is nobody to call."""
    if not upstreams.has(method):
        raise unreachable(upstream)
    metadata = _metadata(method, upstreams, request, context)
    left_ms = context.timeout_ms
    timeout = None if left_ms is None else max(left_ms, 1.0) / 1000
    begin = upstreams.stream(method) if method.server_streaming else upstreams.unary(method)
    return begin(request, timeout=timeout, metadata=metadata)
