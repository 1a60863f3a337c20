"""Clients in raw HTTP/2 that read nothing of what they are sent."""

from __future__ import annotations

import asyncio
import contextlib
import random
import struct
from collections import Counter
from typing import Any, Self, final

from tests.support.hostile.wire import (
    ACK,
    DATA,
    END_STREAM,
    GOAWAY,
    HEADERS,
    PING,
    PREFACE,
    RESET,
    SETTINGS,
    WINDOW,
    Breaker,
    frame,
    grpc_message,
)

_MAX_FRAME_BYTES = 16_384
"""The largest frame that every receiver must take, in bytes."""
_INITIAL_WINDOW_ID = 4
_NO_WINDOW = struct.pack(">HI", _INITIAL_WINDOW_ID, 0)
"""The setting that forbids every stream to send anything until it gets a window."""


@final
class Deaf:
    """A connection that opens streams and never gives any of them a window. It only answers pings.

    Its address is `host:port`, or `unix:/path`.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._next = 1
        self.ended: Counter[str] = Counter()
        """The number of streams that ended in each way."""
        self.endings: list[bytes] = []
        """The headers with which streams ended, in which gRPC's texts can be read."""
        self.given: Counter[int] = Counter()
        """The window that each stream was given after its beginning, in bytes."""
        self._sent: Counter[int] = Counter()
        self._room = 65_535
        self._at_first = 65_535
        self._more = asyncio.Event()
        self._reading = asyncio.ensure_future(self._read())

    @classmethod
    async def connect(cls, address: str, *, source: tuple[str, int] | None = None) -> Self:
        """Opens a connection, from the machine's usual address or another one."""
        host, _, port = address.rpartition(":")
        if host == "unix":
            reader, writer = await asyncio.open_unix_connection(port)
        else:
            reader, writer = await asyncio.open_connection(host, int(port), local_addr=source)
        writer.write(PREFACE + frame(SETTINGS, 0, 0, _NO_WINDOW))
        return cls(reader, writer)

    def call(self, path: str, token: str, request: Any) -> None:
        """Calls a method."""
        headers = Breaker(random.Random(0), path, token).headers()
        body = grpc_message(request.SerializeToString())
        self._writer.write(frame(HEADERS, 4, self._next, headers) + frame(DATA, END_STREAM, self._next, body))
        self._next += 2

    def open(self, path: str, token: str, length: int = 1_000_000) -> None:
        """Calls a method, and sends nothing of its request but its length."""
        headers = Breaker(random.Random(0), path, token).headers()
        begun = struct.pack(">BI", 0, length)
        self._writer.write(frame(HEADERS, 4, self._next, headers) + frame(DATA, 0, self._next, begun))
        self._next += 2

    async def begin(self, path: str, token: str, begun: bytes) -> None:
        """Calls a method, and sends as much of its request as the connection has room for."""
        headers = Breaker(random.Random(0), path, token).headers()
        self._writer.write(frame(HEADERS, 4, self._next, headers))
        self._next += 2
        await self.send(self._next - 2, begun)

    async def send(self, stream: int, body: bytes) -> None:
        """Sends more of a stream's requests, as far as it and the connection have room."""
        at = 0
        while at < len(body) and not self._reading.done():
            room = min(self._room, self._at_first + self.given[stream] - self._sent[stream])
            size = min(room, _MAX_FRAME_BYTES, len(body) - at)
            if size > 0:
                self._writer.write(frame(DATA, 0, stream, body[at : at + size]))
                self._room -= size
                self._sent[stream] += size
                at += size
            else:
                self._more.clear()
                await self._more.wait()

    def take(self, stream: int, size: int) -> None:
        """Gives a stream a window of that many bytes for its responses."""
        self._writer.write(frame(WINDOW, 0, stream, struct.pack(">I", size)))

    def listen(self) -> None:
        """Reads everything that was held back, and whatever follows."""
        room = struct.pack(">I", 2**30)
        self._writer.write(
            frame(SETTINGS, 0, 0, struct.pack(">HI", _INITIAL_WINDOW_ID, 2**30)) + frame(WINDOW, 0, 0, room)
        )

    async def drain(self) -> None:
        """Waits until everything is sent."""
        with contextlib.suppress(ConnectionError):
            await self._writer.drain()

    async def _read(self) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await self._reader.readexactly(9)
                kind, flags = head[3], head[4]
                payload = await self._reader.readexactly(int.from_bytes(head[:3], "big"))
                if kind == PING and not flags & ACK:
                    self._writer.write(frame(PING, ACK, 0, payload))
                elif kind == SETTINGS and not flags & ACK:
                    settings = dict(struct.iter_unpack(">HI", payload))
                    self._at_first = settings.get(_INITIAL_WINDOW_ID, self._at_first)
                    self._writer.write(frame(SETTINGS, ACK, 0, b""))
                elif kind == RESET or (kind == HEADERS and flags & END_STREAM):
                    self.ended["ended"] += 1
                    self.endings.append(payload)
                elif kind == GOAWAY:
                    self.ended["goaway"] += 1
                elif kind == WINDOW:
                    stream, room = int.from_bytes(head[5:], "big"), int.from_bytes(payload, "big")
                    if stream:
                        self.given[stream] += room
                    else:
                        self._room += room
                    self._more.set()
        self._more.set()

    def close(self) -> None:
        """Closes the connection, as a process that dies does."""
        self._reading.cancel()
        self._writer.transport.abort()
