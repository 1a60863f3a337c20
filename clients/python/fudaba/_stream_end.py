"""The reason why a bot's stream ended, and whether connecting again can help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import grpc
import grpc.aio

from fudaba._channel import service_error
from fudaba.errors import ServiceError
from fudaba.v1 import play_pb2

if TYPE_CHECKING:  # not generic at run time
    _Call = grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse]

__all__ = ["error_of_end", "is_fatal"]

_FATAL: Final = frozenset(
    {"UNAUTHENTICATED", "PERMISSION_DENIED", "INVALID_ARGUMENT", "UNIMPLEMENTED", "NOT_FOUND", "FAILED_PRECONDITION"}
)


async def error_of_end(call: _Call, address: str, *, may_want_tls: bool) -> ServiceError:
    """Returns why a stream ended without raising."""
    code = await call.code()
    if code is grpc.StatusCode.OK:
        return ServiceError("UNAVAILABLE", f"{address} ended the stream")
    trailing = await call.trailing_metadata()
    return service_error(
        grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailing, details=await call.details()),
        address,
        may_want_tls=may_want_tls,
    )


def is_fatal(error: ServiceError) -> bool:
    """Returns whether connecting again cannot help."""
    if error.retry_after is not None:
        return False
    if error.code == "RESOURCE_EXHAUSTED" and not error.reason:  # gRPC's own: a message is too large
        return True
    return error.code in _FATAL or error.reason == "SUPERSEDED" or "--ca-cert" in error.message
