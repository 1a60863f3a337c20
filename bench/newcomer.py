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
from hashlib import sha256
from math import inf
from typing import Final, final

import click
import numpy as np

from bench.ratings import ELO, MARGIN_POINTS, WORLDS, Floats, World, block_of
from bench.rows import progress
from fudaba_arena.ladder.ratings import BlockResult, Fit, fit
from fudaba_arena.schedule.next_block import KnownRating
from fudaba_arena.schedule.pairing import Contender, PairingRules, choose
from fudaba_arena.schedule.seeds import pairing_seed

NEWCOMER: Final = "newcomer"
_FIELD_SIZE: Final = 20
_FIELD_SPREAD_POINTS: Final = 200.0
_PROVISIONAL_BLOCKS: Final = 10
_RATED_BLOCKS_PER_NEW: Final = 20
"""The number of rated blocks for each block that the ratings may lack when blocks are chosen, as in a season."""
_MAX_BLOCKS: Final = 5_000


@final
class Ladder:
    """A ladder that plays one block at a time."""

    def __init__(self, world: World, narrow: float, seed: int) -> None:
        self._world, self._narrow = world, narrow
        self._chance = np.random.default_rng(seed)
        self._master = sha256(f"newcomer {seed}".encode()).digest()
        self._logits = dict(zip([f"bot{number:02}" for number in range(world.bots)], world.strengths(), strict=True))
        self._results: list[BlockResult] = []
        self._blocks = dict.fromkeys(self._logits, 0)
        self._known: dict[str, KnownRating] = {}
        self._known_blocks = -1
        self.met: list[str] = []
        """The opponents that the newcomer has met, block by block."""

    def settle(self) -> None:
        """Plays until no bot needs a block."""
        while self._play_block():
            pass

    def enter(self, points: float) -> None:
        """Enters another bot, this many Elo points above the mean of the field."""
        self._logits[NEWCOMER] = points / ELO * 2 * self._world.noise
        self._blocks[NEWCOMER] = 0

    def blocks_until(self, halves: Sequence[float]) -> list[int]:
        """Returns the number of its blocks after which the newcomer was within each of these intervals, widest
        first.
        """
        reached: list[int] = []
        looked = 0
        while len(reached) < len(halves) and self._blocks[NEWCOMER] < _MAX_BLOCKS:
            self._play_block(anyway=True)
            played = self._blocks[NEWCOMER]
            if played < looked + max(1, looked // _RATED_BLOCKS_PER_NEW):
                continue
            looked, half = played, self.rated()[NEWCOMER].half
            reached += [played for asked in halves[len(reached) :] if half <= asked]
        return reached + [_MAX_BLOCKS] * (len(halves) - len(reached))

    def rated(self) -> Fit:
        """Returns the ratings from everything played so far."""
        return fit(self._results, bots=self._logits, win_margin=MARGIN_POINTS)

    def distances(self) -> tuple[list[float], list[float]]:
        """Returns the distances in rating from the newcomer to its opponents, and to all other bots."""
        ratings = {rating.bot: rating.rating for rating in self.rated().ratings}
        own = ratings.pop(NEWCOMER)
        return [abs(ratings[bot] - own) for bot in self.met], [abs(rating - own) for rating in ratings.values()]

    def _play_block(self, *, anyway: bool = False) -> bool:
        """Plays the block that the ladder chooses. With `anyway`, the newcomer needs one, however certain its rating
        is.
        """
        self._rate_again()
        contenders = [self._contender(bot) for bot in self._logits]
        if anyway:
            contenders = [replace(each, needs=True) if each.name == NEWCOMER else each for each in contenders]
        choice = choose(contenders, PairingRules(2), pairing_seed(self._master, len(self._results)))
        if choice is None:
            return False
        ((first, second),) = choice.groups
        ahead, luck = np.array([self._logits[first] - self._logits[second]]), self._chance.normal(size=1)
        (points,) = self._world.points(ahead, luck, self._chance)
        self._results.append(block_of(len(self._results), first, second, *points))
        for bot in (first, second):
            self._blocks[bot] += 1
        if NEWCOMER in (first, second):
            self.met.append(second if first == NEWCOMER else first)
        return True

    def _contender(self, bot: str) -> Contender:
        known, played = self._known.get(bot, KnownRating(1500.0, inf)), self._blocks[bot]
        needs = played < _PROVISIONAL_BLOCKS or known.half > self._narrow
        return Contender(bot, bot, True, played, needs, known.rating, known.half_after(played))

    def _rate_again(self) -> None:
        played = len(self._results)
        if not played or played < self._known_blocks + max(1, self._known_blocks // _RATED_BLOCKS_PER_NEW):
            return
        self._known = {each.bot: KnownRating(each.rating, each.half, each.blocks) for each in self.rated().ratings}
        self._known_blocks = played


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
                ladder = deepcopy(settled)
                ladder.enter(points)
                row.blocks.append(ladder.blocks_until(asked))
                met, everybody = ladder.distances()
                row.met += met
                row.everybody += everybody
        for points, row in rows.items():
            blocks = " | ".join(spread_of(column) for column in np.array(row.blocks, dtype=float).T)
            near, far = np.median(row.met), np.median(row.everybody)
            print(f"| {world.name} | {points:+.0f} | {blocks} | {near:.0f} | {far:.0f} |", flush=True)


if __name__ == "__main__":
    main()
