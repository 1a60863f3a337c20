"""Measures by how much a crowd of weak or strong versions moves the leader of a ladder: with the mean of the field as
the zero of ratings, and with a panel.

A ladder of twenty bots is simulated as in `bench.newcomer`, until each is within `narrow`. Then an account enters
thirty versions of one strength, which play ten blocks each. A panel has three bots; their strengths were measured with
blocks among them, by the same model of results. This is not a timing: it is seeded, and the same on every machine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import click
import numpy as np

from bench.ratings import ELO, MARGIN_POINTS, TRUTH_BLOCKS, WORLDS, World, block_of
from bench.simulated_ladder import Ladder
from fudaba.intervals import estimate
from fudaba_arena.ladder.ratings import FixedStrengths, fit

__all__ = ["crowded", "main", "panel_of"]

_PANEL: Final = {"panel-sensible": 0.0, "panel-random": -350.0, "panel-first": -200.0}
"""The true strengths of a panel, in Elo points above the mean of the field."""
_FIELD_SIZE: Final = 20
_FIELD_SPREAD_POINTS: Final = 200.0
_NARROW_POINTS: Final = 60.0
_VERSION_COUNT: Final = 30
_BLOCKS_PER_VERSION: Final = 10
_LEADER: Final = f"bot{_FIELD_SIZE - 1:02}"


def panel_of(world: World, blocks: int = TRUTH_BLOCKS) -> FixedStrengths:
    """Measures the panel in a world, as `bench.panel` measures a game's."""
    chance, names = np.random.default_rng(2_000_000), list(_PANEL)
    true = np.array(list(_PANEL.values())) / float(ELO) * 2 * world.noise
    first = chance.integers(0, len(names), blocks)
    other = (first + chance.integers(1, len(names), blocks)) % len(names)
    points = world.points(true[first] - true[other], chance.normal(size=blocks), chance)
    played = [
        block_of(number, names[a], names[b], *scores)
        for number, (a, b, scores) in enumerate(zip(first.tolist(), other.tolist(), points, strict=True))
    ]
    found = fit(played, win_margin=MARGIN_POINTS, anchor=names[0])
    ratings = {name: found[name] for name in names}
    return FixedStrengths(
        {name: rating.rating - 1500 for name, rating in ratings.items()},
        {name: rating.half for name, rating in ratings.items()},
        found.spread,
    )


def crowded(world: World, panel: FixedStrengths | None, strength: float, seed: int) -> tuple[float, float, float]:
    """Returns the leader's rating and half interval before the versions enter, and its rating after their blocks."""
    ladder = Ladder(world, _NARROW_POINTS, seed, panel=panel)
    for name in panel.above if panel is not None else ():
        ladder.enter(name, _PANEL[name])
    ladder.settle()
    before = ladder.rated()[_LEADER]
    for number in range(_VERSION_COUNT):
        name, played = f"crowd{number:02}", 0
        ladder.enter(name, strength)
        while played < _BLOCKS_PER_VERSION:
            played += name in ladder.play_block(name)
    return before.rating, before.half, ladder.rated()[_LEADER].rating


@click.command()
@click.option("--ladders", type=click.IntRange(min=2), default=20, show_default=True, help="Ladders of each row.")
def main(ladders: int) -> None:
    """Measure by how much thirty weak or strong versions move a ladder's leader, without a panel and with one."""
    print("| results | versions at | zero | leader before | moved by, Elo |")
    print("| --- | --- | --- | --- | --- |")
    for chosen in WORLDS[:2]:
        world = replace(chosen, bots=_FIELD_SIZE, spread=_FIELD_SPREAD_POINTS)
        for panel in (None, panel_of(world)):
            for strength in (-600.0, 200.0):
                found = [crowded(world, panel, strength, seed) for seed in range(ladders)]
                moved = estimate([after - before for before, _, after in found])
                assert moved is not None
                before, half = (float(np.mean([row[place] for row in found])) for place in (0, 1))
                zero = "the field" if panel is None else "a panel"
                print(
                    f"| {world.name} | {strength:+.0f} | {zero} | {before:.0f} ± {half:.0f} |"
                    f" {moved.value:+.0f} ± {moved.half:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
