"""The ladders of the requested tournaments: computed on request, and cached while they are valid."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import isfinite
from typing import Final, final

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages import tournament_messages
from fudaba_arena.api.shown_tournament import ShownTournament
from fudaba_arena.ladder.ladders import OVERALL, Ladders, block_results, ladders_of
from fudaba_arena.ladder.lookalikes import marked
from fudaba_arena.ladder.rater import Rater
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.sealed.derived_values import Ints
from fudaba_arena.store.tournaments.entries import EntryChange

__all__ = ["Ratings"]

_MAX_HISTORY_POINTS: Final = 50

_Block = tuple[int, int]
"""A block's number and its closing time. A store that lost its last blocks goes on with others in their places."""
_PastPoints = dict[tuple[int, _Block], dict[str, arena_pb2.RatingPoint]]
"""The ratings of earlier blocks, by the number of blocks that counted and the last of these, then by game."""


@final
@dataclass(slots=True)
class _Kept:
    """The cached results of one tournament."""

    fitting: asyncio.Lock = field(default_factory=asyncio.Lock)
    past: _PastPoints = field(default_factory=dict)
    """The history without its newest point. These points stay the same until an annulment is noted."""
    past_without: object = ()
    """The annulments in force when `past` was computed."""
    forfeits_of: object = None
    forfeits: list[arena_pb2.ForfeitCount] = field(default_factory=list)


@final
class Ratings:
    """The ladders and their histories. Only one thread at a time rates a tournament."""

    def __init__(self, rater: Rater) -> None:
        self._rater = rater
        self._kept: dict[str, _Kept] = {}
        # Histories have a lock and a thread of their own: only a caller that asks for a history waits for its lock.
        self._fitting_past = asyncio.Lock()
        self._past_thread = ThreadPoolExecutor(1, "rating-history")

    async def ladders(self, arena_tournament: ShownTournament) -> Ladders:
        """Returns the ladders as they are now."""
        async with self._kept_for(arena_tournament).fitting:
            ladders = await asyncio.to_thread(self._rater.ladders, arena_tournament.state)
        return await asyncio.to_thread(marked, ladders, arena_tournament.state.tournament.bots)

    async def ladders_after(
        self, arena_tournament: ShownTournament, annulment: Annulment | None, change: EntryChange
    ) -> Ladders:
        """Returns the ladders as they would be after one more annulment, if there is one, and a change of an entry."""
        noted = arena_tournament.state.stored.blocks.annulments
        state = arena_tournament.state.under([*noted, annulment] if annulment is not None else noted, change)
        return await asyncio.to_thread(lambda: ladders_of(state, block_results(state)))

    async def forfeits(self, arena_tournament: ShownTournament) -> list[arena_pb2.ForfeitCount]:
        """Returns how many counting matches each bot forfeited. It runs in a thread, since it looks through all
        results.
        """
        kept, blocks = self._kept_for(arena_tournament), arena_tournament.state.stored.blocks
        key = (blocks.point, blocks.newest(), blocks.annulments)
        if kept.forfeits_of != key:
            kept.forfeits = await asyncio.to_thread(tournament_messages.forfeits, arena_tournament.state)
            kept.forfeits_of = key
        return kept.forfeits

    async def history(
        self, arena_tournament: ShownTournament, game: str, every: int
    ) -> arena_pb2.GetRatingHistoryResponse:
        """Returns the ratings at regular intervals of blocks. The interval is rounded up to a power of two.

        So all histories of a tournament have the same points, at most 50, and each point is computed once. `game` is
        one of the tournament's games, or `overall`.
        """
        ladders = await self.ladders(arena_tournament)
        kept, state, newest = self._kept_for(arena_tournament), arena_tournament.state, ladders.blocks
        counted = state.stored.blocks.counting()
        finest = _step(-(-newest // _MAX_HISTORY_POINTS))
        step = max(finest, _step(every))
        past = _past(kept, state.stored.blocks, counted, finest)
        response = arena_pb2.GetRatingHistoryResponse(every_blocks=step)
        for number in range(step, newest, step):
            point = number, _last_block(state.stored.blocks, counted, number)
            if point not in past:
                async with self._fitting_past:
                    if point not in past:
                        past[point] = await self._past_points(state, counted[:number])
            response.points.append(past[point][game])
        if newest:
            response.points.append(_points(ladders, newest, _last_block(state.stored.blocks, counted, newest))[game])
        return response

    async def _past_points(self, state: ScheduledTournament, counted: Ints) -> dict[str, arena_pb2.RatingPoint]:
        """Returns the points of all games after the first counting blocks."""
        loop, results = asyncio.get_running_loop(), block_results(state, counted)
        ladders = await loop.run_in_executor(self._past_thread, ladders_of, state, results)
        return _points(ladders, len(counted), _last_block(state.stored.blocks, counted, len(counted)))

    def _kept_for(self, arena_tournament: ShownTournament) -> _Kept:
        return self._kept.setdefault(arena_tournament.state.id, _Kept())


def _step(blocks: int) -> int:
    """Returns the interval in blocks, rounded up to a power of two: the points of a larger interval are also points
    of each smaller one.
    """
    return 1 << max(0, blocks - 1).bit_length()


def _past(kept: _Kept, blocks: ClosedBlocks, counted: Ints, finest: int) -> _PastPoints:
    """Returns the requested past points that are known. Those of blocks that a store has lost are dropped."""
    if kept.past_without != blocks.annulments:
        kept.past, kept.past_without = {}, blocks.annulments
    for number, last in list(kept.past):
        if number % finest or number > len(counted) or last != _last_block(blocks, counted, number):
            del kept.past[number, last]
    return kept.past


def _last_block(blocks: ClosedBlocks, counted: Ints, number: int) -> _Block:
    """Returns the last of the first `number` blocks that counted."""
    return blocks.noted(int(counted[number - 1]))


def _points(ladders: Ladders, blocks: int, last: _Block) -> dict[str, arena_pb2.RatingPoint]:
    """Returns the points of each game, and of all games together, after the first blocks that counted."""
    points, (_, at_ms) = {}, last
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
