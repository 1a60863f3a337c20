"""Every method of the contract except `Play`, made from its descriptors: a call comes in, and goes on to service or
arena.

`Play` has a stream in both directions, which browsers do not have: they watch a seat and submit moves. `streams.py` has
the methods that answer with a stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final, final

from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass
from grpc import aio

from fudaba_serving.grpc.policy import contract, policy_of
from fudaba_web.codecs import CODECS
from fudaba_web.errors import translated
from fudaba_web.streams import ServerStreams, WebClient, begin_call
from fudaba_web.upstreams import Upstreams, upstream_of

__all__ = ["Methods"]

MAX_REQUEST_BYTES: Final = 1_500_000
"""The size in bytes of the largest request: a piece of an upload, in JSON."""

Context = RequestContext[Any, Any]
_Endpoint = Any
"""An `Endpoint`; its two kinds have no public names."""


@final
class Methods(ConnectASGIApplication[Upstreams]):
    """An ASGI application that answers Connect, gRPC-Web and, where HTTP/2 is spoken, gRPC."""

    def __init__(self, upstreams: Upstreams, streams: ServerStreams) -> None:
        endpoints = partial(_endpoints, streams)
        super().__init__(service=upstreams, endpoints=endpoints, read_max_bytes=MAX_REQUEST_BYTES, codecs=CODECS)

    @property
    def path(self) -> str:
        """The path of the methods: each has the path that gRPC gives it."""
        return "/"


def _endpoints(streams: ServerStreams, upstreams: Upstreams) -> Mapping[str, _Endpoint]:
    methods: Iterable[MethodDescriptor] = (method for service in contract() for method in service.methods)
    return {
        f"/{method.containing_service.full_name}/{method.name}": _endpoint(method, upstreams, streams)
        for method in methods
        if not method.client_streaming
    }


def _endpoint(method: MethodDescriptor, upstreams: Upstreams, streams: ServerStreams) -> _Endpoint:
    # A link may be shared, and a browser may follow it ahead of its reader, so only methods that change nothing have
    # links.
    reads = not policy_of(method).changes and not method.server_streaming
    info: MethodInfo[Any, Any] = MethodInfo(
        name=method.name,
        service_name=method.containing_service.full_name,
        input=GetMessageClass(method.input_type),
        output=GetMessageClass(method.output_type),
        idempotency_level=IdempotencyLevel.NO_SIDE_EFFECTS if reads else IdempotencyLevel.UNKNOWN,
        stream_type=StreamType.SERVER_STREAM if method.server_streaming else StreamType.UNARY,
    )
    if method.server_streaming:
        open_stream = streams[method.full_name]
        return Endpoint.server_stream(info, lambda request, context: open_stream(request, _caller(context)))

    async def unary(request: Any, context: Context) -> Any:
        call = begin_call(method, upstreams, request, _caller(context))
        try:
            return await call
        except aio.AioRpcError as error:
            raise translated(error, upstream_of(method)) from error
        finally:
            call.cancel()

    return Endpoint.unary(info, unary)


def _caller(context: Context) -> WebClient:
    address = (context.client_address or "").rpartition(":")[0]
    return WebClient(context.request_headers, address, context.timeout_ms)
