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
    """How far the solution may be off."""

    covariance: Floats
    """(parameters, parameters), in squared logits."""
    moves: Floats
    """(blocks, parameters): how far, to first order, the solution moves when the block is left out, in logits."""


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
    meat = scores.T @ scores
    if blocks > 1:
        meat *= (blocks - 1) / blocks
    # By how much the virtual draws shift the solution counts as an error. Without it, a bot that won everything, whose
    # blocks all say the same, would look certain; with it, the interval's near end is about the exact binomial one.
    for part in (slice(0, design.bots), slice(design.bots, size)):
        shift = solution.at.prior_score[part]
        meat[part, part] += np.outer(shift, shift)
    # And what they alone decide is uncertain: a bot that never changed seats may be as good as its seat is bad.
    drawn = logistic(solution.parameters)
    meat[np.diag_indices(size)] += design.prior * drawn * (1 - drawn)
    return Robust(inverse @ meat @ inverse, scores @ inverse)


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
