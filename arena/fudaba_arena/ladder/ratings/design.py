"""The results of a game as arrays for the fit.

Parameters are natural logits: one for each bot, then one for each seat. A row is a pair of seats of a match. Blocks
with equal results appear once; `times` counts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from fudaba_arena.ladder.ratings.fixed_strengths import NOTHING_FIXED, FixedStrengths
from fudaba_arena.ladder.ratings.results import BlockArrays, Ints, Results, pair_share

__all__ = ["SIGNS", "Design", "Floats", "Shape"]

Floats = NDArray[np.floating[Any]]

SIGNS: Final = np.array([1.0, -1.0, 1.0, -1.0])
"""The signs with which the columns of a row add up to its logit."""
_MAX_CELLS_AT_ONCE: Final = 1 << 20
"""Cells are blocks × rows × parameters. Their number bounds the memory of a fit."""


@final
@dataclass(frozen=True)
class Shape:
    """Blocks with the same pattern of meetings and deals, whichever bots play. The fit works on them together."""

    blocks: Ints
    """(n,): the indices of the blocks."""
    rows: Ints
    """(n, r): the rows of each block."""
    touched: Ints
    """(n, k): the parameters that affect each block."""
    matrix: Floats
    """(r, k): how the parameters add up to the rows' logits."""
    deals: Ints
    """(n, d): the deals of each block."""
    of_deal: Floats
    """(d, r): 1 if a row belongs to a deal, otherwise 0."""


@final
@dataclass(frozen=True)
class Design:
    """The results as arrays, a row for each pair of seats of each match, ordered by block."""

    parameters: int
    bots: int
    """The number of bot parameters; they come first."""
    prior: float
    """Weight of the virtual draw of each parameter."""
    columns: Ints
    """(rows, 4): the parameters of the first bot, the second, the first's seat, the second's seat."""
    share: Floats
    """(rows,): the first seat's share, 0 to 1."""
    weight: float
    """The weight of each row."""
    deal: Ints
    """(rows,): the index of the deal as this pair of seats plays it, counted across all blocks."""
    deals: int
    starts: Ints
    """(blocks + 1,): the index of each block's first row, and the end."""
    pairs: int
    """The number of rows of a match in which all seats have met."""
    times: Floats
    """(blocks,): the number of blocks with the same results."""
    early: Floats
    """(blocks,): the number of these in the first half of the season."""
    shapes: tuple[Shape, ...]
    """Every block has exactly one of these shapes."""
    fixed: Floats
    """(parameters,): the values of the parameters that are given and not fitted; NaN for all others."""
    dispersion: float | None = None
    """The dispersion that is the unit of the ratings, if it is given and not estimated; see `model.Noise`."""
    scatter: float = 0.0
    """The sum of the squares of the shares around those of their rows, where a row has the mean of several blocks."""
    deal_scatter: float = 0.0
    """The same of the sums of the shares of a deal."""

    @classmethod
    def from_results(
        cls, results: Results, win_margin: float, prior: float, fixed: FixedStrengths | None = None
    ) -> Design:
        """Returns the design of a game's results, in which the strengths of some bots may be given."""
        bots, seats = len(results.names), results.seats
        parts = _Parts()
        for arrays in results.arrays:
            rows = [(match, *pair) for match, met in enumerate(arrays.met) for pair in met]
            match, first, other = np.array(rows, dtype=np.int64).reshape(-1, 3).T
            seat = np.broadcast_to(bots + np.stack([first, other], axis=1), (len(arrays.times), len(rows), 2))
            met = np.stack([arrays.bots[:, match, first], arrays.bots[:, match, other]], axis=2)
            share = pair_share(arrays.scores[:, match, first], arrays.scores[:, match, other], win_margin)
            parts.add(arrays, np.concatenate([met, seat], axis=2), share)
        return cls(
            parameters=bots + seats,
            bots=bots,
            prior=prior,
            columns=np.concatenate(parts.columns),
            share=np.concatenate(parts.share),
            # A match's scores add up to zero, so its pairs of seats tell less than as many matches of two: for two bots
            # of a match of n as much as n / 2 of these rows, for two seats as much as one.
            weight=2 / seats if seats else 1.0,
            deal=np.concatenate(parts.deal),
            deals=parts.deals,
            starts=np.concatenate([[0], np.cumsum(np.concatenate(parts.rows))]),
            pairs=seats * (seats - 1) // 2,
            times=np.concatenate(parts.times),
            early=np.concatenate(parts.early),
            shapes=tuple(parts.shapes),
            fixed=(fixed or NOTHING_FIXED).parameters(results.names, bots + seats, win_margin),
            dispersion=None if fixed is None else fixed.dispersion(win_margin),
        )

    @property
    def start(self) -> Floats:
        """(parameters,): the parameters with which a fit begins: the given ones, and zero for all others."""
        return np.nan_to_num(self.fixed, nan=0.0)

    @cached_property
    def fitted(self) -> NDArray[np.bool_]:
        """(parameters,): whether a parameter is fitted."""
        return np.isnan(self.fixed)

    @cached_property
    def row_times(self) -> Floats:
        """(rows,): the number of blocks with the results of the row's block."""
        return np.repeat(self.times, np.diff(self.starts))

    @cached_property
    def deal_times(self) -> Floats:
        """(deals,): the number of blocks with the results of the deal's block."""
        times = np.zeros(self.deals)
        times[self.deal] = self.row_times
        return times


class _Parts:
    """A design under construction, array by array."""

    def __init__(self) -> None:
        self.columns: list[Ints] = [np.empty((0, 4), np.int64)]
        self.share: list[Floats] = [np.empty(0)]
        self.deal: list[Ints] = [np.empty(0, np.int64)]
        self.rows: list[Ints] = [np.empty(0, np.int64)]
        self.times: list[Floats] = [np.empty(0)]
        self.early: list[Floats] = [np.empty(0)]
        self.shapes: list[Shape] = []
        self.deals = self._blocks = self._begin = 0

    def add(self, arrays: BlockArrays, columns: Ints, share: Floats) -> None:
        """Adds n blocks with r rows each: the columns (n, r, 4) and shares (n, r) of these."""
        blocks, rows, _ = columns.shape
        own: dict[tuple[int, tuple[int, int]], int] = {}
        places = [(deal, pair) for deal, met in zip(arrays.deals, arrays.met, strict=True) for pair in met]
        of_deal = np.array([own.setdefault(place, len(own)) for place in places], dtype=np.int64)
        deal = self.deals + len(own) * np.arange(blocks)[:, None] + of_deal
        numbers = self._begin + np.arange(blocks * rows).reshape(blocks, rows)
        for members in _same_pattern(arrays.bots.reshape(blocks, -1)):
            self._add_shapes(members, columns[members], numbers[members], deal[members], of_deal)
        self.columns.append(columns.reshape(-1, 4))
        self.share.append(share.ravel())
        self.deal.append(deal.ravel())
        self.rows.append(np.full(blocks, rows))
        self.times.append(arrays.times.astype(np.float64))
        self.early.append(arrays.early.astype(np.float64))
        self.deals += len(own) * blocks
        self._blocks += blocks
        self._begin += blocks * rows

    def _add_shapes(self, members: Ints, columns: Ints, rows: Ints, deal: Ints, of_deal: Ints) -> None:
        """Adds the shapes of blocks with the same arrays."""
        first: dict[int, int] = {}
        places = [first.setdefault(column, len(first)) for column in columns[0].ravel().tolist()]
        at = [places.index(place) for place in range(len(first))]
        matrix = np.zeros((len(of_deal), len(first)))
        np.add.at(matrix, (np.repeat(np.arange(len(of_deal)), 4), np.array(places)), np.tile(SIGNS, len(of_deal)))
        touched, numbers = columns.reshape(len(columns), -1)[:, at], np.arange(1 + of_deal.max())
        for part in np.array_split(np.arange(len(members)), -(-len(members) * matrix.size // _MAX_CELLS_AT_ONCE)):
            self.shapes.append(
                Shape(
                    blocks=self._blocks + members[part],
                    rows=rows[part],
                    touched=touched[part],
                    matrix=matrix,
                    deals=deal[part, :1] - of_deal[0] + numbers,
                    of_deal=(of_deal == numbers[:, None]).astype(np.float64),
                )
            )


def _same_pattern(bots: Ints) -> Iterator[Ints]:
    """Groups the blocks by the pattern of recurring bots, whichever bots they are. `bots` lists the bots of each
    block.
    """
    size = bots.shape[1]
    first = np.concatenate(
        [
            (part[:, :, None] == part[:, None, :]).argmax(axis=2)
            for part in np.array_split(bots, -(-len(bots) * size**2 // _MAX_CELLS_AT_ONCE))
        ]
    )
    order = np.lexsort(first.T[::-1])
    return iter(np.split(order, 1 + np.flatnonzero((first[order[1:]] != first[order[:-1]]).any(axis=1))))
