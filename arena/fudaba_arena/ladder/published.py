"""The ratings that are published: those at numbered points of a tournament's sequence, which follow from it alone.

The distance of two points is a power of two, and at most 1/32 of the number of the entries so far. So there are points
after each entry at first, and 32 of them while the sequence doubles.
"""

from __future__ import annotations

from math import isfinite
from typing import Final, final

import numpy as np

from fudaba_arena.ladder.ladders import Ladders, block_results, ladders_of
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.tournaments.published_ratings import PublishedPoint, RatedVersion

__all__ = ["Points", "is_numbered", "ladders_at", "newest_numbered", "published", "state_at"]

_POINTS_PER_DOUBLING: Final = 32
_DIGIT_COUNT: Final = 2


def newest_numbered(point: int) -> int:
    """Returns the last numbered point up to a point; 0 if there is none."""
    return point - point % _distance(point)


def is_numbered(point: int) -> bool:
    """Returns whether a point of a sequence is one of the numbered ones."""
    return point > 0 and point % _distance(point) == 0


def _distance(point: int) -> int:
    """Returns the distance of the numbered points from a point on."""
    return max(1, (1 << max(0, point.bit_length() - 1)) // _POINTS_PER_DOUBLING)


@final
class Points:
    """The points of a sequence as it is now, to look at many of them."""

    def __init__(self, blocks: ClosedBlocks) -> None:
        self._blocks = blocks
        self._annulled_after = blocks.annulled_after() if blocks.annulments else ()

    def lengths(self, point: int) -> tuple[int, int]:
        """Returns the number of blocks and of annulments among the entries up to a point."""
        annulments = sum(after + number <= point for number, after in enumerate(self._annulled_after, 1))
        return point - annulments, annulments

    def ends(self, point: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Returns the last block up to a point with its closing time, and the number of annulments with the time of the
        last one.
        """
        length, annulments = self.lengths(point)
        newest = self._blocks.noted(length - 1) if length else (0, 0)
        return newest, (annulments, self._blocks.annulments[annulments - 1].at_ms if annulments else 0)

    def have(self, known: PublishedPoint) -> bool:
        """Returns whether published ratings are of this sequence: a store that lost its last entries goes on with
        others, up to the same point.
        """
        return known.point <= self._blocks.point and (known.newest, known.annulled) == self.ends(known.point)


def state_at(state: ScheduledTournament, point: int) -> ScheduledTournament:
    """Returns the state under the annulments up to a point of the sequence: itself if there are no later ones. No other
    thread may put annulments in force meanwhile.
    """
    annulments = state.stored.blocks.annulments
    _, annulment_count = Points(state.stored.blocks).lengths(point)
    return state if annulment_count == len(annulments) else state.under(annulments[:annulment_count])


def ladders_at(state: ScheduledTournament, point: int) -> Ladders:
    """Returns the ladders as they were at a point of the sequence, whatever was played or annulled since.

    Any thread may call it with a value of `state_at`. What it returns is wrong if an annulment is put in force in that
    state meanwhile.
    """
    state = state_at(state, point)
    length, _ = Points(state.stored.blocks).lengths(point)
    counting = state.stored.blocks.counting()
    return ladders_of(state, block_results(state, counting[: np.searchsorted(counting, length)]))


def published(blocks: ClosedBlocks, ladders: Ladders, point: int) -> PublishedPoint:
    """Returns the form in which the ladders of a point are published."""
    tables = {
        name: tuple(
            RatedVersion(row.bot, *(round(value, _DIGIT_COUNT) for value in (row.rating, row.low, row.high)))
            for row in ladder.rows
            if isfinite(row.half)
        )
        for name, ladder in ladders.named().items()
    }
    return PublishedPoint(point, ladders.blocks, *Points(blocks).ends(point), tables)
