"""HTTP/2 and gRPC by hand, and broken on purpose: frames that no library would send."""

from __future__ import annotations

import asyncio
import random
import struct
from collections.abc import Callable
from typing import Final

from tests.support.loop_turns import closed

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
LAST: Final = b"the last"
"""The payload of the last ping."""


def frame(kind: int, flags: int, stream: int, payload: bytes, length: int | None = None) -> bytes:
    """Returns a frame; `length` is what it says of its own length, if that shall be wrong."""
    said = len(payload) if length is None else length
    return (
        struct.pack(">I", said & 0xFFFFFF)[1:] + struct.pack(">BBI", kind & 255, flags, stream & 0xFFFFFFFF) + payload
    )


def literal(name: bytes, value: bytes) -> bytes:
    """Returns a header, neither compressed nor remembered."""
    return b"\x00" + _text(name) + _text(value)


def _text(text: bytes) -> bytes:
    if len(text) < 127:
        return bytes((len(text),)) + text
    rest, out = len(text) - 127, bytearray((127,))
    while rest >= 128:
        out.append(rest % 128 + 128)
        rest //= 128
    out.append(rest)
    return bytes(out) + text


def grpc_message(message: bytes, flag: int = 0, length: int | None = None) -> bytes:
    """Returns a message as gRPC frames it."""
    return struct.pack(">BI", flag & 255, len(message) if length is None else length) + message


class Breaker:
    """Makes the bytes of a connection that calls one method, each time broken in another way."""

    def __init__(self, chance: random.Random, path: str, token: str) -> None:
        self.chance = chance
        self.path = path.encode()
        self.token = token.encode()

    def headers(self, **other: bytes | None) -> bytes:
        """Returns the headers of a call; None leaves one out."""
        values: dict[str, bytes | None] = {
            ":method": b"POST",
            ":scheme": b"http",
            ":path": self.path,
            ":authority": b"localhost",
            "te": b"trailers",
            "content-type": b"application/grpc",
            "authorization": b"Bearer " + self.token if self.token else None,
        }
        values |= {name.replace("__", ":").replace("_", "-"): value for name, value in other.items()}
        return b"".join(literal(name.encode(), value) for name, value in values.items() if value is not None)

    def call(self, stream: int, message: bytes) -> bytes:
        """Returns the frames of a call, mostly with something wrong in them."""
        ways: list[Callable[[int, bytes], bytes]] = [
            self.good, self.wrong_length, self.flagged, self.no_message, self.two_messages, self.odd_headers,
            self.padded, self.reset, self.noise, self.cut, self.any_frame, self.long_headers, self.no_end,
        ]  # fmt: skip
        return self.chance.choice(ways)(stream, message)

    def open(self, stream: int, block: bytes, flags: int = END_HEADERS) -> bytes:
        return frame(HEADERS, flags, stream, block)

    def good(self, stream: int, message: bytes) -> bytes:
        return self.open(stream, self.headers()) + frame(DATA, END_STREAM, stream, grpc_message(message))

    def wrong_length(self, stream: int, message: bytes) -> bytes:
        length = self.chance.choice([0, 1, len(message) + 1, max(0, len(message) - 1), 2**20 + 1, 2**31, 2**32 - 1])
        body = grpc_message(message, length=length)
        return self.open(stream, self.headers()) + frame(DATA, END_STREAM, stream, body)

    def flagged(self, stream: int, message: bytes) -> bytes:
        body = grpc_message(message, flag=self.chance.choice([1, 2, 255]))
        encoding = self.chance.choice([None, b"gzip", b"deflate", b"identity", b"nonsense"])
        return self.open(stream, self.headers(grpc_encoding=encoding)) + frame(DATA, END_STREAM, stream, body)

    def no_message(self, stream: int, _message: bytes) -> bytes:
        if self.chance.random() < 0.5:
            return self.open(stream, self.headers(), END_HEADERS | END_STREAM)
        return self.open(stream, self.headers()) + frame(DATA, END_STREAM, stream, b"")

    def two_messages(self, stream: int, message: bytes) -> bytes:
        return self.open(stream, self.headers()) + frame(DATA, END_STREAM, stream, grpc_message(message) * 2)

    def odd_headers(self, stream: int, message: bytes) -> bytes:
        odd: list[dict[str, bytes | None]] = [
            {"__method": b"GET"}, {"__method": None}, {"__path": b""}, {"__path": None}, {"__path": b"/" * 2000},
            {"__path": self.path + b"/x"}, {"__path": b"*"}, {"__scheme": None}, {"__authority": b"\xff\xfe"},
            {"te": None}, {"content_type": b"text/html"}, {"content_type": None}, {"grpc_timeout": b"-1S"},
            {"grpc_timeout": b"99999999999999n"}, {"grpc_timeout": b"1n"}, {"authorization": b"\xff\x00\x01"},
            {"authorization": b"Bearer " + b"x" * 6000}, {"grpc_encoding": b"gzip"}, {"Upper": b"case"},
            {"grpc_trace_bin": b"!!!"}, {"x_bin": b"\x00\xff" * 20}, {"": b""}, {"content_length": b"7"},
            {"connection": b"close"}, {"grpc_status": b"0"}, {"grpc_accept_encoding": b"x" * 500},
        ]  # fmt: skip
        block = self.headers(**self.chance.choice(odd))
        return self.open(stream, block) + frame(DATA, END_STREAM, stream, grpc_message(message))

    def long_headers(self, stream: int, _message: bytes) -> bytes:
        block = self.headers(x_long=self.chance.choice([b"a", b"\x80"]) * self.chance.choice([9_000, 40_000]))
        pieces = [block[at : at + 16_000] for at in range(0, len(block), 16_000)]
        out = self.open(stream, pieces[0], 0)
        for number, piece in enumerate(pieces[1:], 2):
            out += frame(CONTINUATION, END_HEADERS if number == len(pieces) else 0, stream, piece)
        return out + frame(DATA, END_STREAM, stream, grpc_message(b""))

    def padded(self, stream: int, message: bytes) -> bytes:
        body = grpc_message(message)
        pad = self.chance.choice([0, 5, 200, 255])
        payload = bytes((pad,)) + body + b"\0" * self.chance.choice([0, pad])
        return self.open(stream, self.headers()) + frame(DATA, END_STREAM | PADDED, stream, payload)

    def reset(self, stream: int, message: bytes) -> bytes:
        code = struct.pack(">I", self.chance.choice([0, 8, 2, 0xFFFFFFFF]))
        begun = self.open(stream, self.headers()) + frame(DATA, 0, stream, grpc_message(message)[:4])
        return begun + frame(RESET, 0, stream, code)

    def noise(self, stream: int, _message: bytes) -> bytes:
        return self.open(stream, self.chance.randbytes(self.chance.choice([1, 10, 100])))

    def no_end(self, stream: int, message: bytes) -> bytes:
        return self.open(stream, self.headers()) + frame(DATA, 0, stream, grpc_message(message))

    def cut(self, stream: int, message: bytes) -> bytes:
        whole = self.good(stream, message)
        return whole[: self.chance.randrange(1, len(whole))]

    def any_frame(self, stream: int, _message: bytes) -> bytes:
        chance = self.chance
        payload = chance.randbytes(chance.choice([0, 1, 4, 5, 6, 8, 9, 12, 40]))
        length = chance.choice([None, None, None, 0, 3, 2**24 - 1])
        there = chance.choice([0, stream, stream + 1, 2**31 - 1, 2**32 - 1])
        return frame(chance.choice([*range(10), 11, 99, 255]), chance.randrange(256), there, payload, length)

    def connection(self, messages: list[bytes]) -> bytes:
        """Sends a call for each message over one connection, and a ping last."""
        out = self.chance.choice(
            [PREFACE] * 20 + [PREFACE[:10], b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01"]
        )
        settings = struct.pack(">HI", self.chance.choice([1, 2, 3, 4, 5, 6, 99]), self.chance.choice([0, 1, 65_535]))
        out += frame(SETTINGS, 0, 0, self.chance.choice([b""] * 9 + [settings, settings[:5]]))
        for number, message in enumerate(messages):
            out += self.call(2 * number + 1, message)
        return out + frame(PING, 0, 0, LAST)


async def converse(address: str, sent: bytes, seconds: float = 1.0) -> bytes:
    """Sends bytes over a connection of its own; all that comes back until the last ping is answered or it is closed."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    received = bytearray()
    try:
        writer.write(sent)
        async with asyncio.timeout(seconds):
            while data := await reader.read(65_536):
                received += data
                if LAST in received:
                    # What was called is still being answered; a little of that is worth waiting for.
                    seconds = min(seconds, 0.02)
                    break
            while data := await asyncio.wait_for(reader.read(65_536), 0.02):
                received += data
    except (TimeoutError, ConnectionError):
        pass  # it keeps silent about what it cannot read, or hangs up
    finally:
        writer.transport.abort()
        await closed()
    return bytes(received)
