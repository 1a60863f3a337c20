"""The variance of the solution: clustered by block, leave-one-block-out (CR3)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from fudaba_arena.ratings.model import SIGNS, Design, Floats, Ints, Solution, logistic

__all__ = ["Robust", "block_robust"]


@final
@dataclass(frozen=True)
class Robust:
    """How far the solution may be off. Ratings are parameters over the root of the dispersion, which may be off too."""

    moves: Floats
    """(blocks, parameters): how far, to first order, the solution moves when the block is left out, in logits."""
    shift: Floats
    """(parameters, parameters): the square of how far the virtual draws shift the solution, in squared logits."""
    drawn: Floats
    """(parameters, parameters): how uncertain is what they alone decide, in squared logits at dispersion 1."""
    solution: Solution

    def of(self, contrast: Floats) -> tuple[float, float, float]:
        """A sum of the parameters, weighted by `contrast`, as a rating: its value, its robust variance, in logits.

        The third is by how many blocks' worth the variance is carried: the sum of squares of the blocks' parts of it,
        over the square of their sum (1 over their number where they are equal).
        """
        noise = self.solution.noise
        scale = noise.dispersion**-0.5
        value = scale * float((contrast * self.solution.parameters).sum())
        squares = (scale * (self.moves @ contrast) - value / (2 * noise.dispersion) * noise.moves) ** 2
        total, blocks = float(squares.sum()), len(squares)
        variance = total * (blocks - 1) / blocks if blocks > 1 else total
        variance += float(contrast @ (self.shift * scale**2 + self.drawn) @ contrast)
        return value, variance, float((squares**2).sum()) / total**2 if total > 0 else 0.0


def block_robust(design: Design, solution: Solution, inverse: Floats) -> Robust:
    """The block-robust variance of the solution. `inverse` is that of its information.

    Each block's score is blown up by its own leverage, (I - h K)^-1 with h the block's information and K the part of
    `inverse` that it touches: to first order that is by how much the solution moves without it.
    """
    size = design.parameters
    blocks = len(design.starts) - 1
    scores = np.zeros((blocks, size))
    for block, (start, stop) in enumerate(pairwise(design.starts)):
        touched, score = _leave_out(design, solution, inverse, slice(int(start), int(stop)))
        scores[block, touched] = score
    # By how much the virtual draws shift the solution counts as an error. Without it, a bot that won everything, whose
    # blocks all say the same, would look certain; with it, the interval's near end is about the exact binomial one.
    shift = np.zeros((size, size))
    for part in (slice(0, design.bots), slice(design.bots, size)):
        by = solution.at.prior_score[part]
        shift[part, part] = np.outer(by, by)
    # And what they alone decide is uncertain: a bot that never changed seats may be as good as its seat is bad.
    drawn = logistic(solution.parameters)
    alone = np.diag(design.prior * drawn * (1 - drawn))
    return Robust(scores @ inverse, inverse @ shift @ inverse, inverse @ alone @ inverse, solution)


def _leave_out(design: Design, solution: Solution, inverse: Floats, rows: slice) -> tuple[Ints, Floats]:
    """The parameters that a block touches, and its score on them, blown up by its leverage."""
    at = solution.at
    touched, places = np.unique(design.columns[rows], return_inverse=True)
    places = places.reshape(-1, 4)
    count = len(places)
    matrix = np.zeros((count, len(touched)))
    np.add.at(matrix, (np.arange(count)[:, None], places), np.broadcast_to(SIGNS, places.shape))
    slopes = at.variance[rows, None] * matrix
    own = matrix.T @ slopes
    if solution.luck:
        deals, deal_places = np.unique(design.deal[rows], return_inverse=True)
        by_deal = np.zeros((len(deals), len(touched)))
        np.add.at(by_deal, deal_places, slopes)
        own -= (by_deal.T * at.coupling[deals]) @ by_deal
    leverage = np.eye(len(touched)) - design.weight * own @ inverse[np.ix_(touched, touched)]
    score: Floats = np.linalg.solve(leverage, matrix.T @ at.adjusted[rows])
    return touched, score
