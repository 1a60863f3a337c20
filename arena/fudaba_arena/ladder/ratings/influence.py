"""How far blocks move ratings, and the sums of powers of these moves that intervals need.

To first order a block moves a rating by the product of the block's score and the rating's *levers*, which are the
changes of the rating with each parameter's equation. The dispersion counts as the last parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from fudaba_arena.ladder.ratings.design import Design, Floats, Shape
from fudaba_arena.ladder.ratings.pair_sums import PairedBlocks
from fudaba_arena.ladder.ratings.results import Ints

__all__ = ["BlockScores", "Influence", "PowerSums"]

_MAX_CELLS_AT_ONCE: Final = 1 << 20
"""Cells are blocks × ratings. Their number bounds the memory."""
_PAIR_SEAT_COUNT: Final = 2
_PAIR_PARAMETER_COUNT: Final = 4


@final
@dataclass(frozen=True)
class BlockScores:
    """The scores of the blocks of a shape."""

    shape: Shape
    scores: Floats
    """(n, k + 1): the score of each block on the parameters that affect it, then on the dispersion."""


@final
@dataclass(frozen=True)
class PowerSums:
    """Sums over the blocks of powers of the moves of some ratings, by half of the season: (2, ratings)."""

    first: Floats
    second: Floats
    fourth: Floats
    """(ratings,): over both halves."""


@final
class Influence:
    """The scores of all blocks, summed where possible."""

    def __init__(self, design: Design, scores: Iterable[BlockScores]) -> None:
        self._design = design
        self._others: list[BlockScores] = []
        paired: list[BlockScores] = []
        for part in scores:
            (paired if _is_paired(design, part.shape) else self._others).append(part)
        blocks = np.concatenate([np.empty(0, np.int64), *(part.shape.blocks for part in paired)])
        self._paired = PairedBlocks(
            np.concatenate([np.empty((0, 2), np.int64), *(part.shape.touched[:, :2] for part in paired)]),
            np.concatenate([np.empty((0, 3)), *(part.scores[:, [0, 2, 4]] for part in paired)]),
        )
        halves = design.early[blocks], design.times[blocks] - design.early[blocks]
        self._sums = [[self._paired.sums(weights, power) for weights in halves] for power in (1, 2)]
        self._fourth = self._paired.sums(design.times[blocks], 4)

    def power_sums(self, levers: Floats) -> PowerSums:
        """Returns the sums for ratings with these levers, (parameters + 1, ratings)."""
        bots, seats, noise = levers[: self._design.bots], levers[self._design.bots : -1], levers[-1]
        first, second = np.zeros((2, 2, levers.shape[1]))
        fourth = np.zeros(levers.shape[1])
        if len(seats) == _PAIR_SEAT_COUNT:
            at = bots, seats[0] - seats[1], noise
            for sums, found in zip(self._sums, (first, second), strict=True):
                found += [self._paired.at(of_half, *at) for of_half in sums]
            fourth += self._paired.at(self._fourth, *at)
        for blocks, moves in self._moves_of_others(levers):
            early, times = self._design.early[blocks, None], self._design.times[blocks, None]
            for half, weights in enumerate((early, times - early)):
                first[half] += (weights * moves).sum(axis=0)
                second[half] += (weights * moves**2).sum(axis=0)
            fourth += (times * moves**4).sum(axis=0)
        return PowerSums(first, np.maximum(second, 0.0), np.maximum(fourth, 0.0))

    def _moves_of_others(self, levers: Floats) -> Iterator[tuple[Ints, Floats]]:
        """Yields some of the other blocks, and how far each moves each rating: (blocks, ratings)."""
        for part in self._others:
            blocks, ratings = len(part.scores), levers.shape[1]
            for some in np.array_split(np.arange(blocks), -(-blocks * ratings // _MAX_CELLS_AT_ONCE)):
                moves = part.scores[some, -1:] * levers[-1]
                for column, score in zip(part.shape.touched[some].T, part.scores[some].T, strict=False):
                    moves += score[:, None] * levers[column]
                yield part.shape.blocks[some], moves


def _is_paired(design: Design, shape: Shape) -> bool:
    """Returns whether blocks of a shape are each between two bots in a game of two seats. Then the parameters that
    affect a block are its bots and the seats, in this order.
    """
    return design.parameters - design.bots == _PAIR_SEAT_COUNT and shape.matrix.shape[1] == _PAIR_PARAMETER_COUNT
