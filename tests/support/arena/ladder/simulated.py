"""Simulated results of a field whose strengths are known, and how far ratings are from these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import erf, exp, log, sqrt

import numpy as np

from fudaba_arena.ladder.ratings import BlockResult, Fit, RatedMatch
from fudaba_arena.schedule.blocks import Block

ELO = 400 / log(10)
SEAT_POINTS = 60.0
"""The first seat's advantage over the second, in Elo points."""


def field(bots: int, spread: float) -> dict[str, float]:
    """Returns true ratings from 1500 - spread to 1500 + spread."""
    return {f"bot{number:02}": 1500 + spread * (2 * number / (bots - 1) - 1) for number in range(bots)}


def play(
    blocks: Iterable[Block], truth: Mapping[str, float], chance: np.random.Generator, luck: float = 0.0, form: float = 0
) -> list[BlockResult]:
    """Results in which the first seat wins exactly as often as the ratings say.

    `luck`² is the part of a match's chance that all matches of its deal share, from 0 to 1; `form` is the part that a
    bot keeps for all matches of a block: a good or a bad day.
    """
    results = []
    for block in blocks:
        deals = chance.normal(0, 1, block.deals)
        days = dict(zip(block.bots, chance.normal(0, 1, len(block.bots)), strict=True))
        matches = []
        for match in block.matches:
            first, second = match.bots
            own = sqrt(1 - luck**2 - 2 * form**2) * chance.normal()
            z = luck * deals[match.deal] + form * (days[first] - days[second]) + own
            wins = (1 + erf(z / sqrt(2))) / 2 < 1 / (1 + exp(-(truth[first] - truth[second] + SEAT_POINTS) / ELO))
            score = 1 if wins else -1
            matches.append(RatedMatch(match.match_id, match.deal, match.bots, (score, -score)))
        results.append(BlockResult(block.number, tuple(matches)))
    return results


def errors(found: Fit, truth: Mapping[str, float]) -> list[float]:
    return [found[bot].rating - truth[bot] for bot in truth]


def mean_half(found: Fit) -> float:
    return float(np.mean([rating.half for rating in found.ratings]))
