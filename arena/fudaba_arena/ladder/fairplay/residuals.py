"""Residuals of a game's fit, summed by block and entry or pair of entries, and what they say of sets of these.

The fit is that of the ratings. A set of results is judged by the score of a further parameter that it alone would have.
That score allows, to first order, for the effect of the set on the ratings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log, sqrt
from typing import Final, Self, final

import numpy as np

from fudaba_arena.ladder.fairplay.discovery import share_probability
from fudaba_arena.ladder.fairplay.rows import PlayedRows, runs_at
from fudaba_arena.ladder.ratings.design import SIGNS, Floats
from fudaba_arena.ladder.ratings.fixed_strengths import ELO_PER_LOGIT
from fudaba_arena.ladder.ratings.model import Equations, Solution, equations
from fudaba_arena.ladder.ratings.results import Ints

__all__ = ["Deviation", "GameFit", "Residuals", "Units", "Variance", "pooled"]

_MIN_KEPT_SHARE: Final = 0.05
"""The share of a set's information that the ratings must leave; below, nothing can be said of it."""
_SETS_PER_BATCH: Final = 1_000


@final
@dataclass(frozen=True)
class GameFit:
    """The ratings of a game, and the inverse of their information."""

    solution: Solution
    inverse: Floats

    @property
    def elo(self) -> float:
        """Points of rating in a logit of this game."""
        return ELO_PER_LOGIT / sqrt(self.solution.noise.dispersion)


@final
@dataclass(frozen=True)
class Units:
    """Sets of rows that are one observation: the rows of an entry, or of a pair of entries, in a block."""

    row: Ints
    """(k,): the rows of the units, unit by unit."""
    sign: Floats
    """(k,): 1 where the unit's entry is the row's first bot, -1 where it is the other."""
    starts: Ints
    """(units + 1,): where each unit's rows begin."""

    @classmethod
    def from_rows(cls, key: Ints, row: Ints, sign: Floats) -> tuple[Self, Ints]:
        """Makes units of the rows with equal keys. Returns them, and their keys."""
        order = np.argsort(key, kind="stable")
        keys, begins = np.unique(key[order], return_index=True)
        return cls(row[order], sign[order], np.append(begins, len(row))), keys

    def __len__(self) -> int:
        return len(self.starts) - 1


@final
@dataclass(frozen=True, slots=True)
class Variance:
    """How far honest results stray: the variance of a unit's residual, by its information."""

    of_information: float
    even: float
    """Of the information that it would have between even bots."""

    @classmethod
    def estimated(cls, residuals: Residuals, spare: float) -> Self:
        """Estimates it from all residuals. `spare` is the share of them that the ratings leave."""
        weight, share = residuals.even, residuals.information / residuals.even
        ratio = residuals.score**2 / residuals.even / spare
        mean, mean_share = np.average(ratio, weights=weight), np.average(share, weights=weight)
        spread = np.average((share - mean_share) ** 2, weights=weight)
        slope = np.average((share - mean_share) * ratio, weights=weight) / spread if spread > 1e-9 else 0.0
        slope = float(np.clip(slope, 0.0, mean / mean_share))
        return cls(slope, float(max(0.0, mean - slope * mean_share)))

    def at(self, information: Floats, even: Floats) -> Floats:
        """Returns the variance of residuals."""
        return np.asarray(self.of_information * information + self.even * even)


@final
@dataclass(frozen=True, slots=True)
class Deviation:
    """How a set of results differs from what the ratings predict."""

    share: float
    """The share that was taken."""
    expected: float
    """The share that ratings without the set predict."""
    trials: float
    """The number of binomial trials that tell as much."""
    slope: float
    """The slope of the expected share by the logit."""
    elo: float
    """Points of rating in a logit."""

    def allowing(self, logits: float) -> Deviation:
        """Returns the deviation if honest sets differ from the ratings by this standard deviation."""
        trials = 1 / (1 / self.trials + self.slope * logits**2)
        return Deviation(self.share, self.expected, trials, self.slope, self.elo)

    def turned(self) -> Deviation:
        """Returns the deviation from the side of the others."""
        return Deviation(1 - self.share, 1 - self.expected, self.trials, self.slope, self.elo)

    @property
    def probability(self) -> float:
        """The chance of a share as great."""
        return share_probability(self.share, self.expected, self.trials)

    @property
    def effect(self) -> tuple[float, float]:
        """The difference in Elo points, and its standard error."""
        # One expected result more keeps a set that was won as a whole finite.
        share = (self.share * self.trials + self.expected) / (self.trials + 1)
        error = 1 / sqrt((self.trials + 1) * share * (1 - share))
        return self.elo * (_logit(share) - _logit(self.expected)), self.elo * error


def pooled(deviations: Sequence[Deviation]) -> Deviation:
    """Joins several deviations of one game, each weighted by its trials."""
    trials = [known.trials for known in deviations]

    def mean(values: Iterable[float]) -> float:
        return sum(value * weight for value, weight in zip(values, trials, strict=True)) / sum(trials)

    share, expected = mean(known.share for known in deviations), mean(known.expected for known in deviations)
    return Deviation(share, expected, sum(trials), mean(known.slope for known in deviations), deviations[0].elo)


@final
class Residuals:
    """The residuals of units at the ratings of a fit."""

    def __init__(self, rows: PlayedRows, fit: GameFit, units: Units, *, fitted: bool) -> None:
        """`fitted`: the ratings were fitted to these rows."""
        self._design, self._fit, self._fitted, self._units = rows.design, fit, fitted, units
        solution = fit.solution
        self._at: Equations = solution.at if fitted else equations(rows.design, solution.parameters, solution.luck)
        at, weight, row = self._at, rows.design.weight, units.row
        expectation = rows.design.share[row] - at.residual[row]
        self.score = self._sums(units.sign * at.adjusted[row])
        """(units,): the residuals."""
        self.weight = weight * np.diff(units.starts)
        """(units,): the number of matches, in those of two seats."""
        self.expected = weight * self._sums(np.where(units.sign > 0, expectation, 1 - expectation))
        """(units,): the expected shares, times the weight."""
        self.variance = weight * self._sums(at.variance[row])
        deal, coupled, unit_deal = self._deals
        self.information = self.variance - weight * np.bincount(
            unit_deal, at.coupling[deal] * coupled**2, minlength=len(units)
        )
        """(units,): the information."""
        self.even = self.information * (self.weight / 4) / self.variance
        """(units,): the information that there would be between even bots."""

    def _sums(self, values: Floats) -> Floats:
        return np.add.reduceat(values, self._units.starts[:-1]) if len(self._units) else np.empty(0)

    @cached_property
    def _deals(self) -> tuple[Ints, Floats, Ints]:
        """The deals of each unit: the deal, the sum of its signed variances in the unit, the unit."""
        units, deals = self._units, max(1, self._design.deals)
        unit = np.repeat(np.arange(len(units)), np.diff(units.starts))
        keys, place = np.unique(unit * deals + self._design.deal[units.row], return_inverse=True)
        signed = units.sign * self._at.variance[units.row]
        coupled = np.asarray(np.bincount(place, signed, minlength=len(keys)), dtype=np.float64)
        return keys % deals, coupled, keys // deals

    @cached_property
    def _moved(self) -> tuple[Ints, Ints, Floats]:
        """How each unit's score moves with the parameters: starts by unit, parameters, values."""
        units, design, at = self._units, self._design, self._at
        unit = np.repeat(np.arange(len(units)), np.diff(units.starts))
        own = units.sign * at.variance[units.row]
        deal, coupled, unit_deal = self._deals
        order = np.argsort(design.deal, kind="stable")
        begins = np.searchsorted(design.deal[order], np.arange(design.deals + 1))
        luck = np.flatnonzero(at.coupling[deal] * coupled)
        places, owner = runs_at(begins, deal[luck])
        shared = order[places]
        by_luck = -(at.coupling[deal] * coupled)[luck][owner] * at.variance[shared]
        row = np.concatenate([units.row, shared])
        of_unit = np.concatenate([unit, unit_deal[luck][owner]])
        value = design.weight * np.concatenate([own, by_luck])
        by_unit = np.argsort(of_unit, kind="stable")
        starts = np.searchsorted(of_unit[by_unit], np.arange(len(units) + 1))
        parameters = design.columns[row[by_unit]]
        return starts, parameters, value[by_unit][:, None] * SIGNS

    def deviations(
        self, of_set: Ints, unit: Ints, sign: Floats, sets: int, variance: Variance
    ) -> list[Deviation | None]:
        """Judges sets of units. `of_set`, `unit` and `sign` are equally long: which units each set has, and whether it
        takes their part (1) or that of the others (-1). None for a set of which nothing can be said.
        """

        def summed(values: Floats) -> Floats:
            return np.asarray(np.bincount(of_set, values, minlength=sets), dtype=np.float64)

        score, information = summed(sign * self.score[unit]), summed(self.information[unit])
        weight, slope = summed(self.weight[unit]), summed(self.variance[unit])
        expected = summed(np.where(sign > 0, self.expected[unit], (self.weight - self.expected)[unit]))
        stray = summed(variance.at(self.information[unit], self.even[unit]))
        moved = self._ratings_moved(of_set, unit, sign, sets)
        found: list[Deviation | None] = []
        for at in range(sets):
            if not information[at] > 0 or not stray[at] > 0:
                found.append(None)
                continue
            lost = float(moved[at] / information[at])
            kept = 1 - lost if self._fitted else 1 / (1 + lost)
            if kept < _MIN_KEPT_SHARE:
                found.append(None)
                continue
            own_slope, mean = float(slope[at] / weight[at]), float(expected[at] / weight[at])
            matches = float(information[at]) / own_slope
            share = min(1.0, max(0.0, mean + float(score[at]) / matches))
            if self._fitted:  # the ratings without the set are further from it
                mean = _logistic(_logit(mean) - lost * float(score[at]) / (float(information[at]) * kept))
            trials = own_slope * matches**2 * kept / float(stray[at])
            found.append(Deviation(share, mean, trials, own_slope, self._fit.elo))
        return found

    def _ratings_moved(self, of_set: Ints, unit: Ints, sign: Floats, sets: int) -> Floats:
        """(sets,): the information of each set that goes into the ratings."""
        starts, parameters, values = self._moved
        size = self._design.parameters
        order = np.argsort(of_set, kind="stable")
        begins = np.searchsorted(of_set[order], np.arange(sets + 1))
        found = np.zeros(sets)
        for first in range(0, sets, _SETS_PER_BATCH):
            last = min(sets, first + _SETS_PER_BATCH)
            chosen = order[begins[first] : begins[last]]
            places, owner = runs_at(starts, unit[chosen])
            cells = (of_set[chosen][owner] - first)[:, None] * size + parameters[places]
            signed = sign[chosen][owner][:, None] * values[places]
            along = np.bincount(cells.ravel(), signed.ravel(), minlength=(last - first) * size)
            along = along.reshape(last - first, size)
            found[first:last] = ((along @ self._fit.inverse) * along).sum(axis=1)
        return found


def _logistic(logit: float) -> float:
    return 1 / (1 + exp(-min(30.0, max(-30.0, logit))))


def _logit(share: float) -> float:
    bounded = min(1 - 1e-12, max(1e-12, share))
    return log(bounded / (1 - bounded))
