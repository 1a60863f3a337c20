"""A sequential test of two programs: it looks after every block, and stops as soon as the results decide.

**Observation.** A block is a set of matches on the same deals in all seatings; its mean difference of scores, the new
program's less the other's, is one observation. How the matches of a block depend on each other does not matter.
Observations are taken in the order of the blocks' numbers, never in that in which they end: long matches may go
differently.

**Effect.** Normalised Elo: with the mean difference μ of a block of m matches and its standard deviation σ, the effect
of a block is T = μ / σ, and the normalised Elo is 800 / ln 10 · T / √m (Van den Bergh, "Normalized Elo", 2021; there a
block is a pair of games, and σ √m the deviation of one game). It has no unit: multiplying all scores changes nothing.

**Test.** Wald's sequential probability ratio test ("Sequential Tests of Statistical Hypotheses", Annals of Mathematical
Statistics 16, 1945) of T ≤ T₀ against T ≥ T₁, the values of `low` and `high`. σ is unknown; so the likelihood ratio is
that of the maxima over σ and over the form of the distribution, as in fishtest's GSPRT (Van den Bergh, "Comments on
Normalized Elo", 2021), which is to a good approximation

    LLR = n / 2 · ln((1 + (t - T₀)²) / (1 + (t - T₁)²)),    t = mean / deviation of the n observations.

The test stops at LLR ≥ ln((1 - β) / α) with `BETTER`, and at LLR ≤ ln(β / (1 - α)) with `NOT_BETTER`. The ratio rises
with t only while (t - T₀)(t - T₁) < 1: a program that wins every block resembles neither bound. Beyond that t is set to
its value there, so that a greater t never lowers the ratio. Hence every verdict takes at least about 2 · 2.94 / (T₁ -
T₀) blocks, 49 for [0, 30] and two matches a block, by when the estimate of σ has settled. The error rates are Wald's
for large n; `scripts/bench sequential` simulates them. They do not hold where rare great losses decide who is ahead and
none of them has come up yet: no test can know of those.

**Interval.** A confidence sequence: it holds at all times at once with probability 1 - α, so that anybody may look at
any time and stop for any reason. It is the set of means that the normal mixture martingale of the t statistic has not
rejected by Ville's inequality (Robbins, 1970; Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric,
nonasymptotic confidence sequences", Annals of Statistics 49, 2021; with unknown σ: Lai, 1976, and Wang and Ramdas,
"Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance", 2024). With g =
`MIXTURE_VARIANCE_RATIO`, r = 1 + n g and k = (√r / α)^(2 / n), its half width is

    s √((n - 1) / n · (k - 1) / (1 - k / r)),    s² with n - 1,

and infinite while k ≥ r. It is exact for normal observations, and asymptotic for others (Waudby-Smith, Arbour, Sinha,
Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", 2024).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import exp, isfinite, log, log1p, sqrt
from typing import Final, Self, final

from fudaba.errors import FudabaError

__all__ = [
    "DEFAULT_BOUNDS_ELO",
    "ELO_PER_EFFECT",
    "MAX_BOUND_ELO",
    "MIN_WIDTH_ELO",
    "BadBounds",
    "SequentialRun",
    "SequentialTest",
    "Verdict",
]

ELO_PER_EFFECT: Final = 800 / log(10)
"""Normalised Elo of a match whose expected difference of scores is one standard deviation."""
DEFAULT_BOUNDS_ELO: Final = (0.0, 30.0)
MAX_BOUND_ELO: Final = 1_000.0
MIN_WIDTH_ELO: Final = 1.0
"""The minimum distance of the bounds. With closer bounds a verdict takes more than half a million blocks."""
MIXTURE_VARIANCE_RATIO: Final = 0.04
"""The variance of the mean in the mixture over that of a block's difference. Of all values this one gives the narrowest
interval at about 8 / 0.04 = 200 blocks."""


@final
class BadBounds(FudabaError):
    """Bounds between which no test is possible; `str()` says why."""


@final
class Verdict(StrEnum):
    """The decision of a test."""

    BETTER = "better"
    """The advantage is greater than the lower bound."""
    NOT_BETTER = "not_better"
    """The advantage is smaller than the upper bound."""
    UNDECIDED = "undecided"


@final
@dataclass(frozen=True, slots=True)
class SequentialTest:
    """The bounds of the test, and its error probabilities. Raises `BadBounds`."""

    low: float = DEFAULT_BOUNDS_ELO[0]
    """In normalised Elo: the verdict on an advantage of this or less is `BETTER` with a probability of about `alpha` or
    less."""
    high: float = DEFAULT_BOUNDS_ELO[1]
    """In normalised Elo: the verdict on an advantage of this or more is `NOT_BETTER` with a probability of about `beta`
    or less."""
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (isfinite(self.low) and isfinite(self.high)):
            raise BadBounds("the bounds are not both finite numbers")
        if max(abs(self.low), abs(self.high)) > MAX_BOUND_ELO:
            raise BadBounds(f"a bound lies beyond {MAX_BOUND_ELO:,.0f} normalised Elo")
        if self.low >= self.high:
            raise BadBounds(f"the lower bound {self.low:g} is not below the upper bound {self.high:g}")
        if self.high - self.low < MIN_WIDTH_ELO:
            raise BadBounds(f"the bounds are closer than {MIN_WIDTH_ELO:g} normalised Elo; no test would end")
        for rate in (self.alpha, self.beta):
            if not 0 < rate < 0.5:
                raise ValueError(f"an error rate is {rate}; it lies between 0 and 0.5")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads `LOW,HIGH`. Raises `BadBounds`."""
        try:
            low, high = (float(number) for number in text.split(","))
        except ValueError:
            raise BadBounds(f"{text!r} is not LOW,HIGH, two numbers such as 0,30") from None
        return cls(low, high)

    @property
    def accept_at(self) -> float:
        """The log likelihood ratio at which the verdict is `BETTER`."""
        return log((1 - self.beta) / self.alpha)

    @property
    def reject_at(self) -> float:
        """The log likelihood ratio at which the verdict is `NOT_BETTER`."""
        return log(self.beta / (1 - self.alpha))


@final
class SequentialRun:
    """A test in progress. Its result depends only on its observations and their order."""

    def __init__(self, test: SequentialTest, matches_per_block: int) -> None:
        """Raises `ValueError` if a block has no match."""
        if matches_per_block < 1:
            raise ValueError(f"a block has {matches_per_block} matches; it has at least one")
        self.test = test
        self.matches_per_block = matches_per_block
        self.blocks = 0
        """The number of observations behind the verdict."""
        self.verdict = Verdict.UNDECIDED
        self.ratio = 0.0
        """The log of the likelihood ratio."""
        self._mean = 0.0
        self._squares = 0.0  # of the differences from the mean, by Welford's method
        per_effect = ELO_PER_EFFECT / sqrt(matches_per_block)
        self._low, self._high = test.low / per_effect, test.high / per_effect
        middle = (self._low + self._high) / 2
        reach = sqrt(((self._high - self._low) / 2) ** 2 + 1)
        self._least, self._most = middle - reach, middle + reach

    def add(self, difference: float) -> Verdict:
        """Takes in the next block's mean difference of scores, unless the test is decided. Returns the verdict.

        Raises `ValueError` for a number that is not finite.
        """
        if not isfinite(difference):
            raise ValueError(f"the difference of a block is {difference}; it is a finite number")
        if self.verdict is not Verdict.UNDECIDED:
            return self.verdict
        self.blocks += 1
        step = difference - self._mean
        self._mean += step / self.blocks
        self._squares += step * (difference - self._mean)
        effect = min(max(self._effect(), self._least), self._most)
        self.ratio = self.blocks / 2 * (log1p((effect - self._low) ** 2) - log1p((effect - self._high) ** 2))
        if self.ratio >= self.test.accept_at:
            self.verdict = Verdict.BETTER
        elif self.ratio <= self.test.reject_at:
            self.verdict = Verdict.NOT_BETTER
        return self.verdict

    def _effect(self) -> float:
        """Returns the mean divided by the standard deviation; if the deviation is 0, the largest possible value, or 0
        for a mean of 0.
        """
        if self._squares > 0:
            return self._mean / sqrt(self._squares / self.blocks)
        return (self._mean > 0) * self._most + (self._mean < 0) * self._least

    @property
    def mean(self) -> float | None:
        """The mean difference of scores; None if there are no blocks."""
        return self._mean if self.blocks else None

    @property
    def half(self) -> float | None:
        """Half of the always-valid interval of the mean difference; None while it has no bound."""
        if self.blocks < 2 or self._squares <= 0:
            return None  # blocks that all went alike do not say how rarely another goes differently
        widened = 1 + self.blocks * MIXTURE_VARIANCE_RATIO
        threshold = exp(2 / self.blocks * (log(widened) / 2 - log(self.test.alpha)))
        if threshold >= widened:
            return None
        return sqrt(self._squares / self.blocks * (threshold - 1) / (1 - threshold / widened))

    @property
    def elo(self) -> float | None:
        """The normalised Elo; None while all blocks have the same difference."""
        return self._as_elo(self._mean)

    @property
    def elo_half(self) -> float | None:
        """Half of the always-valid interval of the normalised Elo. It takes the estimated deviation as exact."""
        return None if self.half is None else self._as_elo(self.half)

    def _as_elo(self, difference: float) -> float | None:
        if self._squares <= 0:
            return None
        return ELO_PER_EFFECT * difference / sqrt(self._squares / self.blocks * self.matches_per_block)
