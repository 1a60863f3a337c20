"""The ladders of the tournaments that are asked for: computed when asked, and kept as long as they are right."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from math import isfinite
from typing import Final, final

from fudaba.v1 import arena_pb2
from fudaba_arena.ladder.known import Rater
from fudaba_arena.ladder.ladders import OVERALL, Ladders, ladders_of
from fudaba_arena.play.hosted import HostedTournament

__all__ = ["Ratings"]

_POINTS: Final = 50
_KEPT: Final = 5_000
"""Points of a tournament's history that are kept, so that asking for them in many ways costs little."""


@final
@dataclass(slots=True)
class _Kept:
    """What is known of one tournament."""

    fitting: asyncio.Lock = field(default_factory=asyncio.Lock)
    past: dict[int, dict[str, arena_pb2.RatingPoint]] = field(default_factory=dict)
    """By the number of blocks that counted, then by game: these are the same until other blocks are annulled."""
    past_without: object = frozenset()
    """What was annulled then."""
    parked_of: object = None
    parked: frozenset[int] = frozenset()


@final
class Ratings:
    """The ladders, and how they have come about. A tournament is rated once at a time, in a thread."""

    def __init__(self, rater: Rater) -> None:
        self._rater = rater
        self._kept: dict[str, _Kept] = {}

    def parked(self, of: HostedTournament) -> frozenset[int]:
        """The numbers of the blocks that are not tried any more."""
        kept, stored = self._of(of), of.state.stored
        # A parked block is never played, so no block that is finished changes this.
        key = (len(stored.blocks.void), frozenset(stored.withdrawn), stored.pardons, len(stored.entries.changes))
        if kept.parked_of != key:
            kept.parked = frozenset(block.number for block in of.state.parked_blocks)
            kept.parked_of = key
        return kept.parked

    async def ladders(self, of: HostedTournament) -> Ladders:
        """The ladders as they are now."""
        async with self._of(of).fitting:
            return await asyncio.to_thread(self._rater.ladders, of.state)

    async def history(self, of: HostedTournament, game: str, every: int) -> arena_pb2.GetRatingHistoryResponse:
        """The ratings after every so many blocks. `game` is one of the tournament's, or `overall`."""
        kept, state = self._of(of), of.state
        blocks = state.stored.blocks
        annulled, counted = blocks.taken_back_now, blocks.counting()
        every = max(1, every, -(-len(counted) // _POINTS))
        told = arena_pb2.GetRatingHistoryResponse(every_blocks=every)
        async with kept.fitting:
            if kept.past_without != annulled:
                kept.past.clear()
                kept.past_without = annulled
            for number in [*range(every, len(counted), every), *([len(counted)] if len(counted) else [])]:
                if number not in kept.past:
                    ladders = await asyncio.to_thread(ladders_of, state, blocks.kinds_at(counted[:number]))
                    _, at_ms = blocks.noted(int(counted[number - 1]))
                    kept.past[number] = _points(ladders, number, at_ms)
                told.points.append(kept.past[number][game])
            while len(kept.past) > _KEPT:
                del kept.past[next(iter(kept.past))]
        return told

    def _of(self, of: HostedTournament) -> _Kept:
        return self._kept.setdefault(of.name, _Kept())


def _points(ladders: Ladders, blocks: int, at_ms: int) -> dict[str, arena_pb2.RatingPoint]:
    """The points of all games, and of all together."""
    points = {}
    for game, ladder in {OVERALL: ladders.overall, **ladders.games}.items():
        points[game] = point = arena_pb2.RatingPoint(
            blocks=blocks,
            ratings=[
                arena_pb2.PastRating(bot=row.bot, rating=row.rating, low=row.low, high=row.high)
                for row in ladder.rows
                if isfinite(row.half)
            ],
        )
        point.time.FromMilliseconds(at_ms)
    return points
