"""Measures the sequential test: how often it errs, and how many matches it takes beside a test of fixed size.

Observations are generated and have the effect that a row names, by construction: a program's normalised Elo is exactly
that of the lower bound, of the middle, or of the upper bound. This is not a timing: it is seeded, and the same on every
machine.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import NormalDist

import click
import numpy as np
from numpy.typing import NDArray

from fudaba.seatings import seating_count
from fudaba.sequential import ELO_PER_EFFECT, BadBounds, SequentialRun, SequentialTest, Verdict

__all__ = ["WORLDS", "Measured", "World", "main", "measured"]

Floats = NDArray[np.float64]
_SAMPLE_BLOCKS = 400_000
"""The number of blocks from which a world's standard deviation is computed."""
_DEVIATION_SEED = 1_000_000


@dataclass(frozen=True)
class World:
    """A kind of game, as the differences of two even programs in its blocks."""

    name: str
    seats: int
    even: Callable[[int, int, np.random.Generator], Floats]
    """Returns the mean differences of this many blocks of this many matches, of two even programs."""
    split: float | None = None
    """For games that are won or lost, the share of blocks in which both programs win once."""

    def differences(self, effect: float, blocks: int, deviation: float, chance: np.random.Generator) -> Floats:
        """Returns the differences of blocks whose mean is this many standard deviations."""
        matches = seating_count(self.seats)
        if self.split is None:
            return self.even(blocks, matches, chance) + effect * deviation
        won = (1 - self.split) / 2
        ahead = effect * np.sqrt((1 - self.split) / (1 + effect * effect)) / 2
        return np.asarray(chance.choice([1.0, 0.0, -1.0], blocks, p=[won + ahead, self.split, won - ahead]))

    def deviation(self) -> float:
        """Returns the standard deviation of a block of two even programs."""
        chance = np.random.default_rng(_DEVIATION_SEED)
        return float(self.even(_SAMPLE_BLOCKS, seating_count(self.seats), chance).std())


def _won_or_lost(blocks: int, matches: int, chance: np.random.Generator) -> Floats:
    return np.asarray(chance.choice([1.0, -1.0], (blocks, matches)).mean(axis=1))


def _normal(blocks: int, matches: int, chance: np.random.Generator) -> Floats:
    luck = chance.normal(size=(blocks, 1))
    return np.asarray((luck + 2 * chance.normal(size=(blocks, matches))).mean(axis=1))


def _heavy(blocks: int, matches: int, chance: np.random.Generator) -> Floats:
    """Returns differences whose fourth moment is infinite: Student's t with three degrees of freedom."""
    return np.asarray(chance.standard_t(3, (blocks, matches)).mean(axis=1))


def _rare(blocks: int, matches: int, chance: np.random.Generator) -> Floats:
    """Returns small differences, but in one match in ten one of the programs takes twenty times as much."""
    small = chance.normal(size=(blocks, matches))
    great = 20 * chance.choice([1.0, -1.0], (blocks, matches))
    return np.asarray(np.where(chance.random((blocks, matches)) < 0.1, great, small).mean(axis=1))


def _one_sided(blocks: int, matches: int, chance: np.random.Generator) -> Floats:
    """Returns the differences of a program that nearly always takes a little, and loses it all in one match of
    twenty.
    """
    lost = chance.random((blocks, matches)) < 0.05
    return np.asarray((np.where(lost, -19.0, 1.0) + chance.normal(size=(blocks, matches))).mean(axis=1))


WORLDS = (
    World("won or lost, half of the deals decided by the cards", 2, _won_or_lost, 0.5),
    World("won or lost, nine deals of ten decided by the cards", 2, _won_or_lost, 0.9),
    World("points", 2, _normal),
    World("points with heavy tails (t, three degrees)", 2, _heavy),
    World("points, one match in ten for twenty times as much", 2, _rare),
    World("points with heavy tails, three seats", 3, _heavy),
    World("points with heavy tails, five seats", 5, _heavy),
    World("often a little won, one match in twenty much lost", 2, _one_sided),
)


@dataclass
class Measured:
    """The tests of a world at an effect."""

    world: str
    seats: int
    elo: float
    """The true normalised Elo."""
    tests: int
    better: float
    """The share of tests with the verdict `BETTER`."""
    not_better: float
    undecided: float
    mean_matches: float
    late_matches: float
    """The number of matches that is enough for nine of ten tests."""
    fixed_matches: float
    """The number of matches of a test of fixed size with the same error rates."""
    missed: float
    """The share of tests in which the always-valid interval excluded the truth at any time."""


def fixed_matches(test: SequentialTest, matches_per_block: int) -> float:
    """Returns the size of a test of fixed size with the same error rates, by the normal distribution."""
    width = (test.high - test.low) / ELO_PER_EFFECT * np.sqrt(matches_per_block)
    normal = NormalDist()
    blocks = ((normal.inv_cdf(1 - test.alpha) + normal.inv_cdf(1 - test.beta)) / width) ** 2
    return float(blocks * matches_per_block)


def measured(world: World, test: SequentialTest, elo: float, tests: int, max_blocks: int, seed: int = 0) -> Measured:
    """Returns the results of that many tests of programs with this true effect."""
    matches = seating_count(world.seats)
    chance, deviation = np.random.default_rng(seed), world.deviation()
    effect = elo / ELO_PER_EFFECT * np.sqrt(matches)
    true_mean = None if world.split is not None else effect * deviation
    verdicts, lengths, missed = [], [], 0
    for _ in range(tests):
        run, excluded = SequentialRun(test, matches), False
        for difference in world.differences(effect, max_blocks, deviation, chance).tolist():
            verdict = run.add(difference)
            half, mean = run.half, run.mean
            if half is not None and mean is not None and true_mean is not None:
                excluded |= abs(mean - true_mean) > half
            if verdict is not Verdict.UNDECIDED:
                break
        verdicts.append(run.verdict)
        lengths.append(run.blocks * matches)
        missed += excluded
    shares = {verdict: verdicts.count(verdict) / tests for verdict in Verdict}
    return Measured(
        world.name,
        world.seats,
        elo,
        tests,
        shares[Verdict.BETTER],
        shares[Verdict.NOT_BETTER],
        shares[Verdict.UNDECIDED],
        float(np.mean(lengths)),
        float(np.quantile(lengths, 0.9)),
        fixed_matches(test, matches),
        missed / tests,
    )


@click.command()
@click.option("--tests", type=click.IntRange(min=1), default=4_000, show_default=True, help="Tests of each row.")
@click.option("--low", default=0.0, show_default=True, help="The lower bound, in normalised Elo.")
@click.option("--high", default=30.0, show_default=True, help="The upper bound, in normalised Elo.")
@click.option(
    "--max-blocks", type=click.IntRange(min=1), default=5_000, show_default=True, help="Blocks after which a test ends."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(tests: int, low: float, high: float, max_blocks: int, as_json: bool) -> None:
    """Measure how often the sequential test of two programs errs, and its length beside a test of fixed size."""
    try:
        test = SequentialTest(low, high)
    except BadBounds as error:
        raise click.UsageError(str(error)) from None
    rows = []
    if not as_json:
        print(f"| results | seats | true effect | better | not better | matches, mean (9 of 10) | fixed |"
              f" interval misses ({tests} tests) |")  # fmt: skip
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for world in WORLDS:
        for elo in (low, (low + high) / 2, high):
            found = measured(world, test, elo, tests, max_blocks)
            rows.append(asdict(found))
            if not as_json:
                missed = "" if world.split is not None else f"{found.missed:.1%}"
                print(f"| {world.name} | {world.seats} | {elo:g} | {found.better:.1%} | {found.not_better:.1%} |"
                      f" {found.mean_matches:,.0f} ({found.late_matches:,.0f}) | {found.fixed_matches:,.0f} |"
                      f" {missed} |", flush=True)  # fmt: skip
    if as_json:
        json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
