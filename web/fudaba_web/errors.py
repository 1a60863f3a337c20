"""Refusals of service and arena in the form of the Connect protocol, and the gateway's own."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Final

from connectrpc.code import Code
from connectrpc.errors import ConnectError, ErrorDetail
from google.protobuf import any_pb2
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError, Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc import StatusCode, aio
from protobuf.wkt import Any as Packed
from starlette.responses import JSONResponse, Response

from fudaba.refusals import Refused
from fudaba.v1 import errors_pb2

__all__ = [
    "as_response",
    "gave_way",
    "in_words",
    "malformed",
    "no_such_method",
    "not_reading",
    "reason_of",
    "too_large",
    "too_many",
    "too_slow",
    "translated",
    "unreachable",
]

_DETAILS: Final[dict[str, type[Message]]] = {
    kind.DESCRIPTOR.full_name: kind
    for kind in (error_details_pb2.ErrorInfo, error_details_pb2.RetryInfo, error_details_pb2.BadRequest)
}
"""The types of details in refusals of the contract."""
_STATUS: Final = "grpc-status-details-bin"
_PLAY: Final = "/fudaba.v1.PlayService/Play"
_NO_PLAY: Final = (
    "Play is a stream in both directions, which a gateway does not pass on; use WatchSeat and SubmitMove, or gRPC to "
    "the service itself"
)
_AGAIN: Final = "the {} cannot be reached from the gateway just now; try again in a moment"


def translated(error: aio.AioRpcError, upstream: str) -> ConnectError:
    """Repeats a refusal with its details. `upstream` names the server that could not be reached, if there was no
    answer.
    """
    for key, value in error.trailing_metadata() or ():
        if key == _STATUS and isinstance(value, bytes):
            status = status_pb2.Status.FromString(value)
            return ConnectError(_code(error.code()), status.message, [_detail(detail) for detail in status.details])
    if error.code() is StatusCode.UNAVAILABLE:
        return unreachable(upstream)
    return ConnectError(_code(error.code()), error.details() or error.code().name)


def unreachable(upstream: str) -> ConnectError:
    """Returns the refusal when the upstream does not answer."""
    return ConnectError(Code.UNAVAILABLE, _AGAIN.format(upstream))


def too_slow(upstream: str, took: str) -> ConnectError:
    """Returns the refusal when a call that was passed on takes too long."""
    message = f"the {upstream} has taken {took}, which is too slow; nothing of it is kept here, so send it again later"
    return ConnectError(Code.DEADLINE_EXCEEDED, message)


def _refused(refusal: Refused) -> ConnectError:
    """Returns a refusal of the gateway's own."""
    [(_, packed)] = refusal.status().trailing_metadata
    details = status_pb2.Status.FromString(packed).details
    return ConnectError(_code_of_rpc(refusal.code), str(refusal), [_detail(detail) for detail in details])


def malformed(message: str) -> ConnectError:
    """Returns the refusal of a request that cannot be read."""
    return _refused(Refused.malformed(message))


def too_large(message: str) -> ConnectError:
    """Returns the refusal of a request with more bytes than the gateway reads."""
    return _refused(Refused(errors_pb2.REASON_MESSAGE_TOO_LARGE, message))


def too_many(quota: str, most: int, whose: str, retry_seconds: float) -> ConnectError:
    """Returns the refusal of a call beyond the number that the gateway takes at once."""
    return _refused(Refused.quota(quota, most, whose, "wait until one of them has ended", retry_seconds))


def gave_way(received: int, size: int) -> ConnectError:
    """Returns the refusal that ends a slow upload when others wait for its room."""
    message = (
        f"only {received} of {size} bytes of the file arrived while others waited for its room; none are kept, so "
        "send it again later"
    )
    return ConnectError(Code.DEADLINE_EXCEEDED, message)


def not_reading() -> ConnectError:
    """Returns the refusal for a spectator that has not read for a long time."""
    message = "the stream does not read; watch again from `seen`"
    return _refused(Refused(errors_pb2.REASON_NOT_READING, message))


def no_such_method(path: str) -> ConnectError:
    """Returns the refusal of a method that the contract lacks, or that a gateway does not pass on."""
    if path == _PLAY:
        return ConnectError(Code.UNIMPLEMENTED, _NO_PLAY)
    return ConnectError(Code.UNIMPLEMENTED, f"the contract has no method {path}; /contract/contract.md tells them")


def _code_of_rpc(code: int) -> Code:
    """Returns the Connect protocol's code for a google.rpc.Code."""
    name = code_pb2.Code.Name(code)
    return Code.CANCELED if name == "CANCELLED" else Code[name]


def _code(code: StatusCode) -> Code:
    return Code.CANCELED if code is StatusCode.CANCELLED else Code[code.name]


def _detail(packed: any_pb2.Any) -> ErrorDetail:
    """Returns a detail, of whatever type: it stays packed."""
    return ErrorDetail(Packed(type_url=packed.type_url, value=packed.value))


_HTTP: Final = {
    Code.INVALID_ARGUMENT: 400, Code.FAILED_PRECONDITION: 400, Code.OUT_OF_RANGE: 400, Code.UNAUTHENTICATED: 401,
    Code.PERMISSION_DENIED: 403, Code.NOT_FOUND: 404, Code.ALREADY_EXISTS: 409, Code.ABORTED: 409,
    Code.RESOURCE_EXHAUSTED: 429, Code.CANCELED: 499, Code.UNIMPLEMENTED: 501, Code.UNAVAILABLE: 503,
    Code.DEADLINE_EXCEEDED: 504,
}  # fmt: skip
"""The Connect protocol's HTTP status for each code, 500 for the others. `as_response` uses it for uploads and unknown
paths; refusals of the contract's methods get theirs from the library.
"""


def as_response(error: ConnectError) -> Response:
    """Returns the refusal of a request that called no method of the contract, in the form of the Connect protocol."""
    details: list[dict[str, Any]] = []
    for error_detail in error.details:
        detail: dict[str, Any] = {
            "type": error_detail.type_name,
            "value": b64encode(error_detail.message_bytes).decode().rstrip("="),
        }
        debug = in_words(error_detail.type_name, error_detail.message_bytes)
        details.append(detail if debug is None else detail | {"debug": debug})
    content = {"code": error.code.value, "message": error.message, "details": details}
    return JSONResponse(content, _HTTP.get(error.code, 500))


def reason_of(error: ConnectError) -> str:
    """Returns the contract's reason; empty if there is none."""
    worded_details = (in_words(detail.type_name, detail.message_bytes) or {} for detail in error.details)
    return next((str(worded["reason"]) for worded in worded_details if "reason" in worded), "")


def in_words(kind: str, raw: bytes) -> dict[str, Any] | None:
    """Returns a detail of an error as JSON; None for one of an unknown type."""
    known = _DETAILS.get(kind)
    try:
        return None if known is None else MessageToDict(known.FromString(raw))
    except DecodeError:
        return None
