"""The news of matches between replicas: it contains the entries, so that nobody has to read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Appended", "appended", "offer_news"]


def offer_news(match_id: str, players: Sequence[str]) -> list[str]:
    """Returns the message to all replicas that a match waits for these bot versions; see `Channels.everybody`."""
    return [f"offer {player} {match_id}" for player in players]


class Appended(NamedTuple):
    """New entries of a match."""

    match_id: str
    length: int
    """The length of the log before them."""
    tail: bytes
    """The log's last entry before them; empty if there was none."""
    entries: list[bytes]


def appended(message: bytes) -> list[Appended]:
    """Parses the news of append.lua: for each match its id, the length, the tail, and the entries.

    Each part is its length in four bytes, big-endian, and its bytes. The number of entries precedes them.
    """
    found: list[Appended] = []
    at, end = 0, len(message)

    def part() -> bytes:
        nonlocal at
        begin = at + 4
        at = begin + int.from_bytes(message[at:begin], "big")
        return message[begin:at]

    while at < end:
        match_id, length, tail = part().decode(), int(part()), part()
        found.append(Appended(match_id, length, tail, [part() for _ in range(int(part()))]))
    return found
