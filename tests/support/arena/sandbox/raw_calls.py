"""Calls over HTTP/2 made by hand, frame by frame, so that a test says what is sent and when it is broken off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, final

from google.protobuf.message import Message
from hpack import Encoder

from fudaba_arena.sandbox.frames import PREFACE
from tests.support.arena.sandbox.http2 import DATA, END_STREAM, HEADERS, PADDED, RST_STREAM, data, frame, prefixed

_SETTINGS_KIND: Final = 4
_END_HEADERS_FLAG: Final = 0x4
_CANCEL: Final = (8).to_bytes(4)
_HEAD_BYTES: Final = 9
_PREFIX_BYTES: Final = 5


@final
class RawConnection:
    """A connection to a unix socket. It has the first window of HTTP/2 and no more: 64 KB of answers in all."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._encoder = Encoder()
        self._partial: dict[int, bytes] = {}
        """For each stream, the beginning of a message."""
        writer.write(PREFACE + frame(_SETTINGS_KIND, b"", stream=0))

    def call(self, stream: int, path: str, request: Message, *, cancel: bool = False) -> None:
        """Makes a unary request, and with `cancel` breaks the call off in the same write."""
        fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "fudaba")]
        block = self._encoder.encode([*fields, ("te", "trailers"), ("content-type", "application/grpc")])
        sent = frame(HEADERS, block, _END_HEADERS_FLAG, stream) + data(prefixed(request), stream, END_STREAM)
        self._writer.write(sent + (self._cancelled(stream) if cancel else b""))

    def cancel(self, stream: int) -> None:
        """Breaks a call off."""
        self._writer.write(self._cancelled(stream))

    @staticmethod
    def _cancelled(stream: int) -> bytes:
        return frame(RST_STREAM, _CANCEL, 0, stream)

    async def messages(self, stream: int) -> AsyncIterator[bytes]:
        """Yields what the service answers on a stream, until that ends; what comes on others is left out."""
        while True:
            head = await self._reader.readexactly(_HEAD_BYTES)
            body = await self._reader.readexactly(int.from_bytes(head[:3]))
            kind, flags, number = head[3], head[4], int.from_bytes(head[5:])
            assert not flags & PADDED
            if kind == DATA:
                for message in self._whole(number, body):
                    if number == stream:
                        yield message
            if number == stream and (kind == RST_STREAM or (flags & END_STREAM and kind in {DATA, HEADERS})):
                return

    def _whole(self, number: int, piece: bytes) -> Iterator[bytes]:
        held = self._partial.get(number, b"") + piece
        while len(held) >= _PREFIX_BYTES and len(held) >= (end := _PREFIX_BYTES + int.from_bytes(held[1:5])):
            yield held[_PREFIX_BYTES:end]
            held = held[end:]
        self._partial[number] = held

    async def close(self) -> None:
        """Closes the connection."""
        self._writer.close()
        await self._writer.wait_closed()


@asynccontextmanager
async def raw_connection(path: Path) -> AsyncIterator[RawConnection]:
    """Yields a connection to a unix socket."""
    made = RawConnection(*await asyncio.open_unix_connection(str(path)))
    try:
        yield made
    finally:
        await made.close()
