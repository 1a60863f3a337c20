"""Two bots that met in blocks: what each took, with intervals that count a block as one observation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import final

import numpy as np

from fudaba.intervals import MeanEstimate, estimate
from fudaba_arena.ladder.ratings import pair_share
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult

__all__ = ["Side", "compared"]


@final
@dataclass(frozen=True, slots=True)
class Side:
    """One bot's results in the comparison."""

    wins: int
    """The matches in which it scored more than the other."""
    draws: int
    losses: int
    share: MeanEstimate | None
    """The share that it took of the points it could take from the other, 0 to 1; None without a block."""
    points: MeanEstimate | None
    """Its mean score in a match."""


def compared(blocks: Iterable[ClosedBlock], bot: str, other: str, win_margin: float) -> Side:
    """Returns how one bot has done against another, in counting blocks with both bots in every match."""
    counted = [block.counted for block in blocks if block.counted]
    scores = [[_scores(match, bot, other) for match in matches] for matches in counted]
    of_matches = [pair for of_block in scores for pair in of_block]
    return Side(
        wins=sum(own > others for own, others in of_matches),
        draws=sum(own == others for own, others in of_matches),
        losses=sum(own < others for own, others in of_matches),
        share=estimate([_share(of_block, win_margin) for of_block in scores]),
        points=estimate([fmean(own for own, _ in of_block) for of_block in scores]),
    )


def _share(scores: Sequence[tuple[int, int]], win_margin: float) -> float:
    """Returns the share that one side took in a block, averaged over its matches."""
    own, others = np.array(scores, dtype=np.int64).T
    return float(pair_share(own, others, win_margin).mean())


def _scores(match: MatchResult, bot: str, other: str) -> tuple[int, int]:
    return match.scores[match.bots.index(bot)], match.scores[match.bots.index(other)]
