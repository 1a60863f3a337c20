"""What comes over the wire: messages that cannot be read, or are too large, are refused by us and with a reason.

gRPC would end such a call itself, before the method, and without an ErrorInfo.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from google.protobuf.message import DecodeError, Message

from fudaba.refusals import Refused
from fudaba.v1 import errors_pb2

__all__ = ["LARGEST_READ", "MAX_MESSAGE", "TooLarge", "check_request", "reading", "size_of"]

MAX_MESSAGE: Final = 1024 * 1024
"""The largest message that is taken, in bytes."""
LARGEST_READ: Final = 2 * MAX_MESSAGE
"""The largest message that gRPC hands to us, in bytes: what lies between is refused by us, with a reason."""

UNREADABLE: Final = object()
"""Takes the place of a message that cannot be read."""


@final
class TooLarge:
    """Takes the place of a message that is larger than `MAX_MESSAGE`."""

    __slots__ = ("message", "size")

    def __init__(self, size: int, message: Any) -> None:
        self.size = size
        """In bytes."""
        self.message = message
        """What it says, so that the refusal can name it."""

    def refusal(self) -> Refused:
        """Why it is not taken."""
        return Refused(
            errors_pb2.REASON_MESSAGE_TOO_LARGE,
            f"the message has {self.size} bytes; at most {MAX_MESSAGE} are taken, so send a smaller one",
        )


def reading(deserialise: Callable[[bytes], Any] | None, unreadable: object = UNREADABLE) -> Callable[[bytes], Any]:
    """Reads messages. What cannot be read becomes `unreadable`, and what is too large a `TooLarge`: the method is there
    to refuse it.
    """

    def read(raw: bytes) -> Any:
        try:
            message = deserialise(raw) if deserialise is not None else raw
        except DecodeError:
            message = unreadable
        return message if len(raw) <= MAX_MESSAGE else TooLarge(len(raw), message)

    return read


def check_request(request: object) -> None:
    """Refuses what was too large or could not be read."""
    if isinstance(request, TooLarge):
        raise request.refusal()
    if request is UNREADABLE:
        raise Refused.malformed(
            "the message cannot be read; it is not the one that this method takes, or a text in it is not UTF-8"
        )


def size_of(request: object) -> int:
    """How many bytes a request has; 0 where it is no message, but a stream of them."""
    if isinstance(request, TooLarge):
        return request.size
    return request.ByteSize() if isinstance(request, Message) else 0
