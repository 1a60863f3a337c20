"""The estimating equations of the ratings, and their solution. What is modelled: see `fudaba_arena.ratings`.

Parameters are natural logits: first one for each bot, then one for each seat. A row is a pair of seats of a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from fudaba_arena.ratings.results import BlockResult

__all__ = ["SIGNS", "Design", "Floats", "Ints", "Noise", "Solution", "equations", "logistic", "solve"]

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]

SIGNS: Final = np.array([1.0, -1.0, 1.0, -1.0])
"""How the columns of a row add up to its logit."""
_NO_LUCK_DEALS: Final = 10
"""The variance of luck is shrunk as if so many deals at two even tables had shown none."""
_MOST_LUCK: Final = 16.0
_LEAST_NOISE: Final = 0.05
"""Of what the shares' whole spread would be as noise."""
_EVEN_TABLES: Final = 10
"""The noise is averaged with what it would be if the bots of so many tables had been even."""
_PASSES: Final = 4
"""Rounds of estimating ratings and luck in turn; the luck is settled to about 1 % after three."""


@final
@dataclass(frozen=True)
class Design:
    """The results as arrays, a row for each pair of seats of each table, ordered by block."""

    parameters: int
    bots: int
    """How many of the parameters are of bots; they come first."""
    prior: float
    """Weight of the virtual draw of each parameter."""
    columns: Ints
    """(rows, 4): the parameters of the first bot, the second, the first's seat, the second's seat."""
    share: Floats
    """(rows,): the first's share, 0 to 1."""
    weight: float
    """Of every row."""
    deal: Ints
    """(rows,): which deal, as this pair of seats plays it; deals count across all blocks."""
    deals: int
    starts: Ints
    """(blocks + 1,): where each block's rows begin, and the end."""
    pairs: int
    """Rows of a table."""

    @classmethod
    def of(
        cls, results: Sequence[BlockResult], index: dict[str, int], seats: int, win_margin: float, prior: float
    ) -> Design:
        """The design of results in order, for bots with these indices."""
        columns: list[tuple[int, int, int, int]] = []
        share: list[float] = []
        deal: list[int] = []
        deals: dict[tuple[int, int, int, int], int] = {}
        starts = [0]
        for result in results:
            for table in result.tables:
                for a, b in combinations(range(seats), 2):
                    columns.append((index[table.bots[a]], index[table.bots[b]], len(index) + a, len(index) + b))
                    margin = (table.scores[a] - table.scores[b]) / win_margin
                    share.append((1 + min(1.0, max(-1.0, margin))) / 2)
                    deal.append(deals.setdefault((result.block, table.deal, a, b), len(deals)))
            starts.append(len(share))
        return cls(
            parameters=len(index) + seats,
            bots=len(index),
            prior=prior,
            columns=np.array(columns, dtype=np.int64).reshape(-1, 4),
            share=np.array(share, dtype=np.float64),
            # A table's scores add up to zero, so its pairs of seats tell less than as many tables of two: for two bots
            # of a table of n as much as n / 2 of these rows, for two seats as much as one.
            weight=2 / seats if seats else 1.0,
            deal=np.array(deal, dtype=np.int64),
            deals=len(deals),
            starts=np.array(starts, dtype=np.int64),
            pairs=seats * (seats - 1) // 2,
        )


@final
@dataclass(frozen=True)
class Equations:
    """The estimating equations at some parameters."""

    residual: Floats
    """(rows,): share less its expectation."""
    variance: Floats
    """(rows,): expectation × (1 - expectation), also the slope of the expectation."""
    coupling: Floats
    """(deals,): luck / (1 + luck × summed variance): how much a deal's residuals are taken off each other."""
    adjusted: Floats
    """(rows,): weighted residual, the luck of the deal taken off."""
    prior_score: Floats
    """(parameters,): what the virtual draws ask for."""
    score: Floats
    """(parameters,): zero at the solution."""


def logistic(x: Floats) -> Floats:
    """1 / (1 + e^-x) without overflow."""
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1.0, small) / (1 + small), dtype=np.float64)


def equations(design: Design, parameters: Floats, luck: float) -> Equations:
    """The equations for a variance of luck, in squared logits relative to the noise."""
    expectation = logistic(parameters[design.columns] @ SIGNS)
    variance = expectation * (1 - expectation)
    residual = design.share - expectation
    coupling = luck / (1 + luck * _sums(design.deal, variance, design.deals))
    predicted = coupling * _sums(design.deal, residual, design.deals)
    adjusted = design.weight * (residual - variance * predicted[design.deal])
    prior_score = design.prior * (0.5 - logistic(parameters))
    score = prior_score + _sums(design.columns, np.outer(adjusted, SIGNS), design.parameters)
    return Equations(residual, variance, coupling, adjusted, prior_score, score)


def information(design: Design, parameters: Floats, at: Equations) -> Floats:
    """(parameters, parameters): the negative expected slope of the score; positive definite."""
    size = design.parameters
    cells = design.columns[:, :, None] * size + design.columns[:, None, :]
    values = (design.weight * at.variance)[:, None, None] * np.outer(SIGNS, SIGNS)
    matrix = _sums(cells, values, size * size).reshape(size, size)
    if at.coupling.any():
        cells = design.deal[:, None] * size + design.columns
        by_deal = _sums(cells, np.outer(at.variance, SIGNS), design.deals * size).reshape(design.deals, size)
        matrix -= design.weight * (by_deal.T * at.coupling) @ by_deal
    drawn = logistic(parameters)
    matrix[np.diag_indices(size)] += design.prior * drawn * (1 - drawn)
    return (matrix + matrix.T) / 2


def _sums(places: Ints, values: Floats, size: int) -> Floats:
    """(size,): the values summed by place, one after the other in their order."""
    return np.asarray(np.bincount(places.ravel(), values.ravel(), size), dtype=np.float64)


@final
@dataclass(frozen=True)
class Solution:
    """The parameters at which the equations hold."""

    parameters: Floats
    luck: float
    """The variance of the luck of the deal relative to the noise, in squared logits, as it was used."""
    luck_variance: float
    """The same in squared logits: how far the deal moves the odds."""
    at: Equations
    information: Floats
    noise: Noise


@final
@dataclass(frozen=True)
class Noise:
    """How far shares lie from their expectation."""

    dispersion: float
    """Their variance over expectation × (1 - expectation): 1 where every share is 0 or 1, 0 where none is off."""
    moves: Floats
    """(blocks,): how far it moves when a block is left out."""


def solve(design: Design) -> Solution:
    """Ratings and luck in turn, from even ratings and no luck."""
    start = _newton(design, np.zeros(design.parameters), 0.0)
    if start is None:  # the equations without luck are those of a concave function: Newton with halving finds its top
        raise ArithmeticError("the rating fit did not converge")
    parameters, luck, luck_variance = start, 0.0, 0.0
    for _ in range(_PASSES):
        new_luck, new_variance = _luck(design, equations(design, parameters, luck))
        if new_luck == luck:
            break
        found = _newton(design, parameters, new_luck)
        if found is None:  # without the comparison of tables the fit is less precise, and still right
            parameters, luck, luck_variance = start, 0.0, 0.0
            break
        parameters, luck, luck_variance = found, new_luck, new_variance
    at = equations(design, parameters, luck)
    return Solution(parameters, luck, luck_variance, at, information(design, parameters, at), _noise(design, at))


def _noise(design: Design, at: Equations) -> Noise:
    """The dispersion by the method of moments.

    Of (share - 1/2)² the expectation is dispersion × p (1 - p) + (p - 1/2)². Unlike (share - p)² it makes the
    dispersion of shares that are all 0 or 1 exactly 1, whatever p is estimated to be: nothing is to be estimated then.
    """
    blocks = len(design.starts) - 1
    spread = (design.share - 0.5) ** 2
    whole = float(spread.sum())
    if not whole:  # nothing, or draws only
        return Noise(1.0, np.zeros(blocks))
    block = np.repeat(np.arange(blocks), np.diff(design.starts))
    above = _sums(block, spread - (design.share - at.residual - 0.5) ** 2, blocks)
    below = _sums(block, at.variance, blocks)
    mean, even = whole / len(spread), _EVEN_TABLES * design.pairs
    shares, variances = above.sum() + even * mean, below.sum() + even / 4
    dispersion = max(float(shares / variances), _LEAST_NOISE * 4 * mean)
    return Noise(dispersion, (above - dispersion * below) / (variances - below))


def _luck(design: Design, at: Equations) -> tuple[float, float]:
    """The variance of luck by the method of moments: relative to the noise, and in squared logits."""
    if not design.deals:
        return 0.0, 0.0
    squares, variances = at.residual**2, at.variance**2
    together = _sums(design.deal, at.residual, design.deals) ** 2
    expected = _sums(design.deal, at.variance, design.deals) ** 2
    shrink = _NO_LUCK_DEALS * 2 / 16
    luck = max(0.0, float((together.sum() - squares.sum()) / (expected.sum() - variances.sum() + shrink)))
    noise = float((squares.sum() - luck * variances.sum()) / at.variance.sum())
    least = _LEAST_NOISE * 4 * float(((design.share - 0.5) ** 2).mean())
    return min(_MOST_LUCK, luck / min(1.0, max(least, noise))) if luck else 0.0, luck


def _newton(design: Design, parameters: Floats, luck: float) -> Floats | None:
    """Where the score is zero, by Fisher scoring with halved steps; None if that gets stuck."""
    enough = 1e-10 * (1 + design.prior)
    at = equations(design, parameters, luck)
    size = float(np.abs(at.score).max(initial=0.0))
    for _ in range(200):
        if size <= enough:
            return parameters
        step = np.linalg.solve(information(design, parameters, at), at.score)
        step *= min(1.0, 3.0 / float(np.abs(step).max()))
        for _ in range(40):
            trial = parameters + step
            trial_at = equations(design, trial, luck)
            trial_size = float(np.abs(trial_at.score).max())
            if trial_size < size:
                break
            step /= 2
        else:
            # No step makes the score smaller: rounding, when it is tiny already.
            return parameters if size <= 1e-6 * (1 + design.prior) else None
        parameters, at, size = trial, trial_at, trial_size
    return None
