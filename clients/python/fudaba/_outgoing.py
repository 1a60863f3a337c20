"""Sends the messages of a bot's process, one by one or several answers together."""

from __future__ import annotations

from collections import deque
from typing import Final

from fudaba.v1 import play_pb2

__all__ = ["take"]

_MAX_ANSWERS: Final = 500
"""The number of answers in one message. The contract allows twice as many."""
_MAX_MESSAGE_BYTES: Final = 64 * 1024
"""The size of a message with several answers."""


def take(waiting: deque[play_pb2.PlayRequest], *, batches: bool) -> play_pb2.PlayRequest:
    """Takes the next message. With `batches`, it includes the following answers as far as there is room."""
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
