"""Kinds of blocks: blocks with equal results have the same first field in their lines. See `closed_block`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, final

__all__ = ["Tally", "bots_of", "forfeited", "have_met", "without"]


def forfeited(kind: bytes) -> bool:
    """Returns whether a bot forfeited a match in blocks of a kind. No name contains brackets or quotes."""
    return kind.count(b'],"') != kind.count(b'],"",""]')


def bots_of(kind: bytes) -> frozenset[str]:
    """Returns the bots that played in blocks of a kind, even in a match that was left out."""
    return frozenset(bot for of_match in _matches(kind) for bot in of_match[1])


def have_met(kind: bytes, some: Collection[str], others: Collection[str]) -> bool:
    """Returns whether any of some bots played a match with any of others in blocks of a kind, even one that was left
    out.
    """
    return any(
        not set(some).isdisjoint(of_match[1]) and not set(others).isdisjoint(of_match[1]) for of_match in _matches(kind)
    )


def without(kind: bytes, bots: frozenset[str]) -> bytes | None:
    """Returns the kind of a block without the matches in which some bots played.

    Returns None if no match is left.
    """
    state, game, counting, _ = kind.split(b" ", 3)
    matches, first = _matches(kind), int(counting)
    left = [
        [played_match for played_match in part if not bots.intersection(played_match[1])]
        for part in (matches[:first], matches[first:])
    ]
    if not left[0]:
        return None
    went = json.dumps([*left[0], *left[1]], separators=(",", ":")).encode()
    return b"%s %s %d %s" % (state, game, len(left[0]), went)


@final
@dataclass(slots=True)
class Tally:
    """The numbers of blocks and matches of some kinds, and of each bot."""

    blocks: int = 0
    matches: int = 0
    blocks_of: Counter[str] = field(default_factory=Counter)
    matches_of: Counter[str] = field(default_factory=Counter)

    @classmethod
    def from_kinds(cls, kinds: Mapping[bytes, int]) -> Self:
        """Sums kinds, each with its number of blocks. It reads all of them, which may take a second in a thread."""
        found = cls()
        for kind, times in kinds.items():
            counting = int(kind.split(b" ", 3)[2])
            found.blocks += times
            found.matches += times * counting
            matches = Counter(bot for of_match in _matches(kind)[:counting] for bot in of_match[1])
            for bot, played in matches.items():
                found.blocks_of[bot] += times
                found.matches_of[bot] += times * played
        return found


def _matches(kind: bytes) -> list[Any]:
    found: list[Any] = json.loads(kind.split(b" ", 3)[3])
    return found
