"""The estimating equations of the ratings, and their solution. `fudaba_arena.ladder.ratings` describes the model.

Parameters, rows and `times` are those of `design.py`. Sums are over all blocks, each counted `times`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from fudaba_arena.ladder.ratings.combined import combined
from fudaba_arena.ladder.ratings.design import SIGNS, Design, Floats, Shape
from fudaba_arena.ladder.ratings.results import Ints

__all__ = [
    "Equations",
    "Noise",
    "Solution",
    "block_information",
    "equations",
    "in_all",
    "information",
    "inverse_of",
    "logistic",
    "luck_of",
    "noise_of",
    "solve",
]

_NO_LUCK_DEALS: Final = 10
"""The variance of luck is shrunk as if this many deals, each in two even matches, had shown no luck."""
_MAX_LUCK: Final = 16.0
_MIN_NOISE_SHARE: Final = 0.05
"""The least noise, as a share of the noise that would explain the whole spread of the shares."""
_EVEN_MATCHES: Final = 10
"""The number of even matches that are averaged into the noise."""
_MAX_PASSES: Final = 4
"""The rounds that estimate ratings and luck in turn. Luck settles to about 1 % after three."""
_MAX_STEPS: Final = 200
_MAX_CHORD_RATIO: Final = 0.1
"""The part of the score that a step may leave for the next step to be by the same information."""
_MAX_HALVINGS: Final = 40
_ROUNDING_RATIO: Final = 1e-3
"""The share of a row's score that counts as zero: 1e-13, about a hundred times the rounding of a number near 1."""


@final
@dataclass(frozen=True)
class Equations:
    """The estimating equations at some parameters."""

    residual: Floats
    """(rows,): share less its expectation."""
    variance: Floats
    """(rows,): expectation × (1 - expectation), which is also the slope of the expectation."""
    coupling: Floats
    """(deals,): luck / (1 + luck × summed variance): how much of a deal's residuals is subtracted from each of them."""
    adjusted: Floats
    """(rows,): the weighted residual without the luck of the deal."""
    prior_score: Floats
    """(parameters,): the score of the virtual draws."""
    score: Floats
    """(parameters,): zero at the solution, and for parameters that are given and not fitted."""


def logistic(x: Floats) -> Floats:
    """1 / (1 + e^-x) without overflow."""
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1.0, small) / (1 + small), dtype=np.float64)


def equations(design: Design, parameters: Floats, luck: float) -> Equations:
    """Returns the equations for a given variance of luck, in squared logits relative to the noise."""
    expectation = logistic(parameters[design.columns] @ SIGNS)
    variance = expectation * (1 - expectation)
    residual = design.share - expectation
    coupling = luck / (1 + luck * _sums(design.deal, variance, design.deals))
    predicted = coupling * _sums(design.deal, residual, design.deals)
    adjusted = design.weight * (residual - variance * predicted[design.deal])
    prior_score = design.fitted * design.prior * (0.5 - logistic(parameters))
    score = prior_score + design.fitted * _by_parameter(design, design.row_times * adjusted)
    return Equations(residual, variance, coupling, adjusted, prior_score, score)


def block_information(design: Design, shape: Shape, at: Equations) -> Floats:
    """(n, k, k): each block's part of the information, counted once, on the parameters that affect it."""
    size, variance = shape.matrix.shape[1], at.variance[shape.rows]
    by_row = (shape.matrix[:, :, None] * shape.matrix[:, None, :]).reshape(-1, size * size)
    own = _products(variance, by_row).reshape(-1, size, size)
    if at.coupling.any():
        for rows, deal in zip(shape.of_deal, shape.deals.T, strict=True):
            by_deal = _products(variance, rows[:, None] * shape.matrix)
            own -= (at.coupling[deal, None] * by_deal)[:, :, None] * by_deal[:, None, :]
    return np.asarray(design.weight * own)


def information(design: Design, parameters: Floats, at: Equations) -> Floats:
    """(parameters, parameters): the negative expected slope of the score; positive definite.

    A given parameter has a row and a column of the unit matrix.
    """
    size = design.parameters
    matrix = np.zeros((size, size))
    for shape in design.shapes:
        cells = shape.touched[:, :, None] * size + shape.touched[:, None, :]
        values = design.times[shape.blocks][:, None, None] * block_information(design, shape, at)
        matrix += _sums(cells, values, size * size).reshape(size, size)
    drawn = logistic(parameters)
    matrix[np.diag_indices(size)] += design.prior * drawn * (1 - drawn)
    given = ~design.fitted
    matrix[given], matrix[:, given] = 0.0, 0.0
    matrix[given, given] = 1.0
    return (matrix + matrix.T) / 2


def inverse_of(design: Design, slopes: Floats) -> Floats:
    """(parameters, parameters): the inverse of the information, zero for given parameters: nothing moves them."""
    inverse = np.linalg.inv(slopes)
    inverse[~design.fitted] = 0.0
    return np.asarray(inverse)


def _products(some: Floats, others: Floats) -> Floats:
    """Returns the product of two matrices. BLAS would add up in an order that depends on the number of cores."""
    return np.asarray(np.einsum("nr,rk->nk", some, others), dtype=np.float64)


def _by_parameter(design: Design, rows: Floats) -> Floats:
    """(parameters,): the sum of a value of each row, multiplied by how the parameter adds to the row's logit."""
    by_column = [_sums(column, rows, design.parameters) for column in design.columns.T]
    return np.asarray(SIGNS @ by_column)


def _sums(places: Ints, values: Floats, size: int) -> Floats:
    """(size,): the values summed by index, added in their order."""
    return np.asarray(np.bincount(places.ravel(), values.ravel(), size), dtype=np.float64)


def in_all(times: Floats, values: Floats) -> float:
    """Returns the sum of values, each multiplied by the number of equal blocks.

    Not `times @ values`: BLAS adds up a long product in an order that depends on the number of cores, and the last
    digits of all ratings would follow.
    """
    return float((times * values).sum())


@final
@dataclass(frozen=True)
class Solution:
    """The parameters at which the equations hold."""

    parameters: Floats
    luck: float
    """The variance of the luck of the deal that was used, relative to the noise, in squared logits."""
    luck_variance: float
    """The same in squared logits: how far the deal shifts the odds."""
    at: Equations
    information: Floats
    noise: Noise
    """The unit of the ratings, estimated unless the design gives it."""
    excess: float = 1.0
    """How far the dispersion of the results exceeds that of the unit, as a ratio: 1 if it was estimated from them."""


@final
@dataclass(frozen=True)
class Noise:
    """The noise of shares around their expectation."""

    dispersion: float
    """The variance over expectation × (1 - expectation): 1 if every share is 0 or 1, 0 if every share equals its
    expectation.
    """
    moves: Floats
    """(blocks,): the change when a block is left out and the parameters stay."""
    slope: Floats
    """(parameters,): the change with each parameter. Wider ratings explain more of the spread, and leave less noise."""


def solve(design: Design) -> Solution:
    """Estimates ratings and luck in turn, starting with even ratings and no luck."""
    whole, design = design, combined(design)
    start = _newton(design, design.start, 0.0)
    if start is None:  # the equations without luck are those of a concave function: Newton with halving finds its top
        raise ArithmeticError("the rating fit did not converge")
    (parameters, at), luck, luck_variance = start, 0.0, 0.0
    for _ in range(_MAX_PASSES):
        new_luck, new_variance = luck_of(design, at)
        if new_luck == luck:
            break
        found = _newton(design, parameters, new_luck)
        if found is None:  # without the comparison of matches the fit is less precise, and still right
            (parameters, at), luck, luck_variance = start, 0.0, 0.0
            break
        (parameters, at), luck, luck_variance = found, new_luck, new_variance
    slopes = information(design, parameters, at)
    at = equations(whole, parameters, luck)
    noise = noise_of(whole, at)
    if design.dispersion is None:
        return Solution(parameters, luck, luck_variance, at, slopes, noise)
    given = Noise(design.dispersion, np.zeros_like(noise.moves), np.zeros_like(noise.slope))
    return Solution(parameters, luck, luck_variance, at, slopes, given, noise.dispersion / given.dispersion)


def noise_of(design: Design, at: Equations) -> Noise:
    """Returns the dispersion by the method of moments.

    The expectation of (share - 1/2)² is dispersion × p (1 - p) + (p - 1/2)². Unlike (share - p)², it makes the
    dispersion of shares that are all 0 or 1 exactly 1, whatever the estimate of p: in that case there is nothing to
    estimate.
    """
    blocks = len(design.starts) - 1
    spread = (design.share - 0.5) ** 2
    whole = in_all(design.row_times, spread)
    if not whole:  # nothing, or draws only
        return Noise(1.0, np.zeros(blocks), np.zeros(design.parameters))
    block = np.repeat(np.arange(blocks), np.diff(design.starts))
    above = _sums(block, spread - (design.share - at.residual - 0.5) ** 2, blocks)
    below = _sums(block, at.variance, blocks)
    mean, even = whole / float(design.row_times.sum()), _EVEN_MATCHES * design.pairs
    shares = in_all(design.times, above) + even * mean
    variances = in_all(design.times, below) + even / 4
    dispersion = max(shares / variances, _MIN_NOISE_SHARE * 4 * mean)
    moves = (above - dispersion * below) / (variances - below)
    if dispersion > shares / variances:  # the least: no parameter moves it
        return Noise(dispersion, moves, np.zeros(design.parameters))
    # Both sums have the parameters in Q = the sum of (p - 1/2)² alone: shares = … - Q, variances = … - Q.
    expectation = design.share - at.residual
    by_row = 2 * design.row_times * (expectation - 0.5) * at.variance
    return Noise(dispersion, moves, -(1 - dispersion) / variances * _by_parameter(design, by_row))


def luck_of(design: Design, at: Equations) -> tuple[float, float]:
    """Returns the variance of luck by the method of moments: relative to the noise, and in squared logits."""
    if not design.deals:
        return 0.0, 0.0
    rows, deals = design.row_times, design.deal_times
    squares, variances = in_all(rows, at.residual**2) + design.scatter, in_all(rows, at.variance**2)
    together = in_all(deals, _sums(design.deal, at.residual, design.deals) ** 2) + design.deal_scatter
    expected = in_all(deals, _sums(design.deal, at.variance, design.deals) ** 2)
    shrink = _NO_LUCK_DEALS * 2 / 16
    luck = max(0.0, (together - squares) / (expected - variances + shrink))
    noise = (squares - luck * variances) / in_all(rows, at.variance)
    spread = in_all(rows, (design.share - 0.5) ** 2) + design.scatter
    least = _MIN_NOISE_SHARE * 4 * spread / float(rows.sum())
    return min(_MAX_LUCK, luck / min(1.0, max(least, noise))) if luck else 0.0, luck


def _newton(design: Design, parameters: Floats, luck: float) -> tuple[Floats, Equations] | None:
    """Returns the zero of the score, and the equations there; None if it does not converge.

    It is Fisher scoring with halved steps. The information is computed anew only where the one before no longer leads
    to the zero quickly.
    """
    # Each row adds its rounding to the score, which cannot be known to be smaller than that.
    whole = 1 + design.prior + _ROUNDING_RATIO * float(design.row_times.sum())
    enough, nearly = 1e-10 * whole, 1e-6 * whole
    at = equations(design, parameters, luck)
    size, ratio = float(np.abs(at.score).max(initial=0.0)), 1.0
    slopes: Floats = np.empty(0)
    for _ in range(_MAX_STEPS):
        if size <= enough:
            break
        if ratio > _MAX_CHORD_RATIO:
            slopes = information(design, parameters, at)
        step = np.linalg.solve(slopes, at.score)
        step *= min(1.0, 3.0 / float(np.abs(step).max()))
        for _ in range(_MAX_HALVINGS):
            trial = parameters + step
            trial_at = equations(design, trial, luck)
            trial_size = float(np.abs(trial_at.score).max())
            if trial_size < size:
                break
            step /= 2
        else:
            break  # no step makes the score smaller: rounding, when it is tiny already
        parameters, at, size, ratio = trial, trial_at, trial_size, trial_size / size
    return (parameters, at) if size <= nearly else None
