"""Reads the gRPC messages in one side of an HTTP/2 connection, as they arrive.

It reads only the requested calls, and keeps nothing of the others. It also decompresses, so that no message that the
receiver would understand escapes it.
"""

from __future__ import annotations

import zlib
from collections.abc import Container
from enum import Enum
from typing import Final, NamedTuple, final

__all__ = ["News", "Reader", "What"]

_HEAD_BYTES: Final = 9
_LENGTH_BYTES: Final = 3
_STREAM_OFFSET: Final = 5
_DATA_KIND, _HEADERS_KIND, _RST_STREAM_KIND = 0, 1, 3
_END_STREAM_FLAG, _PADDED_FLAG = 0x1, 0x8
_PREFIX_BYTES: Final = 5
"""The length of the prefix of a message: its compression flag and its length."""
_ANY_FORMAT_WINDOW_BITS: Final = 47
"""The window bits with which zlib reads both gzip and deflate."""


class What(Enum):
    """The kinds of events of a call."""

    MESSAGE = "message"
    ENDED = "ended"
    """The sender has finished."""
    CUT = "cut"
    """The sender has finished within a message."""
    RESET = "reset"


class News(NamedTuple):
    """An event of a call."""

    stream: int
    event: What
    message: bytes | None = None
    """The message; None if it cannot be read."""


@final
class Reader:
    """Reads the messages that one side sends, piece by piece."""

    def __init__(self, wanted: Container[int], largest: int, preface: int = 0) -> None:
        """`wanted` are the streams whose messages are read, each of at most `largest` bytes. `preface` bytes precede
        the first frame.
        """
        self._wanted = wanted
        self._largest = largest
        self._skipped = preface
        self._head = bytearray()
        self._kind = self._flags = self._stream = 0
        self._left = 0
        """The number of bytes of a frame that are still to come."""
        self._message_left = 0
        """The number of these that are not padding."""
        self._messages: dict[int, _Message] = {}

    def read(self, piece: bytes) -> list[News]:
        """Takes the next piece. Returns the news of the wanted calls."""
        found: list[News] = []
        place = min(self._skipped, len(piece))
        self._skipped -= place
        while place < len(piece):
            if self._left:
                part = piece[place : place + self._left]
                self._left -= len(part)
                self._content(part, found)
            else:
                part = piece[place : place + _HEAD_BYTES - len(self._head)]
                self._head += part
                if len(self._head) < _HEAD_BYTES:
                    break
                self._begin()
            place += len(part)
            if not self._left:
                self._end(found)
        return found

    @property
    def held_bytes(self) -> int:
        """The number of bytes kept of unfinished messages."""
        return sum(message.held_bytes for message in self._messages.values())

    def forget(self, stream: int) -> None:
        """Notes that a call has ended on the other side. The beginning of its next message is dropped."""
        self._messages.pop(stream, None)

    def _begin(self) -> None:
        head = self._head
        self._kind, self._flags = head[_LENGTH_BYTES], head[_LENGTH_BYTES + 1]
        self._stream = int.from_bytes(head[_STREAM_OFFSET:]) & 0x7FFF_FFFF
        self._left = int.from_bytes(head[:_LENGTH_BYTES])
        self._message_left = -1 if self._kind == _DATA_KIND and self._flags & _PADDED_FLAG else self._left
        head.clear()

    def _content(self, part: bytes, found: list[News]) -> None:
        if self._kind != _DATA_KIND or self._stream not in self._wanted:
            return
        if self._message_left < 0:  # the first byte says how much padding there is at the end
            self._message_left = max(0, self._left + len(part) - 1 - part[0])
            part = part[1:]
        part = part[: self._message_left]
        self._message_left -= len(part)
        message = self._messages.setdefault(self._stream, _Message(self._largest))
        found += [News(self._stream, What.MESSAGE, payload) for payload in message.read(part)]

    def _end(self, found: list[News]) -> None:
        """Notes the end of a frame."""
        ends = self._kind in {_DATA_KIND, _HEADERS_KIND} and self._flags & _END_STREAM_FLAG
        if not ends and self._kind != _RST_STREAM_KIND:
            return
        message = self._messages.pop(self._stream, None)
        if self._stream in self._wanted:
            end = What.CUT if message is not None and message.begun else What.ENDED
            found.append(News(self._stream, end if ends else What.RESET))


@final
class _Message:
    """The messages of one call. The last one may be incomplete."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._come = bytearray()
        self._left_out = 0

    @property
    def held_bytes(self) -> int:
        """The number of bytes kept of the unfinished message."""
        return len(self._come)

    @property
    def begun(self) -> bool:
        """Whether a message has arrived in part."""
        return bool(self._come or self._left_out)

    def read(self, part: bytes) -> list[bytes | None]:
        found: list[bytes | None] = []
        step = min(self._left_out, len(part))
        self._left_out -= step
        self._come += part[step:]
        while len(self._come) >= _PREFIX_BYTES:
            size = int.from_bytes(self._come[1:_PREFIX_BYTES])
            if size > self._largest:
                found.append(None)
                self._left_out = max(0, _PREFIX_BYTES + size - len(self._come))
                del self._come[: _PREFIX_BYTES + size]
                continue
            if len(self._come) < _PREFIX_BYTES + size:
                break
            content = bytes(self._come[_PREFIX_BYTES : _PREFIX_BYTES + size])
            found.append(_plain(content, self._largest) if self._come[0] else content)
            del self._come[: _PREFIX_BYTES + size]
        return found


def _plain(compressed: bytes, largest: int) -> bytes | None:
    """Returns a decompressed message; None if it cannot be read or is too large."""
    inflating = zlib.decompressobj(_ANY_FORMAT_WINDOW_BITS)
    try:
        content = inflating.decompress(compressed, largest)
    except zlib.error:
        return None
    return content if inflating.eof else None
