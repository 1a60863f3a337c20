"""How much a duplicate block takes the luck out: the variance of a bot's block score, duplicate and independent deals.

The independent block has as many matches in the same seatings, each on a deal of its own. Not a timing: play in
process, seeded, the same on every machine for the same number of blocks.
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

Scores = NDArray[np.float64]

RESAMPLES = 2000
LEAST = 300
"""Blocks; with much fewer a strong bot may win all of them, and nothing varies."""


@dataclass(frozen=True)
class Field:
    """Who plays which game."""

    game: str
    bots: tuple[str, ...]
    """Built-in bots, as many as there are seats."""

    def __str__(self) -> str:
        counts = {name: self.bots.count(name) for name in sorted(set(self.bots))}
        return f"{self.game.capitalize()}, {', '.join(f'{count} {name}' for name, count in counts.items())}"


FIELDS = (
    Field("naga", ("random", "random")),
    Field("naga", ("sensible", "random")),
    Field("naga", ("sensible", "sensible")),
    Field("napoleon", ("random",) * 5),
    Field("napoleon", ("sensible", "sensible", "random", "random", "random")),
    Field("napoleon", ("sensible",) * 5),
)


@dataclass(frozen=True)
class Variances:
    """Of a bot's score in a block, the mean over the bots."""

    blocks: int
    duplicate: float
    independent: float
    low: float
    high: float
    """95 % interval of their ratio, by the bootstrap over blocks."""

    @property
    def ratio(self) -> float:
        """The duplicate blocks' over the others'."""
        return _ratio(self.duplicate, self.independent)


def measure_blocks(field: Field, seconds: float) -> Variances:
    """Plays both kinds of blocks in turn, for so long."""
    duplicate: list[list[float]] = []
    independent: list[list[float]] = []
    until = time.monotonic() + seconds
    with LocalRunner(field.game, {"deals": 1}, contract=False) as runner:
        names = [f"bot{place}" for place in range(len(field.bots))]
        factories = {
            name: built_in(bot, place) for place, (name, bot) in enumerate(zip(names, field.bots, strict=True))
        }
        while time.monotonic() < until or len(duplicate) < LEAST:
            number = len(duplicate)
            duplicate.append(_block(runner, names, factories, [f"{number}"] * len(seatings(names))))
            independent.append(_block(runner, names, factories, [f"{number} {i}" for i in range(len(seatings(names)))]))
    one, other = np.array(duplicate), np.array(independent)
    low, high = _interval(one, other)
    return Variances(len(one), _variance(one), _variance(other), low, high)


def _block(
    runner: LocalRunner, names: Sequence[str], factories: dict[str, BotFactory], deals: Sequence[str]
) -> list[float]:
    """Each bot's summed score over all seatings, on these deals."""
    sums = dict.fromkeys(names, 0.0)
    for seating, deal in zip(seatings(names), deals, strict=True):
        seed = sha256(f"fudaba-bench-blocks {deal}".encode()).digest()
        result = runner.play([factories[name] for name in seating], seating, "bench", seed)
        for name, score in zip(seating, result.scores, strict=True):
            sums[name] += score
    return [sums[name] for name in names]


def _ratio(duplicate: float, independent: float) -> float:
    """Where a strong bot has won everything, nothing varies."""
    if independent:
        return duplicate / independent
    return inf if duplicate else 1.0


def _variance(scores: Scores) -> float:
    """(blocks, bots): the variance over the blocks, the mean over the bots."""
    return float(scores.var(axis=0, ddof=1).mean())


def _interval(duplicate: Scores, independent: Scores) -> tuple[float, float]:
    """95 % of what the ratio is when blocks are drawn again from these, with repetition."""
    chance = np.random.default_rng(0)
    ratios = []
    for _ in range(RESAMPLES):
        one, other = (each[chance.integers(len(each), size=len(each))] for each in (duplicate, independent))
        ratios.append(_ratio(_variance(one), _variance(other)))
    low, high = np.quantile(ratios, [0.025, 0.975], method="nearest")  # among them may be infinite ones
    return float(low), float(high)
