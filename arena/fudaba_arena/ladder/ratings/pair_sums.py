"""Sums over blocks between two bots, kept by pair: then their cost does not grow with the number of blocks.

To first order a block moves a rating by `ahead` × (p - q) + `seats` × s + `noise` × d. The numbers in backticks are the
block's, p and q are the rating's levers on the two bots, s is the difference of those on the two seats, and d that on
the dispersion. So a sum of a power of the moves is a polynomial of the levers. Its coefficients are sums over the
blocks of each pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial, prod
from typing import Final, final

import numpy as np

from fudaba_arena.ladder.ratings.design import Floats
from fudaba_arena.ladder.ratings.results import Ints

__all__ = ["PairedBlocks"]

_Exponents = tuple[int, int, int]
"""The exponents of `ahead`, `seats` and `noise`."""
_MAX_POWER: Final = 4


@final
class PairedBlocks:
    """Blocks of a game of two seats, each with all its matches between two bots."""

    def __init__(self, bots: Ints, scores: Floats) -> None:
        """`bots` (n, 2) and `scores` (n, 3) are those of the blocks: `ahead`, `seats` and `noise`."""
        size = int(bots.max(initial=0)) + 1
        swapped = bots[:, 0] > bots[:, 1]
        pairs, self._pair = np.unique(bots.min(axis=1) * size + bots.max(axis=1), return_inverse=True)
        self._first, self._other = pairs // size, pairs % size
        self._scores = scores * np.where(swapped[:, None], [-1.0, 1.0, 1.0], 1.0)

    def sums(self, weights: Floats, power: int) -> dict[_Exponents, Floats]:
        """Returns the coefficients of a sum of a power, 1 to 4, of the moves. `weights` (n,) are those of the blocks.

        Each coefficient is by pair, except for the exponent 0 of `ahead`: there it is of all blocks together.
        """
        found: dict[_Exponents, Floats] = {}
        for exponents in _exponents(power):
            values = weights.copy()
            for column, exponent in enumerate(exponents):
                for _ in range(exponent):
                    values *= self._scores[:, column]
            places = self._pair if exponents[0] else np.zeros(len(values), np.int64)
            size = len(self._first) if exponents[0] else 1
            found[exponents] = np.asarray(np.bincount(places, values, size), dtype=np.float64)
        return found

    def at(self, sums: dict[_Exponents, Floats], bots: Floats, seats: Floats, noise: Floats) -> Floats:
        """(ratings,): the sums of the power of the moves of some ratings.

        `bots` (bots, ratings) are the levers on the bots, `seats` (ratings,) the differences of those on the seats, and
        `noise` (ratings,) those on the dispersion.
        """
        total = np.zeros(len(noise))
        for exponents, coefficients in sums.items():
            ahead, of_seats, of_noise = exponents
            ways = factorial(sum(exponents)) // prod(map(factorial, exponents))
            total += ways * seats**of_seats * noise**of_noise * self._by_pair(coefficients, ahead, bots)
        return total

    def _by_pair(self, coefficients: Floats, power: int, bots: Floats) -> Floats:
        """(ratings,): the sum over the pairs of a coefficient × a power of the difference of the levers.

        The power is expanded, so that products of matrices have the whole sum.
        """
        if not power:
            return coefficients
        size, turned = len(bots), -coefficients if power % 2 else coefficients
        ends = np.concatenate([self._first, self._other])
        rows = np.bincount(ends, np.concatenate([coefficients, turned]), size)[:, None]
        alone = np.asarray((rows * bots**power).sum(axis=0), dtype=np.float64)
        if power == 1:
            return alone
        matrix = np.zeros((size, size))
        matrix[self._first, self._other], matrix[self._other, self._first] = coefficients, turned
        alone -= (power if power > 2 else 1) * (bots ** (power - 1) * (matrix @ bots)).sum(axis=0)
        if power == _MAX_POWER:
            alone += 3 * (bots**2 * (matrix @ bots**2)).sum(axis=0)
        return alone


def _exponents(power: int) -> Iterator[_Exponents]:
    """Yields the exponents of the terms of a power."""
    for ahead in range(power + 1):
        for of_seats in range(power - ahead + 1):
            yield ahead, of_seats, power - ahead - of_seats
