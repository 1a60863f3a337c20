"""Kinds of blocks: blocks with equal results have the same first field in their lines. See `closed_block`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self, final

from fudaba_arena.store.blocks.closed_block import MatchResult

__all__ = ["STRUCK_PLACE", "BlockKind", "Tally", "block_kinds", "bots_of", "forfeited", "have_met", "struck", "without"]

STRUCK_PLACE: Final = 5
"""The place of the struck bots in a match of a kind. No stored line has them: they follow from the annulments."""
_MIN_LEFT_BOTS: Final = 2
"""The bots of a match that must be left for it to say something."""


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
    return _changed(kind, lambda played_match: None if bots.intersection(played_match[1]) else played_match)


def struck(kind: bytes, bots: frozenset[str]) -> bytes | None:
    """Returns the kind of a block without the results of some bots: in their matches, the others still have met.

    Returns None if no match is left in which two others met.
    """

    def strike(played_match: list[Any]) -> list[Any] | None:
        out = sorted(bots.intersection(played_match[1]))
        return [*played_match, out] if len(played_match[1]) - len(out) >= _MIN_LEFT_BOTS else None

    return _changed(
        kind, lambda played_match: strike(played_match) if bots.intersection(played_match[1]) else played_match
    )


def _changed(kind: bytes, change: Callable[[list[Any]], list[Any] | None]) -> bytes | None:
    """Returns the kind with changed matches, without those that become None; None if none is left that counts."""
    state, game, counting, _ = kind.split(b" ", 3)
    matches, first = _matches(kind), int(counting)
    left = [
        [changed for played_match in part if (changed := change(played_match)) is not None]
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
            matches = Counter(bot for of_match in _matches(kind)[:counting] for bot in _rated_bots(of_match))
            for bot, played in matches.items():
                found.blocks_of[bot] += times
                found.matches_of[bot] += times * played
        return found


@final
@dataclass(frozen=True, slots=True)
class BlockKind:
    """A kind of blocks with the same results, and the number of these blocks."""

    game: str
    matches: tuple[MatchResult, ...]
    """The counting matches. Here they have no ids, blocks and times."""
    times: int


def block_kinds(kinds: Mapping[bytes, int]) -> Iterator[BlockKind]:
    """Parses `ClosedBlocks.kinds` in a canonical order, whatever the order of the blocks was."""
    for kind in sorted(kinds):
        _, game, counting, of_matches = kind.split(b" ", 3)
        matches = [
            MatchResult.from_noted(0, of_match[:STRUCK_PLACE], ["", 0])
            for of_match in json.loads(of_matches)[: int(counting)]
        ]
        yield BlockKind(game.decode(), tuple(matches), kinds[kind])


def _rated_bots(of_match: list[Any]) -> list[str]:
    """Returns the bots of a match whose results count."""
    out = of_match[STRUCK_PLACE] if len(of_match) > STRUCK_PLACE else ()
    return [bot for bot in of_match[1] if bot not in out]


def _matches(kind: bytes) -> list[Any]:
    found: list[Any] = json.loads(kind.split(b" ", 3)[3])
    return found
