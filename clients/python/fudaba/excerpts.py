"""The beginning and the end of a long text: the cause of a failure is in either."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

__all__ = ["BETWEEN_LINES", "IN_LINE", "Excerpt", "excerpt", "short_line", "short_lines"]

BETWEEN_LINES: Final = "\n[… {:,} bytes left out …]\n"
IN_LINE: Final = " [… {:,} bytes left out …] "
"""The mark in the place of the omitted part."""


@final
class Excerpt:
    """The beginning and the end of a text that arrives in pieces. The middle is only counted."""

    def __init__(self, kept: int, between: str = BETWEEN_LINES) -> None:
        """`kept` is in bytes."""
        self._most_head = kept - kept // 2
        self._most_tail = kept // 2
        self._between = between
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0
        """The number of bytes that have come."""

    def add(self, piece: bytes) -> None:
        """Takes the next piece."""
        self.total += len(piece)
        room = self._most_head - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        if len(self._tail) > self._most_tail:
            del self._tail[: len(self._tail) - self._most_tail]

    @property
    def text(self) -> bytes:
        """The kept text."""
        left_out = self.total - len(self._head) - len(self._tail)
        between = self._between.format(left_out).encode() if left_out else b""
        return bytes(self._head) + between + bytes(self._tail)


def excerpt(text: bytes, kept: int, between: str = BETWEEN_LINES) -> bytes:
    """Returns the beginning and the end of a text, cut to this many bytes."""
    found = Excerpt(kept, between)
    found.add(text)
    return found.text


def short_line(line: str, most: int) -> str:
    """Returns a line of limited length, plus the words about the omission."""
    return line if len(line) <= most // 4 else excerpt(line.encode(), most, IN_LINE).decode(errors="replace")


def short_lines(lines: Sequence[str], first: int, last: int) -> list[str]:
    """Returns the first and the last lines, with a line about the omitted ones between them."""
    left_out = len(lines) - first - last
    if left_out <= 1:
        return list(lines)
    return [*lines[:first], f"[… {left_out:,} lines left out …]", *lines[-last:]]
