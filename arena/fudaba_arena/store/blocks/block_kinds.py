"""Parses the kinds of closed blocks into the results of their matches."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import final

from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.blocks.kinds import STRUCK_PLACE

__all__ = ["BlockKind", "block_kinds"]


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
