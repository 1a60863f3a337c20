"""Measures the caps on the shares of opponents in a ladder: what they cost honest bots, and what friends still gain.

The ladder is simulated, see `bench.simulated_ladder`. Honest ladders play until all of their bots are within some
interval. In the others, friends lose to a bot of middling strength; its gain is by how much its rating is above its
true strength, both against the mean of the honest bots. Not a timing: seeded, the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import click
import numpy as np

from bench.ratings import WORLDS
from bench.rows import progress
from bench.simulated_ladder import Friends, Ladder

_FIELD_SIZE: Final = 20
_SPREADS_POINTS: Final = (200.0, 400.0)
_FRIENDS: Final = ("friend0", "friend1", "friend2")
_LIFTED: Final = "bot08"
"""The middle of the honest bots, of which there are three fewer than in the ladder."""
_Shares = tuple[float, float]
SHARES: Final[tuple[_Shares, ...]] = ((0.0, 0.0), (0.25, 0.4))
"""`pair_share` and `author_share` of the ladders that are compared."""
_AUTHORS: Final = {"one author": ("x", "x", "x"), "three authors": ("x", "y", "z")}


def blocks_until(shares: _Shares, spread: float, half: float, seed: int) -> int:
    """Returns the number of blocks until every bot of an honest ladder is within an interval."""
    ladder = Ladder(replace(WORLDS[0], bots=_FIELD_SIZE, spread=spread), half, seed, shares=shares)
    ladder.settle()
    return ladder.blocks


def lifted(shares: _Shares, authors: tuple[str, ...], blocks: int, seed: int) -> tuple[float, float]:
    """Returns by how many points friends lift a bot, and their share of its blocks."""
    world = replace(WORLDS[0], bots=_FIELD_SIZE - len(_FRIENDS), spread=_SPREADS_POINTS[0])
    ladder = Ladder(world, 1.0, seed, shares=shares, friends=Friends(_LIFTED, _FRIENDS, authors))
    while ladder.blocks < blocks:
        ladder.play_block()
    ratings = ladder.rated()
    honest = [rated.bot for rated in ratings.ratings if rated.bot not in _FRIENDS]
    mean = float(np.mean([ratings[bot].rating for bot in honest]))
    met = ladder.met[_LIFTED]
    share = sum(met[friend] for friend in _FRIENDS) / met.total()
    return ratings[_LIFTED].rating - mean - ladder.true_points(_LIFTED), share


def mean_of(values: Sequence[float], digits: int = 0) -> str:
    """Returns the mean and half its interval of 95 %."""
    half = 1.96 * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return f"{np.mean(values):,.{digits}f} ± {half:,.{digits}f}"


@click.command()
@click.option("--ladders", type=click.IntRange(min=2), default=10, show_default=True, help="Ladders of each row.")
@click.option("--half", type=click.FloatRange(min=1), default=20.0, show_default=True, help="The interval to reach.")
@click.option(
    "--blocks", type=click.IntRange(min=100), default=1000, show_default=True, help="Blocks of a ladder with friends."
)
def main(ladders: int, half: float, blocks: int) -> None:
    """Measure what caps on the shares of opponents cost honest bots, and what friends gain with them."""
    print("| spread of the field | caps | matches until all are within the interval |\n| --- | --- | --- |")
    for spread in _SPREADS_POINTS:
        for shares in SHARES:
            progress(f"honest ladders, {spread:g}", 0, 1)
            matches = [2.0 * blocks_until(shares, spread, half, seed) for seed in range(ladders)]
            print(f"| {spread:g} | {_words(shares)} | {mean_of(matches)} |", flush=True)
    print("\n| friends | caps | gain, Elo | their share of its blocks |\n| --- | --- | --- | --- |")
    for name, authors in _AUTHORS.items():
        for shares in SHARES:
            progress(f"friends of {name}", 0, 1)
            found = [lifted(shares, authors, blocks, seed) for seed in range(ladders)]
            gain, part = mean_of([gain for gain, _ in found]), mean_of([100 * share for _, share in found])
            print(f"| three of {name} | {_words(shares)} | {gain} | {part} % |", flush=True)


def _words(shares: _Shares) -> str:
    return f"{shares[0]:g} / {shares[1]:g}" if any(shares) else "none"


if __name__ == "__main__":
    main()
