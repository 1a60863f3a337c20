"""How far honest pairs are off the ratings, since bots suit each other or do not."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Final

import numpy as np

from fudaba_arena.ladder.fairplay.fitted_game import Pair
from fudaba_arena.ladder.fairplay.residuals import Deviation
from fudaba_arena.ladder.ratings.design import Floats

__all__ = ["honest_pairs_logits", "least_logits"]

_HONEST_ELO_POINTS: Final = 30.0
"""The standard deviation by which honest results are off the ratings, in Elo points, if nothing shows more."""
_MIN_PAIRS: Final = 20
"""The number of pairs of which the middle one says something."""
_MAX_MEDIAN: Final = 0.455
"""The median of the square of a standard normal value."""
_MAX_MEDIAN_LUCK: Final = 1.74
"""By how much luck raises it in one of twenty cases, over the root of the number of values."""
_MAX_LEFT_OUT: Final = 50
"""In larger fields one entry has too few of the pairs to matter."""
_MAX_LOGITS: Final = 4.0
_HALVINGS_COUNT: Final = 30


def least_logits(elo: float) -> float:
    """Returns the standard deviation, in logits, that is allowed for in any case. `elo` is the points in a logit."""
    return _HONEST_ELO_POINTS / elo


def honest_pairs_logits(deviations: Mapping[Pair, Deviation], elo: float) -> float:
    """Returns by how many logits honest pairs are off: what the middle pair shows at the least.

    An entry that is fed has all of its pairs off. So each entry is left out in turn, and the least result counts.
    """
    names = sorted({entry for pair in deviations for entry in pair})
    place = {entry: at for at, entry in enumerate(names)}
    of_pair = np.array([[place[a], place[b]] for a, b in deviations], dtype=np.int64).reshape(-1, 2)
    off = np.array([(known.share - known.expected) ** 2 for known in deviations.values()])
    slope = np.array([known.slope for known in deviations.values()])
    trials = np.array([known.trials for known in deviations.values()])
    subsets = [np.ones(len(off), dtype=bool)]
    if len(names) <= _MAX_LEFT_OUT:
        subsets += [(of_pair != left_out).all(axis=1) for left_out in range(len(names))]
    least = least_logits(elo)
    return min(_middle(off[part], slope[part], trials[part], least) for part in subsets)


def _middle(off: Floats, slope: Floats, trials: Floats, least: float) -> float:
    """Returns the least number of logits with which the middle pair is no further off than luck explains."""
    if len(off) < _MIN_PAIRS:
        return least
    most = _MAX_MEDIAN + _MAX_MEDIAN_LUCK / sqrt(len(off))
    low, high = least, _MAX_LOGITS
    for _ in range(_HALVINGS_COUNT):
        middle = (low + high) / 2
        if np.median(off / (slope / trials + slope**2 * middle**2)) > most:
            low = middle
        else:
            high = middle
    return low
