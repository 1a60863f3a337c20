"""Measures what a cold fit of a ladder's ratings costs, beside reading the same results. See scripts/bench fitting.

The ladder is simulated: entries with a standard deviation of 200 Elo, of which three opponents in four are near in
strength. A block has two matches, one deal from both seats, as in `bench.ratings`.
"""

from __future__ import annotations

import resource
import time
from typing import Final

import click
import numpy as np
from numpy.typing import NDArray

from bench.ratings import ELO, MARGIN_POINTS, SEAT_LOGITS, WORLDS, World
from fudaba_arena.ladder.ratings import Rows, rate

__all__ = ["main"]

_SPREAD_POINTS: Final = 200.0
_NEAR_SHARE: Final = 0.75
_MAX_NEAR_PLACES: Final = 8
"""The places in the order of strength between a bot and an opponent that is near."""
_KB_PER_MIB: Final = 1024


def played(world: World, entries: int, blocks: int, seed: int) -> tuple[Rows, int]:
    """Returns the results of a simulated ladder, and the number of different ones."""
    chance = np.random.default_rng(seed)
    strengths = np.sort(chance.normal(0, _SPREAD_POINTS / ELO * 2 * world.noise, entries))
    first = chance.integers(0, entries, blocks)
    near = chance.integers(1, min(_MAX_NEAR_PLACES + 1, entries), blocks) * chance.choice([-1, 1], blocks)
    far = chance.integers(1, entries, blocks)
    other = (first + np.where(chance.random(blocks) < _NEAR_SHARE, near, far)) % entries
    ahead, luck = strengths[first] - strengths[other], chance.normal(size=blocks)
    shares = [world.scores(SEAT_LOGITS + side, luck, chance) for side in (ahead, -ahead)]
    scores = [np.rint((2 * np.clip(share, 0, 1) - 1) * MARGIN_POINTS).astype(np.int64) for share in shares]
    kinds, times = np.unique(np.stack([first, other, *scores], axis=1), axis=0, return_counts=True)
    return _rows(kinds, times), len(kinds)


def _rows(kinds: NDArray[np.int64], times: NDArray[np.int64]) -> Rows:
    names, rows = [f"bot{number:05}" for number in range(1 + int(kinds[:, :2].max()))], Rows()
    for (a, b, score, back), count in zip(kinds.tolist(), times.tolist(), strict=True):
        bots = names[a], names[b]
        rows.add([(0, bots, (score, -score), "", ""), (0, bots[::-1], (back, -back), "", "")], count, count // 2)
    return rows


def measured(world: World, entries: int, blocks: int, seed: int) -> str:
    """Simulates a ladder and fits it. Returns a row of the table."""
    before = time.process_time()
    rows, kinds = played(world, entries, blocks, seed)
    results = rows.results()
    reading = time.process_time() - before
    del rows
    before = time.process_time()
    rate(results, win_margin=MARGIN_POINTS).fit()
    fitting = time.process_time() - before
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KB_PER_MIB
    ratio = fitting / reading
    return (
        f"| {world.name} | {entries} | {blocks} | {kinds} | {reading:.1f} | {fitting:.1f} | {ratio:.2f} | {most:.0f} |"
    )


@click.command()
@click.option("--entries", type=click.IntRange(min=2), default=1_000, show_default=True, help="Versions in the ladder.")
@click.option(
    "--blocks",
    type=click.IntRange(min=1),
    multiple=True,
    default=(100_000, 1_000_000),
    show_default=True,
    help="Blocks of the ladder; repeatable.",
)
@click.option("--points", is_flag=True, help="Play for points; otherwise matches are won or lost.")
@click.option("--seed", type=int, default=1, show_default=True)
def main(entries: int, blocks: tuple[int, ...], points: bool, seed: int) -> None:
    """Measure the CPU and the memory of a cold fit of all ratings with their intervals.

    The yardstick is what it takes to simulate and read the same results.
    """
    print("| results | entries | blocks | different | yardstick, s | fit, s | ratio | most memory, MiB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for count in blocks:
        print(measured(WORLDS[1 if points else 0], entries, count, seed), flush=True)


if __name__ == "__main__":
    main()
