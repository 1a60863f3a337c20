"""Numbers as protobuf writes them, for messages that are joined from bytes."""

from __future__ import annotations

__all__ = ["varint"]


def varint(number: int) -> bytes:
    """Returns a number that is not negative, seven bits a byte, lowest first."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)
