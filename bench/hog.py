"""Measures the share of four fast ladder bots beside a bot that always uses up its clock. See scripts/bench hog."""

from __future__ import annotations

import math
import time
from statistics import median

import click

from bench.arena import sleepers, tournament
from bench.standing import Standing, standing, wait_until

_FAST_BOT_COUNT = 4
_HOG = "hog"
_CLOCK = "[clock]\nmove_ms = 3000\nincrement_ms = 0\nbank_ms = 0\nmax_timeouts = 0\n"
"""The clock. A match of the hog takes half a minute: ten decisions, none of which it answers."""
_SLEEP_SECONDS = 0.2
"""The time that the other bots sleep before each move. They use so little CPU that bots compete for the arena's room
and not for the machine. Their matches take four seconds.
"""
_WARM_UP_SECONDS = 5.0
_GOAL_RATIO = 0.75


def _matches(arena: Standing, season: str, seconds: float) -> tuple[int, int]:
    """Returns how many matches the fast bots play with each other in a number of seconds, and how many the hog
    plays.
    """
    before = arena.played(season)
    wait_until(lambda: arena.played(season) > before)
    time.sleep(_WARM_UP_SECONDS)
    begun, until = arena.played(season), time.monotonic() + seconds
    time.sleep(max(0.0, until - time.monotonic()))
    found = [f"{_HOG}-0" in bots for bots in arena.closed_bots(season, begun)]
    return found.count(False), found.count(True)


@click.command()
@click.option("--runs", type=click.IntRange(min=1), default=5, show_default=True)
@click.option(
    "--seconds",
    type=click.FloatRange(min=1),
    default=120.0,
    show_default=True,
    help="Length of each half of a run: beside the hog, and alone.",
)
def main(runs: int, seconds: float) -> None:
    """Measure how many matches four fast bots play beside a hog, and alone, in turn.

    Takes about 22 minutes: for each of --runs, twice --seconds and twenty seconds more.
    """
    ratios: list[float] = []
    print("| alone, matches | beside it | its own | ratio |\n| --- | --- | --- | --- |")
    with (
        standing() as arena,
        sleepers(arena, _SLEEP_SECONDS, _FAST_BOT_COUNT) as fast,
        sleepers(arena, 3600, 1, _HOG) as hog,
    ):
        arena.add_worker("--bots", "16")
        ladders = [tournament(_CLOCK + bots, concurrency=8, ladder=True) for bots in (fast, fast + hog)]
        for season, text in ladders:
            arena.create(text, ladder=True)
            arena.pause_ladder(season)
        for _ in range(runs):
            counts = []
            for season, _ in ladders:
                arena.resume_ladder(season)
                counts.append(_matches(arena, season, seconds))
                arena.pause_ladder(season)
            (alone, _), (beside, own) = counts
            ratios.append(beside / alone if alone else math.nan)
            print(f"| {alone} | {beside} | {own} | {ratios[-1]:.2f} |", flush=True)
    print(f"\nbeside a hog: median {median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}), goal ≥ {_GOAL_RATIO}")


if __name__ == "__main__":
    main()
