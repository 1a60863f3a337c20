"""Frames of HTTP/2 and messages of gRPC, made by hand."""

from __future__ import annotations

import gzip

from google.protobuf.message import Message

DATA, HEADERS, RST_STREAM, PUSH_PROMISE, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 5, 6, 8, 9
END_STREAM, END_HEADERS, PADDED, PRIORITY = 0x1, 0x4, 0x8, 0x20


def frame(kind: int, body: bytes, flags: int = 0, stream: int = 1) -> bytes:
    """Returns one frame."""
    return len(body).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + body


def prefixed(message: Message, *, compressed: bool = False) -> bytes:
    """Returns a message as a call carries it."""
    content = message.SerializeToString()
    content = gzip.compress(content) if compressed else content
    return bytes([compressed]) + len(content).to_bytes(4) + content


def data(content: bytes, stream: int = 1, flags: int = 0, padding: int = 0) -> bytes:
    """Returns a frame of a call's data, with this many bytes of padding."""
    if padding:
        return frame(DATA, bytes([padding]) + content + bytes(padding), flags | PADDED, stream)
    return frame(DATA, content, flags, stream)
