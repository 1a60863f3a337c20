"""Measures how much luck a duplicate block removes: the variance of a bot's block score with duplicate and with
independent deals.

The independent block has as many matches in the same seatings, each on a different deal, as a ladder plays it with
`sittings = "fresh"`. Whole seasons show the effect on ratings: how far the ratings of the same bots differ from season
to season. This is not a timing: it plays in process from seeds, and the result is the same on every machine for the
same number of blocks.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import inf

import numpy as np
from numpy.typing import NDArray

from fudaba.bot import BotFactory
from fudaba.bots import built_in
from fudaba.local import LocalRunner
from fudaba.seatings import seatings
from fudaba_arena.ladder.ratings import BlockResult, RatedMatch, fit

Scores = NDArray[np.float64]

RESAMPLE_COUNT = 2000
MIN_BLOCKS = 300
"""The minimum number of blocks. With far fewer, a strong bot may win all of them, and there is no variance."""


@dataclass(frozen=True)
class Field:
    """A game, and the bots that play it."""

    game: str
    bots: tuple[str, ...]
    """Built-in bots, one for each seat."""

    def __str__(self) -> str:
        counts = {name: self.bots.count(name) for name in sorted(set(self.bots))}
        return f"{self.game.capitalize()}, {', '.join(f'{count} {name}' for name, count in counts.items())}"


SEASON_BLOCKS = 40
MIN_SEASONS = 30

FIELDS = (
    Field("naga", ("random", "random")),
    Field("naga", ("sensible", "random")),
    Field("naga", ("sensible", "sensible")),
    Field("napoleon", ("random",) * 5),
    Field("napoleon", ("sensible", "sensible", "random", "random", "random")),
    Field("napoleon", ("sensible",) * 5),
)


RATED_FIELDS = (
    Field("naga", ("first", "random")),
    Field("naga", ("sensible", "first")),
)
"""The fields of different bots, none of which wins every match."""


@dataclass(frozen=True)
class Errors:
    """The standard errors of a bot's rating after a season, in Elo points: root mean square deviation over seasons."""

    seasons: int
    matches: int
    """The number of matches of each season."""
    apart: float
    """The error if a deal is played in every seating."""
    fresh: float
    """The error if each match has its own deal."""
    low: float
    high: float
    """The upper bound of the 95 % interval of their ratio, whose lower bound is `low`, by the bootstrap over
    seasons.
    """

    @property
    def ratio(self) -> float:
        """The errors of duplicate deals divided by those of fresh ones."""
        return _ratio(self.apart, self.fresh)


@dataclass(frozen=True)
class Variances:
    """The variances of a bot's score in a block, as means over the bots."""

    blocks: int
    duplicate: float
    independent: float
    low: float
    high: float
    """The upper bound of the 95 % interval of their ratio, whose lower bound is `low`, by the bootstrap over blocks."""

    @property
    def ratio(self) -> float:
        """The variance of duplicate blocks divided by that of the others."""
        return _ratio(self.duplicate, self.independent)


def measure_blocks(field: Field, seconds: float) -> Variances:
    """Plays both kinds of blocks in turn for a while."""
    duplicate: list[list[float]] = []
    independent: list[list[float]] = []
    until = time.monotonic() + seconds
    with LocalRunner(field.game, {"deals": 1}, contract=False) as runner:
        names, factories = _players(field)
        while time.monotonic() < until or len(duplicate) < MIN_BLOCKS:
            number = len(duplicate)
            duplicate.append(_block(runner, names, factories, [f"{number}"] * len(seatings(names))))
            independent.append(_block(runner, names, factories, [f"{number} {i}" for i in range(len(seatings(names)))]))
    duplicates, other = np.array(duplicate), np.array(independent)
    low, high = _interval(duplicates, other)
    return Variances(len(duplicates), _variance(duplicates), _variance(other), low, high)


def measure_ratings(field: Field, seconds: float) -> Errors:
    """Plays seasons with both kinds of blocks in turn for a while."""
    apart: list[list[float]] = []
    fresh: list[list[float]] = []
    until = time.monotonic() + seconds
    with LocalRunner(field.game, {"deals": 1}, contract=False) as runner:
        names, factories = _players(field)
        while time.monotonic() < until or len(apart) < MIN_SEASONS:
            season = f"season {len(apart)}"
            apart.append(_season(runner, names, factories, season, fresh=False))
            fresh.append(_season(runner, names, factories, season, fresh=True))
    duplicates, other = np.array(apart), np.array(fresh)
    low, high = np.sqrt(_interval(duplicates, other))
    matches = SEASON_BLOCKS * len(seatings(names))
    return Errors(
        len(duplicates), matches, _variance(duplicates) ** 0.5, _variance(other) ** 0.5, float(low), float(high)
    )


def _players(field: Field) -> tuple[list[str], dict[str, BotFactory]]:
    """Returns a name and a factory for each bot of a field."""
    names = [f"bot{place}" for place in range(len(field.bots))]
    factories = {name: built_in(bot, place) for place, (name, bot) in enumerate(zip(names, field.bots, strict=True))}
    return names, factories


def _season(
    runner: LocalRunner, names: Sequence[str], factories: dict[str, BotFactory], season: str, *, fresh: bool
) -> list[float]:
    """Returns each bot's rating after a season."""
    results = []
    for number in range(SEASON_BLOCKS):
        deals = [f"{season} {number}{f' {place}' * fresh}" for place in range(len(seatings(names)))]
        played = _matches(runner, names, factories, deals)
        matches = [
            RatedMatch(f"{number}-{place}", place * fresh, seating, scores)
            for place, (seating, scores) in enumerate(played)
        ]
        results.append(BlockResult(number, tuple(matches)))
    found = fit(results, bots=names)
    return [found[name].rating for name in names]


def _matches(
    runner: LocalRunner, names: Sequence[str], factories: dict[str, BotFactory], deals: Sequence[str]
) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Returns the seating and the scores of a block's matches, one in each seating, on these deals."""
    played = []
    for seating, deal in zip(seatings(names), deals, strict=True):
        seed = sha256(f"fudaba-bench-blocks {deal}".encode()).digest()
        result = runner.play([factories[name] for name in seating], seating, "bench", seed)
        played.append((tuple(seating), tuple(result.scores)))
    return played


def _block(
    runner: LocalRunner, names: Sequence[str], factories: dict[str, BotFactory], deals: Sequence[str]
) -> list[float]:
    """Returns each bot's summed score over all seatings, on these deals."""
    sums = dict.fromkeys(names, 0.0)
    for seating, scores in _matches(runner, names, factories, deals):
        for name, score in zip(seating, scores, strict=True):
            sums[name] += score
    return [sums[name] for name in names]


def _ratio(duplicate: float, independent: float) -> float:
    """Returns the ratio of two variances or errors. There is no variance if a strong bot has won everything."""
    if independent:
        return duplicate / independent
    return inf if duplicate else 1.0


def _variance(scores: Scores) -> float:
    """Returns the variance over the blocks, averaged over the bots, of an array (blocks, bots)."""
    return float(scores.var(axis=0, ddof=1).mean())


def _interval(duplicate: Scores, independent: Scores) -> tuple[float, float]:
    """Returns the 95 % interval of the ratio when blocks are resampled with replacement."""
    chance = np.random.default_rng(0)
    ratios = []
    for _ in range(RESAMPLE_COUNT):
        sample, other = (each[chance.integers(len(each), size=len(each))] for each in (duplicate, independent))
        ratios.append(_ratio(_variance(sample), _variance(other)))
    low, high = np.quantile(ratios, [0.025, 0.975], method="nearest")  # among them may be infinite ones
    return float(low), float(high)
