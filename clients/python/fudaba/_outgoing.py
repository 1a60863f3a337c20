"""Sends what a bot's process has to say: message by message, or several answers in one."""

from __future__ import annotations

from collections import deque
from typing import Final

from fudaba.v1 import play_pb2

__all__ = ["take"]

_MAX_ANSWERS: Final = 500
"""The number of answers that are sent in one message; the contract allows twice as many."""
_MAX_MESSAGE_BYTES: Final = 64 * 1024
"""The size that a message of several answers may have."""


def take(waiting: deque[play_pb2.PlayRequest], *, batches: bool) -> play_pb2.PlayRequest:
    """Takes the next message. With `batches` it has the answers behind the first one, too, as far as there is room."""
    first = waiting.popleft()
    if not (batches and waiting and first.HasField("answer") and waiting[0].HasField("answer")):
        return first
    size = first.ByteSize()
    together = [first.answer]
    while waiting and waiting[0].HasField("answer") and len(together) < _MAX_ANSWERS:
        size += waiting[0].ByteSize()
        if size > _MAX_MESSAGE_BYTES:
            break
        together.append(waiting.popleft().answer)
    if len(together) == 1:
        return first
    return play_pb2.PlayRequest(answers=play_pb2.Answers(answers=together))
