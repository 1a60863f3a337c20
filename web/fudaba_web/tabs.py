"""The streams of all tabs of a browser in one answer.

Over HTTP/1.1 a browser keeps at most six connections to a host, and a stream takes one for as long as it is open: with
six open tabs no move would get through. So the tabs of a browser ask for all their streams at once. Whenever one more
is wanted, they ask anew: each frame has the request with which its stream goes on after it, so that nothing is lost,
and no gateway remembers anything.

The request is JSON: `{"streams": [{"method": "fudaba.v1.PlayService.WatchSeat", "request": BASE64}]}`. The answer is
frames: the number of bytes that follow (32 bits), which stream it is of, counted from 0 (16 bits), its kind (8 bits),
the length of the request that goes on (16 bits), that request, and what the kind says. Numbers are big-endian.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import AsyncIterator
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final, final

from connectrpc.errors import ConnectError
from google.protobuf.message import DecodeError, Message
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from fudaba.v1 import matches_pb2, play_pb2
from fudaba_web.errors import as_response, malformed
from fudaba_web.heartbeats import resume_from
from fudaba_web.sessions import address_of, check_page
from fudaba_web.spectators import Told
from fudaba_web.streams import WATCH_MATCH, Caller, Streams

__all__ = ["Tabs"]

_MOST_STREAMS: Final = 100
_LARGEST_BYTES: Final = 100_000
_MAX_WAITING_FRAMES: Final = 100
"""Frames that wait for a client; then the streams wait, too."""
_HEAD: Final = Struct(">IHBH")
_MESSAGE, _END, _REFUSED = range(3)
"""The kinds of frames: a message, binary; the stream has ended; it was refused, as the Connect protocol writes that in
JSON."""
_REQUESTS: Final[dict[str, type[Message]]] = {
    "fudaba.v1.PlayService.WatchSeat": play_pb2.WatchSeatRequest,
    WATCH_MATCH: matches_pb2.WatchMatchRequest,
}
"""The streams that tabs keep open, with their requests."""


@final
@dataclass(frozen=True, slots=True)
class _Wanted:
    method: str
    request: Message


@final
class Tabs:
    """`/session/streams`."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams

    async def post(self, request: Request) -> Response:
        """Opens the streams that the body names."""
        try:
            wanted_streams = await _wanted(request)
        except ConnectError as error:
            return as_response(error)
        caller = Caller(request.headers, address_of(request))
        return StreamingResponse(
            self._frames(wanted_streams, caller),
            media_type="application/octet-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )

    async def _frames(self, wanted_streams: list[_Wanted], caller: Caller) -> AsyncIterator[bytes]:
        frames = _Frames()
        reading = [
            asyncio.create_task(self._read(number, wanted, caller, frames))
            for number, wanted in enumerate(wanted_streams)
        ]
        try:
            open_streams = len(reading)
            while open_streams:
                frame = await frames.next()
                if frame:
                    yield frame
                else:
                    open_streams -= 1
            await asyncio.gather(*reading)
        finally:
            for task in reading:
                task.cancel()
            await asyncio.gather(*reading, return_exceptions=True)

    async def _read(self, number: int, wanted: _Wanted, caller: Caller, frames: _Frames) -> None:
        """Puts a stream into frames, and at last an empty one."""
        messages: Any = self._streams[wanted.method](wanted.request, caller)
        try:
            async for message in messages:
                resume_from(wanted.request, message.message if isinstance(message, Told) else message)
                content = message.binary() if isinstance(message, Told) else message.SerializeToString()
                await frames.put(_frame(number, _MESSAGE, content, wanted.request.SerializeToString()))
            await frames.put(_frame(number, _END))
        except ConnectError as error:
            await frames.put(_frame(number, _REFUSED, bytes(as_response(error).body)))
        finally:
            frames.end()
            await messages.aclose()


@final
class _Frames:
    """The frames that wait for a client. Where these are many, the streams wait, too."""

    def __init__(self) -> None:
        self._frames: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = asyncio.Semaphore(_MAX_WAITING_FRAMES)

    async def put(self, frame: bytes) -> None:
        await self._room.acquire()
        self._frames.put_nowait(frame)

    def end(self) -> None:
        """Puts an empty frame: a stream has ended, whatever waits."""
        self._frames.put_nowait(b"")

    async def next(self) -> bytes:
        frame = await self._frames.get()
        if frame:
            self._room.release()
        return frame


def _frame(number: int, kind: int, content: bytes = b"", request: bytes = b"") -> bytes:
    length = _HEAD.size - 4 + len(request) + len(content)
    return _HEAD.pack(length, number, kind, len(request)) + request + content


async def _wanted(request: Request) -> list[_Wanted]:
    """The streams that are asked for. Raises `ConnectError`."""
    check_page(request)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST_BYTES:
            raise malformed(f"the request has more than {_LARGEST_BYTES} bytes; open fewer streams at once")
    try:
        listed = [(stream["method"], stream["request"]) for stream in json.loads(body)["streams"]]
    except (ValueError, KeyError, TypeError):
        raise malformed('the body is not as it should be; send {"streams": [{"method": …, "request": …}]}') from None
    if len(listed) > _MOST_STREAMS:
        raise malformed(f"{len(listed)} streams are asked for; at most {_MOST_STREAMS} are opened at once")
    return [_read_wanted(method, encoded) for method, encoded in listed]


def _read_wanted(method: object, encoded: object) -> _Wanted:
    kind = _REQUESTS.get(method) if isinstance(method, str) else None
    if not isinstance(method, str) or kind is None:
        raise malformed(f"{method!r} is no stream of a tab; these are: {', '.join(_REQUESTS)}")
    if not isinstance(encoded, str):
        raise malformed("a request is no text; send it binary, in base64")
    try:
        return _Wanted(method, kind.FromString(b64decode(encoded, validate=True)))
    except (NotBase64, ValueError, DecodeError):
        raise malformed(f"the request cannot be read as {kind.DESCRIPTOR.name}; send it binary, in base64") from None
