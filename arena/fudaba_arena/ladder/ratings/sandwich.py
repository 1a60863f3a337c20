"""The variance of the solution: clustered by block, leave-one-block-out (CR3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from fudaba_arena.ladder.ratings.design import Design, Floats, Shape
from fudaba_arena.ladder.ratings.influence import BlockScores, Influence, PowerSums
from fudaba_arena.ladder.ratings.model import Equations, Solution, block_information, inverse_of, logistic

__all__ = ["Robust", "RobustRatings", "block_scores"]


@final
@dataclass(frozen=True)
class RobustRatings:
    """Ratings in logits, with their variances: (ratings,) each."""

    value: Floats
    model_variance: Floats
    """The model's own variance, as if the matches of a block were independent."""
    variance: Floats
    """The block-robust variance."""
    carried: Floats
    """How few blocks carry the robust variance: the sum of squares of the blocks' parts over the square of their sum (1
    over their number if they are equal).
    """
    between_halves: Floats
    """The difference between the halves of the season, in standard errors; 0 if there are no halves."""


@final
class Robust:
    """The error of the solution. Ratings are parameters over the root of the dispersion, which has an error, too."""

    def __init__(self, design: Design, solution: Solution) -> None:
        self._design = design
        self._solution = solution
        self._inverse = inverse_of(design, solution.information)
        self._influence = Influence(design, block_scores(design, solution, self._inverse))
        drawn = logistic(solution.parameters)
        self._drawn = (design.prior * drawn * (1 - drawn))[:, None]
        """(parameters, 1): the information of the virtual draws."""

    def ratings(self, contrasts: Floats) -> RobustRatings:
        """Returns some ratings. Each is a sum of the parameters, with a column of `contrasts` (parameters, ratings) as
        weights.
        """
        design, solution, at = self._design, self._solution, self._solution.at
        value, moved = self._value(contrasts), self._inverse @ contrasts
        levers = self._levers(moved, value)
        sums, blocks = self._influence.power_sums(levers), float(design.times.sum())
        squares = sums.second.sum(axis=0)
        variance = squares * ((blocks - 1) / blocks if blocks > 1 else 1.0)
        # By how much the virtual draws shift the solution counts as an error. Without it, a bot that won everything,
        # whose blocks all say the same, would look certain; with it, the interval's near end is about the exact
        # binomial one.
        for part in (slice(0, design.bots), slice(design.bots, design.parameters)):
            variance += (at.prior_score[part, None] * levers[part]).sum(axis=0) ** 2
        # And what they alone decide is uncertain: a bot that never changed seats may be as good as its seat is bad.
        variance += (self._drawn * moved**2).sum(axis=0)
        some = squares > 0
        carried = np.divide(sums.fourth, squares**2, out=np.zeros(len(value)), where=some)
        model_variance = solution.excess * (contrasts * moved).sum(axis=0)
        return RobustRatings(value, model_variance, variance, carried, _between_halves(sums))

    def levers(self, contrasts: Floats) -> Floats:
        """(parameters + 1, ratings): the change of ratings with each parameter's equation, and with the dispersion.

        A block changes a rating in three ways: through the parameters, through the dispersion of the shares, and
        through the parameters on which the dispersion itself depends.
        """
        return self._levers(self._inverse @ contrasts, self._value(contrasts))

    def _levers(self, moved: Floats, value: Floats) -> Floats:
        noise = self._solution.noise
        by_noise = -value / (2 * noise.dispersion)
        by_parameter = noise.dispersion**-0.5 * moved + np.outer(self._inverse @ noise.slope, by_noise)
        return np.concatenate([by_parameter, by_noise[None]])

    def _value(self, contrasts: Floats) -> Floats:
        solution = self._solution
        summed = (contrasts * solution.parameters[:, None]).sum(axis=0)
        return np.asarray(solution.noise.dispersion**-0.5 * summed)


def _between_halves(sums: PowerSums) -> Floats:
    """(ratings,): the differences between the halves of the season, in standard errors.

    To first order a rating is the sum of the changes by its blocks. That sum is nearly zero over all blocks, and over
    the blocks of a half it shows how far the half is from the whole.
    """
    early, late = sums.second
    known = np.minimum(early, late) > 0
    part = np.divide(early, early + late, out=np.zeros(len(early)), where=known)
    shift = (1 - part) * sums.first[0] - part * sums.first[1]
    error = np.sqrt((1 - part) ** 2 * early + part**2 * late)
    return np.asarray(np.divide(shift, error, out=np.zeros(len(early)), where=known))


def block_scores(design: Design, solution: Solution, inverse: Floats) -> Iterator[BlockScores]:
    """Yields each block's scores by shape. `inverse` is that of the solution's information.

    Each block's score is inflated by its own leverage, (I - h K)^-1, with h the block's information and K the part of
    `inverse` on the parameters that affect it. Multiplied by `inverse`, that is to first order the change of the
    solution without the block.
    """
    for shape in design.shapes:
        scores = _leave_out(design, shape, solution.at, inverse)
        yield BlockScores(shape, np.concatenate([scores, solution.noise.moves[shape.blocks, None]], axis=1))


def _leave_out(design: Design, shape: Shape, at: Equations, inverse: Floats) -> Floats:
    """(n, k): the score of each block on the parameters that affect it, inflated by its leverage."""
    near = inverse[shape.touched[:, :, None], shape.touched[:, None, :]]
    leverage = np.eye(shape.touched.shape[1]) - block_information(design, shape, at) @ near
    score: Floats = np.linalg.solve(leverage, (at.adjusted[shape.rows] @ shape.matrix)[:, :, None])
    return score[:, :, 0]
