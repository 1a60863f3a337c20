"""The service's calls, with the token attached, and refusals raised as `ServiceError`.

with Client("127.0.0.1:7710", token) as client:
    match = client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id="m-1")).match

The attributes of a client are the generated stubs, so the contract's comments are their documentation.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast, final

import grpc
import grpc.aio

from fudaba._channel import Endpoint, server_of, service_error
from fudaba.address import DEFAULT_ADDRESS
from fudaba.errors import ServiceError
from fudaba.v1 import (
    accounts_pb2_grpc,
    bots_pb2_grpc,
    catalog_pb2_grpc,
    matches_pb2_grpc,
    play_pb2_grpc,
)

if TYPE_CHECKING:
    from fudaba.v1 import arena_pb2_grpc

__all__ = ["DEFAULT_ADDRESS", "AsyncClient", "Client", "Endpoint", "ServiceError", "service_error", "translated"]

T = TypeVar("T")


@final
class _Sync(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    """Attaches the token, and turns `grpc.RpcError` into `ServiceError`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def intercept_unary_unary(
        self, continuation: Callable[..., Any], client_call_details: grpc.ClientCallDetails, request: Any
    ) -> Any:
        call = continuation(_with_token(client_call_details, self._endpoint), request)
        error = call.exception()
        if error is None:
            return call
        raise _service_error(error, self._endpoint, server_of(client_call_details.method)) from None

    def intercept_unary_stream(
        self, continuation: Callable[..., Any], client_call_details: grpc.ClientCallDetails, request: Any
    ) -> Any:
        call = continuation(_with_token(client_call_details, self._endpoint), request)
        return _Stream(call, self._endpoint, server_of(client_call_details.method))


@final
class _Stream(Iterator[Any]):
    """A response stream that raises `ServiceError`."""

    def __init__(self, call: Any, endpoint: Endpoint, server: str) -> None:
        self._call = call
        self._endpoint = endpoint
        self._server = server

    def __next__(self) -> Any:
        try:
            return next(self._call)
        except grpc.RpcError as error:
            raise _service_error(error, self._endpoint, self._server) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)


@final
class _Calls:
    """A channel for the stubs of an `AsyncClient`: its calls have the token attached.

    Calls with one response raise `ServiceError`; `translated` converts the errors of streams. gRPC's interceptors would
    need a second task and a second call object for each call, and as much CPU as the call itself.
    """

    def __init__(self, channel: grpc.aio.Channel, endpoint: Endpoint) -> None:
        self._channel = channel
        self._endpoint = endpoint
        self.stream_stream = channel.stream_stream

    def unary_unary(self, method: str, *serialisers: Any, **options: Any) -> Callable[..., Awaitable[Any]]:
        call, endpoint = self._channel.unary_unary(method, *serialisers, **options), self._endpoint
        server = server_of(method)
        token = grpc.aio.Metadata(*endpoint.metadata)  # made once: gRPC would make it of a tuple for each call

        async def answered(request: Any, *, metadata: Sequence[Any] = (), **more: Any) -> Any:
            call_metadata = grpc.aio.Metadata(*metadata, *endpoint.metadata) if metadata else token
            try:
                return await call(request, metadata=call_metadata, **more)
            except grpc.RpcError as error:
                raise _service_error(error, endpoint, server) from None

        return answered

    def unary_stream(self, *method: Any, **options: Any) -> Callable[..., AsyncIterable[Any]]:
        call, token = self._channel.unary_stream(*method, **options), self._endpoint.metadata

        def stream(request: Any, *, metadata: Sequence[Any] = (), **more: Any) -> Any:
            return call(request, metadata=(*metadata, *token), **more)

        return stream


def _service_error(error: grpc.RpcError, endpoint: Endpoint, server: str) -> ServiceError:
    return service_error(error, endpoint.address, may_want_tls=endpoint.may_want_tls, server=server)


def _with_token(details: Any, endpoint: Endpoint) -> Any:
    """Returns the details of a call, with the token in its metadata."""
    if not endpoint.token:
        return details
    return details._replace(metadata=[*(details.metadata or ()), *endpoint.metadata])


@final
class Client:
    """Blocking access to all services of one address. It is also a context manager.

    The attributes are the generated stubs: `catalog`, `accounts`, `bots`, `matches`, `play`; at an arena's address,
    `arena`.
    """

    def __init__(
        self, address: str = DEFAULT_ADDRESS, token: str = "", *, tls: bool = False, ca_cert: str = ""
    ) -> None:
        self.endpoint = Endpoint(address, token, tls=tls, ca_cert=ca_cert)
        self._channel = self.endpoint.channel()
        self._calls = channel = grpc.intercept_channel(self._channel, _Sync(self.endpoint))
        self.catalog = catalog_pb2_grpc.CatalogServiceStub(channel)
        self.accounts = accounts_pb2_grpc.AccountServiceStub(channel)
        self.bots = bots_pb2_grpc.BotServiceStub(channel)
        self.matches = matches_pb2_grpc.MatchServiceStub(channel)
        self.play = play_pb2_grpc.PlayServiceStub(channel)

    @cached_property
    def arena(self) -> arena_pb2_grpc.ArenaServiceStub:
        """The stub of an arena, for the address of one; its part of the contract is loaded when this is first used."""
        from fudaba.v1 import arena_pb2_grpc  # noqa: PLC0415 - most of the contract, and bots use nothing of it

        return arena_pb2_grpc.ArenaServiceStub(self._calls)

    def close(self) -> None:
        """Closes the connection."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@final
class AsyncClient:
    """A `Client` for the running event loop. Streams raise `grpc.aio.AioRpcError`; see `translated`."""

    def __init__(
        self, address: str = DEFAULT_ADDRESS, token: str = "", *, tls: bool = False, ca_cert: str = ""
    ) -> None:
        self.endpoint = Endpoint(address, token, tls=tls, ca_cert=ca_cert)
        self._channel = self.endpoint.aio_channel()
        self._calls = channel = cast("grpc.aio.Channel", _Calls(self._channel, self.endpoint))
        self.catalog = catalog_pb2_grpc.CatalogServiceStub(channel)
        self.accounts = accounts_pb2_grpc.AccountServiceStub(channel)
        self.bots = bots_pb2_grpc.BotServiceStub(channel)
        self.matches = matches_pb2_grpc.MatchServiceStub(channel)
        self.play = play_pb2_grpc.PlayServiceStub(channel)

    @cached_property
    def arena(self) -> arena_pb2_grpc.ArenaServiceAsyncStub:
        """The stub of an arena, for the address of one; its part of the contract is loaded when this is first used."""
        from fudaba.v1 import arena_pb2_grpc  # noqa: PLC0415 - most of the contract, and bots use nothing of it

        return arena_pb2_grpc.ArenaServiceStub(self._calls)

    async def close(self) -> None:
        """Closes the connection."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


async def translated(stream: AsyncIterable[T], address: str = "") -> AsyncIterator[T]:
    """Wraps a stream, so that it raises `ServiceError` instead of `grpc.RpcError`."""
    try:
        async for message in stream:
            yield message
    except grpc.RpcError as error:
        raise service_error(error, address) from None
