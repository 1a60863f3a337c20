"""Fixed strengths: they set the zero and the unit of the ratings of a fit, whoever else plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["ELO_PER_LOGIT", "NOTHING_FIXED", "FixedStrengths"]

ELO_PER_LOGIT: Final = 400 / log(10)
"""Points of rating in a natural logit."""


@final
@dataclass(frozen=True, slots=True)
class FixedStrengths:
    """Strengths of bots that were measured once, and are not fitted."""

    above: Mapping[str, float]
    """By bot, how far it is above the zero of the ratings, in Elo points."""
    halves: Mapping[str, float]
    """By bot, half the interval with which that was measured, in Elo points. It is shown, and used for nothing."""
    spread: float
    """The spread of scores between two even bots, in points of the game: the unit of the strengths; see `Fit`."""

    def dispersion(self, win_margin: float) -> float:
        """Returns the dispersion of the shares in the unit of the strengths."""
        return (self.spread / win_margin) ** 2

    def parameters(self, names: Sequence[str], size: int, win_margin: float) -> NDArray[np.floating[Any]]:
        """(size,): the parameters of these bots, which come first, in logits; NaN for all that are not given."""
        values = np.full(size, np.nan)
        logits = self.dispersion(win_margin) ** 0.5 / ELO_PER_LOGIT
        for place, name in enumerate(names):
            if name in self.above:
                values[place] = self.above[name] * logits
        return values


NOTHING_FIXED: Final = FixedStrengths({}, {}, 0.0)
"""For fits whose zero is the field's mean."""
