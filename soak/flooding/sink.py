"""Reads all data and drops it: `python -m soak.flooding.sink`, which prints its port.

It answers each call at once, with an empty message and OK, so that a caller that waits for answers goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
import sys
from typing import Final

from tests.support.hostile.wire import (
    ACK,
    DATA,
    END_STREAM,
    HEADERS,
    PING,
    PREFACE,
    SETTINGS,
    WINDOW,
    frame,
    grpc_message,
    literal,
)

_END_HEADERS_FLAG: Final = 4
_WINDOW_BYTES: Final = 2**31 - 1
_MAX_UNREAD_BYTES: Final = 65_536
"""The number of unread bytes above which a client gets no more answers."""
_BEGIN: Final = literal(b":status", b"200") + literal(b"content-type", b"application/grpc")
_END: Final = literal(b"grpc-status", b"0")


async def _take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    room = struct.pack(">HI", 4, _WINDOW_BYTES)
    writer.write(frame(SETTINGS, 0, 0, room) + frame(WINDOW, 0, 0, struct.pack(">I", _WINDOW_BYTES - 65_535)))
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
        await reader.readexactly(len(PREFACE))
        while True:
            head = await reader.readexactly(9)
            kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
            payload = await reader.readexactly(int.from_bytes(head[:3], "big"))
            if writer.is_closing() or writer.transport.get_write_buffer_size() > _MAX_UNREAD_BYTES:
                continue
            if kind == PING and not flags & ACK:
                writer.write(frame(PING, ACK, 0, payload))
            elif kind == SETTINGS and not flags & ACK:
                writer.write(frame(SETTINGS, ACK, 0, b""))
            elif kind == HEADERS:
                writer.write(
                    frame(HEADERS, _END_HEADERS_FLAG, stream, _BEGIN)
                    + frame(DATA, 0, stream, grpc_message(b""))
                    + frame(HEADERS, _END_HEADERS_FLAG | END_STREAM, stream, _END)
                )
    writer.transport.abort()


async def _serve() -> None:
    server = await asyncio.start_server(_take, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
