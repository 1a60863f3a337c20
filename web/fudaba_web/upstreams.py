"""The service and the arena behind a gateway: which of them has a method, and how a client's call is passed on."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from typing import Any, Final, Literal, final

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc import aio
from grpc_health.v1 import health_pb2

from fudaba.client import Endpoint
from fudaba.v1 import accounts_pb2
from fudaba_serving.grpc.hosts import CLIENT_ADDRESS
from fudaba_serving.grpc.origins import forwarded
from fudaba_serving.grpc.policy import NOBODY, Reach, contract, policy_of
from fudaba_web.errors import malformed

__all__ = ["Upstreams", "needs_no_token", "upstream_of"]

Metadata = tuple[tuple[str, str], ...]

_ARENA: Final = "ArenaService"
_MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
"""The size in bytes of the largest answer. A record of a long match has several megabytes."""


@final
class Upstreams:
    """A channel to the service and, if there is one, one to the arena."""

    def __init__(self, service: Endpoint, arena: Endpoint | None, token: str) -> None:
        """`token` is the gateway's own; empty if it has no token."""
        self._token = token
        self._own: Metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._without_token = {
            method.full_name for declared in contract() for method in declared.methods if needs_no_token(method)
        }
        self._service = _channel(service)
        self._arena = None if arena is None else _channel(arena)

    def has(self, method: MethodDescriptor) -> bool:
        """Returns whether there is a server that answers a method."""
        return self._arena is not None or method.containing_service.name != _ARENA

    def unary(self, method: MethodDescriptor) -> Callable[..., Awaitable[Any]]:
        """Makes the call of a method with one response."""
        return self._channel(method).unary_unary(
            _path(method), _serialize, GetMessageClass(method.output_type).FromString
        )

    def stream(self, method: MethodDescriptor) -> Callable[..., AsyncIterable[Any]]:
        """Makes the call of a method with a stream of responses."""
        return self._channel(method).unary_stream(
            _path(method), _serialize, GetMessageClass(method.output_type).FromString
        )

    def metadata(
        self, method: MethodDescriptor, request: Message, headers: Mapping[str, str], address: str
    ) -> Metadata:
        """Makes the metadata of a client's call: its token and its address, for which the gateway vouches.

        If the client has a token, the gateway's own token only says who passes the call on. If not, the call carries
        the gateway's token where the contract lets anybody call. The gateway refuses no caller: the service decides who
        may call. Raises `ConnectError` for a text that cannot be a token.

        The gateway never lends its own rights: no caller gets them for a login that was not verified.
        """
        token = headers.get("authorization", "")
        if not (token.isascii() and token.isprintable()):
            raise malformed("authorization has characters that no token has; send `Bearer TOKEN`")
        if token:
            return (("authorization", token), *forwarded(self._token, address))
        linked = isinstance(request, accounts_pb2.CreateAccountRequest) and request.HasField("link")
        if self._own and address and not linked and method.full_name in self._without_token:
            return (*self._own, (CLIENT_ADDRESS, address))
        return ()

    def vouched(self, address: str) -> Metadata:
        """Makes the metadata of the gateway's own call, for a person at an address whose login it has verified."""
        return (*self._own, *(((CLIENT_ADDRESS, address),) if address else ()))

    async def is_serving(self, upstream: Literal["service", "arena"], timeout_seconds: float) -> bool:
        """Asks the service or the arena for its health. Returns whether it serves; False where there is no arena."""
        channel = self._arena if upstream == "arena" else self._service
        if channel is None:
            return False
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check", _serialize, health_pb2.HealthCheckResponse.FromString
        )
        try:
            health = await check(health_pb2.HealthCheckRequest(), metadata=self._own, timeout=timeout_seconds)
        except aio.AioRpcError:
            return False
        return bool(health.status == health_pb2.HealthCheckResponse.SERVING)

    async def close(self) -> None:
        """Ends all calls."""
        for channel in (self._service, self._arena):
            if channel is not None:
                await channel.close()

    def _channel(self, method: MethodDescriptor) -> aio.Channel:
        if method.containing_service.name != _ARENA:
            return self._service
        if self._arena is None:
            raise LookupError(f"{method.full_name} belongs to the arena, and this gateway has none")
        return self._arena


def needs_no_token(method: MethodDescriptor) -> bool:
    """Returns whether the contract lets callers without a token call a method."""
    return policy_of(method).reaches[NOBODY] is not Reach.NONE


def upstream_of(method: MethodDescriptor) -> str:
    """Returns the server that answers a method: the service or the arena."""
    return "arena" if method.containing_service.name == _ARENA else "service"


def _channel(endpoint: Endpoint) -> aio.Channel:
    options = [*endpoint.options(), ("grpc.max_receive_message_length", _MAX_ANSWER_BYTES)]
    if endpoint.secure:
        return aio.secure_channel(endpoint.address, endpoint.credentials(), options=options)
    return aio.insecure_channel(endpoint.address, options=options)


def _path(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


def _serialize(message: Message) -> bytes:
    return message.SerializeToString()
