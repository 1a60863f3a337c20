"""Measures how accurate the ratings are: it fits generated results whose truth is known, from a model other than the
fit's own.

The fit assumes nothing about the distribution of scores around their expectation. Here they are normal, have heavy
tails or are often even; matches of a deal share much luck or none; and bots meet everybody or only their neighbours.
Bots may have a form that lasts for some blocks, in which they are better or worse than in others. The truth comes from
the same model: it is the ratings of a fit to very many blocks. This is not a timing: it is seeded, and the same on
every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

import click
import numpy as np
from numpy.typing import NDArray

from fudaba_arena.ladder.ratings import BlockResult, Fit, RatedMatch, fit

Floats = NDArray[np.float64]

ELO = 400 / np.log(10)
MARGIN_POINTS = 40.0
"""The largest difference of two scores."""
SEAT_LOGITS = 0.2
"""The advantage of the first seat, in logits."""
TRUTH_BLOCKS = 150_000


@dataclass(frozen=True)
class World:
    """The model that generates the results."""

    name: str
    bots: int
    spread: float
    """The standard deviation of the ratings, in Elo points."""
    scores: Callable[[Floats, Floats, np.random.Generator], Floats]
    """The score of the first seat, 0 to 1, from a match's difference of strengths and its deal's luck, standard
    normal."""
    noise: float = 0.5
    """The standard deviation of two even bots' share, which is the scale of the ratings: 1/2 if matches are won or
    lost.
    """
    neighbours: bool = False
    form: float = 0.0
    """The standard deviation of a bot's form, in Elo points."""
    form_blocks: int = 0
    """The number of blocks for which a bot's form lasts."""

    def strengths(self) -> Floats:
        """Returns the strengths in logits, weakest first. They are the same in every simulation."""
        places = (np.arange(self.bots) + 0.5) / self.bots
        normal = np.array([NormalDist().inv_cdf(place) for place in places.tolist()])
        return np.asarray(normal * self.spread / ELO * 2 * self.noise)

    def play(self, blocks: int, chance: np.random.Generator) -> list[BlockResult]:
        """Returns a number of blocks of two matches, one deal from both seats."""
        true = self.strengths()
        first = chance.integers(0, self.bots - 1, blocks) if self.neighbours else chance.integers(0, self.bots, blocks)
        second = first + 1 if self.neighbours else (first + chance.integers(1, self.bots, blocks)) % self.bots
        ahead, luck = true[first] - true[second], chance.normal(size=blocks)
        if self.form_blocks:
            ahead += self._form(first, second, chance)
        points = self.points(ahead, luck, chance)
        names = [f"bot{number:03}" for number in range(self.bots)]
        return [
            block_of(number, names[a], names[b], *scores)
            for number, (a, b, scores) in enumerate(zip(first.tolist(), second.tolist(), points, strict=True))
        ]

    def points(self, ahead: Floats, luck: Floats, chance: np.random.Generator) -> list[list[int]]:
        """Returns, for each block, the scores of the first seat in both matches; in the second the bots have changed
        seats.
        """
        shares = np.stack(
            [self.scores(SEAT_LOGITS + ahead, luck, chance), self.scores(SEAT_LOGITS - ahead, luck, chance)], axis=1
        )
        points: list[list[int]] = np.rint((2 * np.clip(shares, 0, 1) - 1) * MARGIN_POINTS).astype(int).tolist()
        return points

    def _form(self, first: NDArray[np.int64], second: NDArray[np.int64], chance: np.random.Generator) -> Floats:
        """Returns by how much the first bot's form is better than the second's in each block, in logits."""
        ahead = np.zeros(len(first))
        for bot in range(self.bots):
            played = np.flatnonzero((first == bot) | (second == bot))
            form = chance.normal(size=len(played) // self.form_blocks + 1)[np.arange(len(played)) // self.form_blocks]
            ahead[played] += np.where(first[played] == bot, form, -form)
        return np.asarray(ahead * self.form / ELO * 2 * self.noise)


def block_of(number: int, a: str, b: str, score: int, other: int) -> BlockResult:
    """Returns a block of two matches, by the scores of their first seats."""
    first = RatedMatch(f"{number}-a", 0, (a, b), (score, -score))
    return BlockResult(number, (first, RatedMatch(f"{number}-b", 0, (b, a), (other, -other))))


def _logistic(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))


def _won_or_lost(ahead: Floats, luck: Floats, chance: np.random.Generator) -> Floats:
    return np.asarray((ahead + luck + chance.logistic(size=len(ahead)) > 0).astype(float))


def _points(ahead: Floats, luck: Floats, chance: np.random.Generator) -> Floats:
    """Returns normal scores, with as much noise at the ends of the field as in the middle."""
    return _logistic(ahead) + 0.07 * luck + 0.18 * chance.normal(size=len(ahead))


def _heavy_points(ahead: Floats, luck: Floats, chance: np.random.Generator) -> Floats:
    return _logistic(ahead) + 0.06 * luck + 0.13 * chance.standard_t(4, size=len(ahead))


def _drawn_points(ahead: Floats, luck: Floats, chance: np.random.Generator) -> Floats:
    """Returns shares of which three in ten are draws, whoever plays."""
    shares = _points(ahead, luck, chance)
    return np.where(chance.random(len(ahead)) < 0.3, 0.5, shares)


WORLDS = (
    World("won or lost, a deal's luck", 8, 150, _won_or_lost),
    World("points", 8, 100, _points, 0.2),
    World("points, a wide field", 8, 400, _points, 0.2),
    World("points with heavy tails, a wide field", 8, 400, _heavy_points, 0.2),
    World("points and draws, a wide field", 8, 400, _drawn_points, 0.2),
    World("points, a wide field, neighbours paired", 12, 400, _points, 0.2, neighbours=True),
    *(
        World(f"won or lost, a form of ± 100 that lasts {lasting}", 8, 150, _won_or_lost, form=100, form_blocks=blocks)
        for blocks, lasting in ((1, "1 block"), (5, "5 blocks"), (15, "15 blocks"), (60, "60 blocks"))
    ),
)
MANY = World("points, neighbours paired", 20, 300, _heavy_points, 0.2, neighbours=True)


def coverage(world: World, blocks: int, simulations: int) -> tuple[float, float]:
    """Returns how often 95 % intervals contain the truth, over all bots and simulations, and their mean half width."""
    truth = _fitted(world.play(TRUTH_BLOCKS, np.random.default_rng(1_000_000)))
    covered, halves = [], []
    for seed in range(simulations):
        found = _fitted(world.play(blocks, np.random.default_rng(seed)))
        covered += [abs(rating.rating - truth[rating.bot].rating) <= rating.half for rating in found.ratings]
        halves += [rating.half for rating in found.ratings]
    return float(np.mean(covered)), float(np.mean(halves))


def _fitted(results: Sequence[BlockResult]) -> Fit:
    return fit(results, win_margin=MARGIN_POINTS)


def converging(blocks: int, seeds: int) -> int:
    """Returns how many of a number of fits of honest results converge."""
    found = 0
    for seed in range(seeds):
        try:
            ratings = _fitted(MANY.play(blocks, np.random.default_rng(seed))).ratings
        except ArithmeticError:
            continue
        # Stronger bots are further up, as neighbours this far apart and so many matches make certain.
        found += all(
            a.rating > b.rating for a, b in pairwise(sorted(ratings, key=lambda rated_bot: rated_bot.bot)[::-1])
        )
    return found


@click.command()
@click.option("--simulations", type=click.IntRange(min=1), default=300, show_default=True, help="Fits of each row.")
@click.option("--blocks", type=click.IntRange(min=1), default=400, show_default=True, help="Blocks of each fit.")
@click.option("--seeds", type=click.IntRange(min=0), default=6, show_default=True, help="Fits of 270,000 blocks.")
def main(simulations: int, blocks: int, seeds: int) -> None:
    """Measure how often the intervals of ratings hold the truth, and whether fits of very many blocks converge."""
    print(f"| results | bots | 95 % intervals that hold the truth ({simulations} fits of {blocks}) | half interval |")
    print("| --- | --- | --- | --- |")
    for world in WORLDS:
        held, half = coverage(world, blocks, simulations)
        print(f"| {world.name} | {world.bots} | {held:.1%} | {half:.0f} |", flush=True)
    if seeds:
        print(f"\n{MANY.name}, 270,000 blocks: {converging(270_000, seeds)} of {seeds} fits converge", file=sys.stdout)


if __name__ == "__main__":
    main()
