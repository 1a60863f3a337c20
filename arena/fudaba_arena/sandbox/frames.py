"""Reads a bot's HTTP/2 frame by frame. Its calls get the token of its seat; everything else passes unchanged.

Headers are compressed with a memory of earlier ones (HPACK, RFC 7541), so that none can be added without reading all of
them: a bot's headers are decoded, and encoded again for the service. Bytes that are not HTTP/2 by RFC 9113 go no
further, since the service must read what was read here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from hpack import Decoder, Encoder, HPACKError

from fudaba_serving.grpc.origins import FORWARDER, SEAT

__all__ = ["PREFACE", "Frames", "NotHttp2"]

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
"""The bytes with which a connection begins."""
_HEAD_BYTES: Final = 9
_LENGTH_BYTES: Final = 3
_STREAM_OFFSET: Final = 5
"""The offset of the stream's number in a frame's head, after the length, the type and the flags."""
_STREAM_ID_MASK: Final = 0x7FFF_FFFF
"""The bits of the stream's number. The first bit has no meaning."""
_DATA_KIND, _HEADERS_KIND, _PUSH_PROMISE_KIND, _CONTINUATION_KIND = 0, 1, 5, 9
_END_STREAM_FLAG, _END_HEADERS_FLAG, _PADDED_FLAG, _PRIORITY_FLAG = 0x1, 0x4, 0x8, 0x20
_PRIORITY_BYTES: Final = 5
_METHOD: Final = b":path"
_OURS: Final = b"fudaba-"
"""The prefix of metadata that is valid between services, and never from a bot."""
_DEADLINE: Final = b"grpc-timeout"
"""The header with the time when a call is to be cancelled. Only a bot's own client does that, since the service refuses
what it ends.
"""
_MAX_BLOCK_BYTES: Final = 8_192
"""The size of a call's compressed headers. gRPC's servers accept no more."""
_MAX_HEADERS_BYTES: Final = 8_192
"""The size of a call's headers by HPACK's count: 32 bytes for each, and its text. A bot's calls have some 500, and with
the seat's token they fit into the frame of 16,384 that every peer must accept.
"""


class NotHttp2(Exception):
    """A bot has sent bytes that HTTP/2 does not allow."""


@final
class Frames:
    """Reads the frames that a connection of a bot sends, piece by piece."""

    def __init__(
        self, token: str, called: Callable[[int, bytes], None] = lambda _, __: None, worker_token: str = ""
    ) -> None:
        """`token` is the token of the bot's seat. `called` gets the stream and the method of each call.

        `worker_token`, if it is not empty, also goes with each call: it shows that a relay names the seat.
        """
        self._called = called
        self._added = [(SEAT.encode(), f"Bearer {token}".encode())]
        if worker_token:
            self._added.append((FORWARDER.encode(), f"Bearer {worker_token}".encode()))
        self._preface = PREFACE
        """The part of the preface that is still to come."""
        self._head = bytearray()
        self._passing = 0
        """The number of bytes still to come of a frame that passes unchanged."""
        self._wanted = 0
        """The number of bytes still to come of a frame with headers."""
        self._fragment = bytearray()
        self._block = bytearray()
        self._begun = b""
        """The head of the frame that begins the incoming headers; empty while none are coming."""
        self._is_first = self._ends = False
        """Whether the incoming frame with headers begins them, and whether it ends them."""
        self._path = b""
        """The method of the last call."""
        self._repeated: tuple[bytes | None, bytes] = (None, b"")
        """The last headers and their encoding, if the same headers get the same encoding again; otherwise None."""
        self._decoder = Decoder(_MAX_HEADERS_BYTES)
        self._encoder = Encoder()
        self.messages = 0
        """The number of frames with headers or data that have come."""

    def carried(self, piece: bytes) -> bytes:
        """Takes the next piece. Returns the bytes for the service. Raises `NotHttp2`."""
        out, place = bytearray(), self._after_preface(piece)
        out += piece[:place]
        while place < len(piece):
            if self._passing:
                step = min(self._passing, len(piece) - place)
                out += piece[place : place + step]
                self._passing -= step
            elif self._wanted:
                step = min(self._wanted, len(piece) - place)
                self._fragment += piece[place : place + step]
                self._wanted -= step
                if not self._wanted:
                    out += self._headers()
            else:
                step = min(_HEAD_BYTES - len(self._head), len(piece) - place)
                self._head += piece[place : place + step]
                if len(self._head) == _HEAD_BYTES:
                    out += self._begin()
            place += step
        return bytes(out)

    def _after_preface(self, piece: bytes) -> int:
        """Returns how many bytes of a piece belong to the preface."""
        if not self._preface:
            return 0
        count = min(len(self._preface), len(piece))
        if piece[:count] != self._preface[:count]:
            raise NotHttp2("the connection does not begin as one of HTTP/2")
        self._preface = self._preface[count:]
        return count

    def _begin(self) -> bytes:
        """Begins a frame whose head has arrived."""
        head = bytes(self._head)
        self._head.clear()
        size, kind = int.from_bytes(head[:_LENGTH_BYTES]), head[_LENGTH_BYTES]
        if (kind == _CONTINUATION_KIND) != bool(self._begun) or kind == _PUSH_PROMISE_KIND:
            raise NotHttp2(f"a frame of type {kind} where none may be")
        if kind not in {_HEADERS_KIND, _CONTINUATION_KIND}:
            self.messages += kind == _DATA_KIND and size > 0
            self._passing = size
            return head
        if len(self._block) + size > _MAX_BLOCK_BYTES:
            raise NotHttp2("the headers of a call are too long")
        self.messages += kind == _HEADERS_KIND
        self._begun = self._begun or head
        self._ends = bool(head[_LENGTH_BYTES + 1] & _END_HEADERS_FLAG)
        self._is_first = kind == _HEADERS_KIND
        self._wanted = size
        return b"" if size else self._headers()

    def _headers(self) -> bytes:
        """Ends a frame of headers and, if it is the last one, the headers."""
        self._block += self._unpadded(self._begun[_LENGTH_BYTES + 1]) if self._is_first else self._fragment
        self._fragment.clear()
        if not self._ends:
            return b""
        if not self._block:
            raise NotHttp2("a call without headers")
        block, begun = bytes(self._block), self._begun
        self._block.clear()
        self._begun = b""
        if block != self._repeated[0]:
            before = self._remembered()
            encoded = self._encoded(block)
            self._repeated = (block if self._remembered() == before else None, encoded)
        self._called(int.from_bytes(begun[_STREAM_OFFSET:]) & _STREAM_ID_MASK, self._path)
        return _framed(self._repeated[1], begun)

    def _remembered(self) -> tuple[object, ...]:
        """Returns the remembered headers of both sides, and the size of the bot's table."""
        tables = self._decoder.header_table, self._encoder.header_table
        return (*(tuple(table.dynamic_entries) for table in tables), tables[0].maxsize)

    def _encoded(self, block: bytes) -> bytes:
        """Returns the headers for the service, with the seat's token."""
        try:
            found = self._decoder.decode(block, raw=True)
        except HPACKError as error:
            raise NotHttp2("headers that cannot be read") from error
        self._path = next((bytes(header[1]) for header in found if bytes(header[0]) == _METHOD), b"")
        names = [bytes(header[0]).lower() for header in found]
        left_out = [name.startswith(_OURS) or name == _DEADLINE for name in names]
        theirs = [header for header, out in zip(found, left_out, strict=True) if not out]
        return self._encoder.encode([*theirs, *self._added], huffman=False)  # that costs the square of their length

    def _unpadded(self, flags: int) -> bytes:
        """Returns a frame's headers without padding and priority, which may be ignored."""
        fragment = bytes(self._fragment)
        padding = 0
        if flags & _PADDED_FLAG:
            padding, fragment = (fragment[0], fragment[1:]) if fragment else (1, fragment)
        if flags & _PRIORITY_FLAG:
            padding += max(0, _PRIORITY_BYTES - len(fragment))
            fragment = fragment[_PRIORITY_BYTES:]
        if padding > len(fragment):
            raise NotHttp2("a frame has less than its head says")
        return fragment[: len(fragment) - padding]


def _framed(block: bytes, begun: bytes) -> bytes:
    """Packs headers into one frame, in place of those whose head is `begun`. They are always few enough for one
    frame.
    """
    flags = _END_HEADERS_FLAG | begun[_LENGTH_BYTES + 1] & _END_STREAM_FLAG
    return len(block).to_bytes(_LENGTH_BYTES) + bytes([_HEADERS_KIND, flags]) + begun[_STREAM_OFFSET:] + block
