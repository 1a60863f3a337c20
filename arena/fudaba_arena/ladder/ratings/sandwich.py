"""The variance of the solution: clustered by block, leave-one-block-out (CR3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import final

import numpy as np

from fudaba_arena.ladder.ratings.design import Design, Floats, Shape
from fudaba_arena.ladder.ratings.model import Equations, Solution, block_information, in_all, logistic

__all__ = ["Robust", "block_robust"]


@final
@dataclass(frozen=True)
class Robust:
    """The error of the solution. Ratings are parameters over the root of the dispersion, which has an error, too."""

    design: Design
    scores: Sequence[Floats]
    """The scores by shape, (n, k): each block's score on the parameters that affect it, inflated by its leverage."""
    inverse: Floats
    """(parameters, parameters): the inverse of the information. With `scores` it gives the change of the solution
    without a block.
    """
    shift: Floats
    """(parameters, parameters): the square of how far the virtual draws shift the solution, in squared logits."""
    drawn: Floats
    """(parameters, parameters): the uncertainty of what only the virtual draws decide, in squared logits at dispersion
    1.
    """
    solution: Solution

    def rating(self, contrast: Floats) -> tuple[float, float, float, float]:
        """Returns a sum of the parameters, weighted by `contrast`, as a rating: its value and its robust variance, in
        logits.

        The third value says how many blocks carry the variance: the sum of squares of the blocks' parts over the square
        of their sum (1 over their number if they are equal). The fourth is the difference between the halves of the
        season, in standard errors; see `_between_halves`.
        """
        noise = self.solution.noise
        value = noise.dispersion**-0.5 * float((contrast * self.solution.parameters).sum())
        along, moves = self._along(contrast, value), self.moves(contrast)
        squares = moves**2
        times = self.design.times
        total, blocks = in_all(times, squares), float(times.sum())
        variance = total * (blocks - 1) / blocks if blocks > 1 else total
        variance += float(along @ self.shift @ along + contrast @ self.drawn @ contrast)
        carried = in_all(times, squares**2) / total**2 if total > 0 else 0.0
        return value, variance, carried, self._between_halves(moves)

    def _between_halves(self, moves: Floats) -> float:
        """Returns the difference of a rating between the halves of the season, in its standard errors; 0 if there are
        no halves.

        To first order a rating is the sum of the changes by its blocks. That sum is nearly zero over all blocks, and
        over the blocks of a half it shows how far the half is from the whole.
        """
        early, late = self.design.early, self.design.times - self.design.early
        squares = in_all(early, moves**2), in_all(late, moves**2)
        if not min(squares):
            return 0.0
        part = squares[0] / sum(squares)
        shift = (1 - part) * in_all(early, moves) - part * in_all(late, moves)
        return shift / sqrt((1 - part) ** 2 * squares[0] + part**2 * squares[1])

    def moves(self, contrast: Floats) -> Floats:
        """(blocks,): the first-order change of such a rating when a block is left out, in logits.

        A block changes it in three ways: through the parameters, through the dispersion of the shares, and through the
        parameters on which the dispersion itself depends.
        """
        noise = self.solution.noise
        value = noise.dispersion**-0.5 * float((contrast * self.solution.parameters).sum())
        by_parameter = self.inverse @ self._along(contrast, value)
        moves: Floats = np.asarray(-value / (2 * noise.dispersion) * noise.moves)
        for shape, scores in zip(self.design.shapes, self.scores, strict=True):
            moves[shape.blocks] += (scores * by_parameter[shape.touched]).sum(axis=1)
        return moves

    def _along(self, contrast: Floats, value: float) -> Floats:
        """(parameters,): the change of a rating with each parameter."""
        noise = self.solution.noise
        return np.asarray(noise.dispersion**-0.5 * contrast - value / (2 * noise.dispersion) * noise.slope)


def block_robust(design: Design, solution: Solution, inverse: Floats) -> Robust:
    """Returns the block-robust variance of the solution. `inverse` is that of its information.

    Each block's score is inflated by its own leverage, (I - h K)^-1, with h the block's information and K the part of
    `inverse` on the parameters that affect it. To first order, that is the change of the solution without the block.
    """
    size = design.parameters
    scores = [_leave_out(design, shape, solution.at, inverse) for shape in design.shapes]
    # By how much the virtual draws shift the solution counts as an error. Without it, a bot that won everything, whose
    # blocks all say the same, would look certain; with it, the interval's near end is about the exact binomial one.
    shift = np.zeros((size, size))
    for part in (slice(0, design.bots), slice(design.bots, size)):
        by = solution.at.prior_score[part]
        shift[part, part] = np.outer(by, by)
    # And what they alone decide is uncertain: a bot that never changed seats may be as good as its seat is bad.
    drawn = logistic(solution.parameters)
    alone = np.diag(design.prior * drawn * (1 - drawn))
    return Robust(design, scores, inverse, inverse @ shift @ inverse, inverse @ alone @ inverse, solution)


def _leave_out(design: Design, shape: Shape, at: Equations, inverse: Floats) -> Floats:
    """(n, k): the score of each block on the parameters that affect it, inflated by its leverage."""
    near = inverse[shape.touched[:, :, None], shape.touched[:, None, :]]
    leverage = np.eye(shape.touched.shape[1]) - block_information(design, shape, at) @ near
    score: Floats = np.linalg.solve(leverage, (at.adjusted[shape.rows] @ shape.matrix)[:, :, None])
    return score[:, :, 0]
