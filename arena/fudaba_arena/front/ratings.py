"""The ladders of the tournaments that are asked for: computed when asked, and kept as long as they are right."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Final, final

from fudaba.v1 import arena_pb2
from fudaba_arena.ladder.ladders import OVERALL, Ladders, block_results, ladders_of
from fudaba_arena.play.hosted import HostedTournament
from fudaba_arena.play.journal import Change
from fudaba_arena.schedule.state import TournamentState

__all__ = ["Ratings"]

_POINTS: Final = 50
_KEPT: Final = 5_000
"""Points of a tournament's history that are kept, so that asking for them in many ways costs little."""


@final
@dataclass(slots=True)
class _Kept:
    """What is known of one tournament."""

    fitting: asyncio.Lock = field(default_factory=asyncio.Lock)
    of: tuple[int, int, int] = (-1, -1, -1)
    """How many blocks were closed, and how many annulled, in `ladders`, and how often who is entered had changed."""
    ladders: Ladders | None = None
    past: dict[int, dict[str, arena_pb2.RatingPoint]] = field(default_factory=dict)
    """By the number of blocks that counted, then by game: these are the same until further blocks are annulled."""
    past_without: frozenset[int] = frozenset()
    """The blocks that were annulled then."""
    parked_of: tuple[int, int, int] = (-1, -1, -1)
    parked: frozenset[int] = frozenset()


@final
class Ratings:
    """The ladders, and how they have come about. A tournament is rated once at a time, in a thread."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    def parked(self, of: HostedTournament) -> frozenset[int]:
        """The numbers of the blocks that are not tried any more."""
        kept, stored = self._of(of), of.state.stored
        # A parked block is never played, so no block that is finished changes this.
        key = (len(stored.blocks.void), len(stored.withdrawn), stored.pardons)
        if kept.parked_of != key:
            quiet = not stored.blocks.void and not stored.withdrawn
            kept.parked = frozenset() if quiet else frozenset(block.number for block in of.state.parked_blocks)
            kept.parked_of = key
        return kept.parked

    async def ladders(self, of: HostedTournament) -> Ladders:
        """The ladders as they are now."""
        kept = self._of(of)
        async with kept.fitting:
            stored = of.state.stored
            now = (stored.blocks.length, len(stored.blocks.annulled), len(stored.entries.changes))
            if kept.ladders is None or kept.of != now:
                kept.ladders = await asyncio.to_thread(ladders_of, of.state, block_results(of.state))
                kept.of = now
            return kept.ladders

    async def history(self, of: HostedTournament, game: str, every: int) -> arena_pb2.GetRatingHistoryResponse:
        """The ratings after every so many blocks. `game` is one of the tournament's, or `overall`."""
        kept, state = self._of(of), of.state
        annulled = frozenset(state.stored.blocks.annulled)
        counted = [
            change
            for change in of.journal.changes
            if change.kind == "block"
            and isinstance(change.what, int)
            and state.stored.blocks.counts(change.what)
            and change.what not in annulled
        ]
        every = max(1, every, -(-len(counted) // _POINTS))
        told = arena_pb2.GetRatingHistoryResponse(every_blocks=every)
        async with kept.fitting:
            if kept.past_without != annulled:
                kept.past.clear()
                kept.past_without = annulled
            for number in [*range(every, len(counted), every), *([len(counted)] if counted else [])]:
                if number not in kept.past:
                    ladders = await asyncio.to_thread(ladders_of, state, _first(state, counted[:number]))
                    kept.past[number] = _points(ladders, number, counted[number - 1])
                told.points.append(kept.past[number][game])
            while len(kept.past) > _KEPT:
                del kept.past[next(iter(kept.past))]
        return told

    def _of(self, of: HostedTournament) -> _Kept:
        return self._kept.setdefault(of.name, _Kept())


def _first(state: TournamentState, counted: Sequence[Change]) -> Mapping[bytes, int]:
    """The results of the blocks that were closed first."""
    return state.stored.blocks.kinds_of(int(change.what) for change in counted)


def _points(ladders: Ladders, blocks: int, last: Change) -> dict[str, arena_pb2.RatingPoint]:
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
        point.time.FromMilliseconds(last.at_ms)
    return points
