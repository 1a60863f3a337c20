"""Measures the blocks that a newcomer of a ladder needs until its interval is narrow, and its opponents on the way.

The ladder is simulated with the product's own choice of blocks and its own fit of ratings; the model of `bench.ratings`
draws the results. All bots of the ladder begin at once and play until each is within `narrow`. Then another bot enters,
and plays until it is within the narrowest interval asked for. Matches have two seats, a block has two matches, and no
bot remembers anything. This is not a timing: it is seeded, and the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Final, final

import click
import numpy as np

from bench.ratings import WORLDS, Floats
from bench.rows import progress
from bench.simulated_ladder import RATED_BLOCKS_PER_NEW, Ladder

NAME: Final = "newcomer"
_FIELD_SIZE: Final = 20
_FIELD_SPREAD_POINTS: Final = 200.0
_MAX_BLOCKS: Final = 5_000


@final
class Newcomer:
    """A bot that enters a ladder which has settled, and plays there."""

    def __init__(self, ladder: Ladder, points: float) -> None:
        """`points` says how far above the mean of the field it is, in Elo points."""
        self._ladder = ladder
        ladder.enter(NAME, points)
        self.met: list[str] = []
        """Its opponents, block by block."""

    def blocks_until(self, halves: Sequence[float]) -> list[int]:
        """Returns the number of its blocks after which it was within each of these intervals, widest first."""
        reached: list[int] = []
        looked = played = 0
        while len(reached) < len(halves) and played < _MAX_BLOCKS:
            players = self._ladder.play_block(NAME)
            if NAME in players:
                played += 1
                self.met += [bot for bot in players if bot != NAME]
            if played < looked + max(1, looked // RATED_BLOCKS_PER_NEW):
                continue
            looked, half = played, self._ladder.rated()[NAME].half
            reached += [played for asked in halves[len(reached) :] if half <= asked]
        return reached + [_MAX_BLOCKS] * (len(halves) - len(reached))

    def distances(self) -> tuple[list[float], list[float]]:
        """Returns the distances in rating from it to its opponents, and to all other bots."""
        ratings = {rating.bot: rating.rating for rating in self._ladder.rated().ratings}
        own = ratings.pop(NAME)
        return [abs(ratings[bot] - own) for bot in self.met], [abs(rating - own) for rating in ratings.values()]


@dataclass
class _Row:
    """The results of the newcomers of one strength."""

    blocks: list[list[int]] = field(default_factory=list)
    """The number of blocks that each newcomer needed for each half interval."""
    met: list[float] = field(default_factory=list)
    """The distance in rating from its opponents."""
    everybody: list[float] = field(default_factory=list)
    """The distance in rating from all other bots."""


def spread_of(values: Floats | Sequence[float]) -> str:
    """Returns the median, and the 10th and 90th percentiles."""
    low, middle, high = np.percentile(np.asarray(values), (10, 50, 90))
    return f"{middle:.0f} ({low:.0f}-{high:.0f})"


@click.command()
@click.option("--ladders", type=click.IntRange(min=1), default=5, show_default=True, help="Ladders of each row.")
@click.option(
    "--narrow", type=click.FloatRange(min=1), default=60.0, show_default=True, help="`narrow`, as in a ladder's file."
)
@click.option(
    "--half",
    "halves",
    type=click.FloatRange(min=1),
    multiple=True,
    default=(100, 60, 50, 40),
    show_default=True,
    help="A half-width of the interval to reach, in Elo points; repeatable.",
)
def main(ladders: int, narrow: float, halves: tuple[float, ...]) -> None:
    """Measure the blocks that a newcomer needs until its interval is narrow, and its opponents on the way."""
    asked = sorted(halves, reverse=True)
    print(f"| results | strength | {' | '.join(f'± {half:g}' for half in asked)} | from those met | from all |")
    print(f"| --- | --- {'| --- ' * (len(asked) + 2)}|")
    for world in WORLDS[:2]:
        rows: dict[float, _Row] = {0.0: _Row(), 2 * _FIELD_SPREAD_POINTS: _Row()}
        for seed in range(ladders):
            progress(world.name, seed, ladders)
            settled = Ladder(replace(world, bots=_FIELD_SIZE, spread=_FIELD_SPREAD_POINTS), narrow, seed)
            settled.settle()
            for points, row in rows.items():
                newcomer = Newcomer(deepcopy(settled), points)
                row.blocks.append(newcomer.blocks_until(asked))
                met, everybody = newcomer.distances()
                row.met += met
                row.everybody += everybody
        for points, row in rows.items():
            blocks = " | ".join(spread_of(column) for column in np.array(row.blocks, dtype=float).T)
            near, far = np.median(row.met), np.median(row.everybody)
            print(f"| {world.name} | {points:+.0f} | {blocks} | {near:.0f} | {far:.0f} |", flush=True)


if __name__ == "__main__":
    main()
