"""Heartbeats: a gateway sends them on a quiet stream, so that a client notices a dead connection.

HTTP/1.1 has no ping. Without heartbeats, a client whose connection was forgotten on the way, by a NAT for example,
waits forever: it cannot tell the dead connection from a quiet match.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Final

from google.protobuf.message import Message

from fudaba.v1 import matches_pb2, play_pb2
from fudaba_web.spectators import SharedMessage

__all__ = ["SILENCE_SECONDS", "heartbeat", "resume_from", "with_heartbeats"]

SILENCE_SECONDS: Final = 15.0
"""The time for which a stream is silent before it sends a heartbeat. The contract promises it."""
_POSITION: Final = ("match_id", "seat", "seen", "history", "season", "next_page_token")
"""The fields with the position of a stream. A client that keeps them may take them from a heartbeat, too."""
_END: Final = object()


def heartbeat(kind: type[Message], last: Message) -> Message:
    """Returns a response of a stream that repeats its position and has no news: clients of every age ignore it.

    `last` is the response before it, or the request if there was no response yet.
    """
    message = kind()
    if isinstance(message, play_pb2.WatchSeatResponse):
        last = last.update if isinstance(last, play_pb2.WatchSeatResponse) else last
        message.update.SetInParent()
        _copy_position(last, message.update)
    else:
        _copy_position(last, message)
    return message


def resume_from(request: Message, response: Message) -> None:
    """Changes the request of a stream so that it goes on after a response."""
    _copy_position(response.update if isinstance(response, play_pb2.WatchSeatResponse) else response, request)


def _copy_position(last: Message, message: Message) -> None:
    for name in _POSITION:
        if name in last.DESCRIPTOR.fields_by_name and name in message.DESCRIPTOR.fields_by_name:
            setattr(message, name, getattr(last, name))
    if isinstance(last, matches_pb2.StreamRecordsRequest) and isinstance(message, matches_pb2.StreamRecordsResponse):
        message.next_page_token = last.page_token


async def with_heartbeats(
    responses: AsyncIterator[Any], request: Message, kind: type[Message], silence_seconds: float = SILENCE_SECONDS
) -> AsyncIterator[Any]:
    """Yields the responses of a stream, with a heartbeat after each silence. Closes what it reads when it is closed."""
    last = request
    reading: asyncio.Task[Any] | None = None
    try:
        while True:
            reading = reading or asyncio.create_task(_read(responses))
            await asyncio.wait((reading,), timeout=silence_seconds)
            if not reading.done():
                yield heartbeat(kind, last)
                continue
            response, reading = reading.result(), None
            if response is _END:
                return
            last = response.message if isinstance(response, SharedMessage) else response
            yield response
    finally:
        if reading is not None and not reading.done():
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
        close = getattr(responses, "aclose", None)
        if close is not None:
            await close()


async def _read(responses: AsyncIterator[Any]) -> Any:
    """Returns the next response, or `_END`."""
    return await anext(responses, _END)
