"""The totals of results, counted without the arena's code, as a second opinion on its standings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from fudaba_arena.store.blocks.closed_block import ClosedBlock

__all__ = ["Row", "tally"]


class Row(NamedTuple):
    """A bot's standing in a game, without its rating."""

    points: int = 0
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    blocks: int = 0


def tally(closed: Iterable[ClosedBlock]) -> dict[tuple[str, str], Row]:
    """Returns the totals by game and bot."""
    rows: defaultdict[tuple[str, str], Row] = defaultdict(Row)
    for block in closed:
        for bot in {bot for result in block.counted for bot in result.bots}:
            row = rows[block.game, bot]
            rows[block.game, bot] = row._replace(blocks=row.blocks + 1)
        for result in block.counted:
            best = max(result.scores)
            for bot, score in zip(result.bots, result.scores, strict=True):
                row, first = rows[block.game, bot], score == best
                alone = first and result.scores.count(best) == 1
                rows[block.game, bot] = row._replace(
                    points=row.points + score,
                    matches=row.matches + 1,
                    wins=row.wins + alone,
                    draws=row.draws + (first and not alone),
                    losses=row.losses + (not first),
                )
    return dict(rows)
