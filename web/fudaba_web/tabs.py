"""The streams of all tabs of a browser in one answer.

Over HTTP/1.1 a browser keeps at most six connections to a host, and a stream takes one for as long as it is open: with
six open tabs no move would get through. So the tabs of a browser ask for all their streams at once. To add a stream,
they ask anew: each frame has the request with which its stream goes on after it, so nothing is lost, and no gateway
keeps any state.

The request is JSON: `{"streams": [{"method": "fudaba.v1.PlayService.WatchSeat", "request": BASE64}]}`. The answer is a
sequence of frames: the number of bytes that follow (32 bits), the stream's number, counted from 0 (16 bits), the kind
(8 bits), the length of the request that goes on (16 bits), that request, and the content of the kind. Numbers are
big-endian.
"""

from __future__ import annotations

import asyncio
import json
import logging
from base64 import b64decode
from binascii import Error as NotBase64
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from struct import Struct
from typing import Any, Final, final

from connectrpc.code import Code
from connectrpc.errors import ConnectError
from google.protobuf.message import DecodeError, Message
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from fudaba.v1 import matches_pb2, play_pb2
from fudaba_web.errors import as_response, malformed
from fudaba_web.heartbeats import resume_from
from fudaba_web.sessions import address_of, check_page
from fudaba_web.spectators import SharedMessage
from fudaba_web.streams import WATCH_MATCH, ServerStreams, WebClient

__all__ = ["Tabs"]

log = logging.getLogger(__name__)

_MAX_STREAMS: Final = 100
_MAX_REQUEST_BYTES: Final = 100_000
_MAX_WAITING_FRAMES: Final = 100
"""The number of frames that may wait for a client; then the streams wait, too."""
_MAX_WAITING_BYTES: Final = 1_000_000
"""The bytes of such frames; one more frame may exceed them."""
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

    @property
    def about(self) -> tuple[str, str]:
        """The method and the match."""
        return self.method, str(getattr(self.request, "match_id", ""))


@final
class Tabs:
    """The path `/session/streams`."""

    def __init__(self, streams: ServerStreams) -> None:
        self._streams = streams

    async def post(self, request: Request) -> Response:
        """Opens the streams that the body names."""
        try:
            wanted_streams = await _wanted(request)
        except ConnectError as error:
            return as_response(error)
        caller = WebClient(request.headers, address_of(request))
        return StreamingResponse(
            self._frames(wanted_streams, caller),
            media_type="application/octet-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )

    async def _frames(self, wanted_streams: list[_Wanted], caller: WebClient) -> AsyncIterator[bytes]:
        frames = _Frames()
        opened: set[tuple[str, str]] = set()
        reading = []
        for number, wanted in enumerate(wanted_streams):
            read = self._refuse_second if wanted.about in opened else self._read
            opened.add(wanted.about)
            reading.append(asyncio.create_task(read(number, wanted, caller, frames)))
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

    async def _refuse_second(self, number: int, wanted: _Wanted, _: WebClient, frames: _Frames) -> None:
        """Refuses a stream that the same request names twice: a hundred streams of one long match would cost a hundred
        times as much.
        """
        method, match_id = wanted.about
        error = malformed(
            f"{method} of match {match_id[:80]!r} is asked for twice; open the second in a call of its own"
        )
        await frames.put(partial(_frame, number, _REFUSED, bytes(as_response(error).body)))
        await frames.end()

    async def _read(self, number: int, wanted: _Wanted, caller: WebClient, frames: _Frames) -> None:
        """Puts a stream into frames, and at last an empty one."""
        messages: Any = self._streams[wanted.method](wanted.request, caller)
        try:
            async for message in messages:
                resume_from(wanted.request, message.message if isinstance(message, SharedMessage) else message)
                await frames.put(partial(_message_frame, number, message, wanted.request))
            await frames.put(partial(_frame, number, _END))
        except ConnectError as error:
            await frames.put(partial(_frame, number, _REFUSED, bytes(as_response(error).body)))
        except Exception:  # the other streams go on, and its tab gets the refusal
            log.exception("unexpected error in a tab's stream of %s", wanted.method)
            failed = ConnectError(Code.INTERNAL, "the gateway has failed; its log says why")
            await frames.put(partial(_frame, number, _REFUSED, bytes(as_response(failed).body)))
        finally:
            await frames.end()
            await messages.aclose()


@final
class _Frames:
    """The frames that wait for a client. Where these are many or large, the streams wait, too."""

    def __init__(self) -> None:
        self._frames: deque[bytes] = deque()
        self._bytes = 0
        self._changed = asyncio.Condition()

    async def put(self, build: Callable[[], bytes]) -> None:
        """Puts a frame, which is built once there is room for it: frames that wait cost nothing."""
        async with self._changed:
            await self._changed.wait_for(
                lambda: len(self._frames) < _MAX_WAITING_FRAMES and self._bytes < _MAX_WAITING_BYTES
            )
            self._add(build())

    async def end(self) -> None:
        """Puts an empty frame, even if others wait: a stream has ended."""
        async with self._changed:
            self._add(b"")

    async def next(self) -> bytes:
        async with self._changed:
            await self._changed.wait_for(lambda: bool(self._frames))
            frame = self._frames.popleft()
            self._bytes -= len(frame)
            self._changed.notify_all()
            return frame

    def _add(self, frame: bytes) -> None:
        self._frames.append(frame)
        self._bytes += len(frame)
        self._changed.notify_all()


def _message_frame(number: int, message: Any, request: Message) -> bytes:
    content = message.binary() if isinstance(message, SharedMessage) else message.SerializeToString()
    return _frame(number, _MESSAGE, content, request.SerializeToString())


def _frame(number: int, kind: int, content: bytes = b"", request: bytes = b"") -> bytes:
    length = _HEAD.size - 4 + len(request) + len(content)
    return _HEAD.pack(length, number, kind, len(request)) + request + content


async def _wanted(request: Request) -> list[_Wanted]:
    """Returns the streams that are asked for. Raises `ConnectError`."""
    check_page(request)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_REQUEST_BYTES:
            raise malformed(f"the request has more than {_MAX_REQUEST_BYTES} bytes; open fewer streams at once")
    try:
        listed = [(stream["method"], stream["request"]) for stream in json.loads(body)["streams"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise malformed('the body is not as it should be; send {"streams": [{"method": …, "request": …}]}') from None
    if len(listed) > _MAX_STREAMS:
        raise malformed(f"{len(listed)} streams are asked for; at most {_MAX_STREAMS} are opened at once")
    return [_read_wanted(method, encoded) for method, encoded in listed]


def _read_wanted(method: object, encoded: object) -> _Wanted:
    kind = _REQUESTS.get(method) if isinstance(method, str) else None
    if not isinstance(method, str) or kind is None:
        raise malformed(f"{method!r} is no stream of a tab; these are: {', '.join(_REQUESTS)}")
    if not isinstance(encoded, str):
        raise malformed("a request is not a text; send its bytes in base64")
    try:
        return _Wanted(method, kind.FromString(b64decode(encoded, validate=True)))
    except (NotBase64, ValueError, DecodeError):
        raise malformed(f"the request cannot be read as {kind.DESCRIPTOR.name}; send it binary, in base64") from None
