"""The reading of messages: this code refuses unreadable and too large messages with a reason.

On its own, gRPC would end their calls before the method runs, and without an ErrorInfo.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from google.protobuf.message import DecodeError, Message

from fudaba.refusals import Refused
from fudaba.v1 import errors_pb2

__all__ = ["MAX_MESSAGE", "MAX_READ_BYTES", "TooLarge", "check_request", "reading", "size_of"]

MAX_MESSAGE: Final = 1024 * 1024
"""The size in bytes of the largest message that is accepted."""
MAX_READ_BYTES: Final = 2 * MAX_MESSAGE
"""The size in bytes of the largest message that gRPC hands over.

Code here refuses the messages between the two sizes, with a reason.
"""

UNREADABLE: Final = object()
"""The placeholder of a message that cannot be read."""


@final
class TooLarge:
    """The placeholder of a message that is larger than `MAX_MESSAGE`."""

    __slots__ = ("message", "size")

    def __init__(self, size: int, message: Any) -> None:
        self.size = size
        """The size in bytes."""
        self.message = message
        """The message as it was read, so that a refusal can name its match and decision."""

    def refusal(self) -> Refused:
        """Returns the refusal of the message."""
        return Refused(
            errors_pb2.REASON_MESSAGE_TOO_LARGE,
            f"the message has {self.size} bytes; at most {MAX_MESSAGE} are taken, so send a smaller one",
        )


def reading(deserialise: Callable[[bytes], Any] | None, unreadable: object = UNREADABLE) -> Callable[[bytes], Any]:
    """Returns a function that reads messages.

    It turns a message that cannot be read into `unreadable`, and a message that is too large into a `TooLarge`, so that
    the method can refuse it.
    """

    def read(raw: bytes) -> Any:
        try:
            message = deserialise(raw) if deserialise is not None else raw
        except DecodeError:
            message = unreadable
        return message if len(raw) <= MAX_MESSAGE else TooLarge(len(raw), message)

    return read


def check_request(request: object) -> None:
    """Refuses a request that was too large or could not be read."""
    if isinstance(request, TooLarge):
        raise request.refusal()
    if request is UNREADABLE:
        raise Refused.malformed(
            "the message cannot be read; it is not the one that this method takes, or a text in it is not UTF-8"
        )


def size_of(request: object) -> int:
    """Returns the size of a request in bytes; 0 for anything except a message, such as a stream of messages."""
    if isinstance(request, TooLarge):
        return request.size
    return request.ByteSize() if isinstance(request, Message) else 0
