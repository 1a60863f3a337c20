"""The ladders of the requested tournaments: computed on request, and cached while they are valid."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Final, final

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages import standing_messages
from fudaba_arena.api.published import Published, point_message
from fudaba_arena.api.shown_tournament import ShownTournament
from fudaba_arena.ladder.ladders import Ladders, block_results, ladders_of
from fudaba_arena.ladder.lookalikes import marked
from fudaba_arena.ladder.published import is_numbered, published
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.tournaments.entries import EntryChange

__all__ = ["Ratings"]

_MAX_HISTORY_POINTS: Final = 50


@final
@dataclass(slots=True)
class _Kept:
    """The cached results of one tournament."""

    fitting: asyncio.Lock = field(default_factory=asyncio.Lock)
    forfeits_of: object = None
    forfeits: list[arena_pb2.ForfeitCount] = field(default_factory=list)


@final
class Ratings:
    """The ladders and their histories. Only one thread at a time rates a tournament."""

    def __init__(self, published: Published) -> None:
        self._rater = published.rater
        self._published = published
        self._kept: dict[str, _Kept] = {}

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
            kept.forfeits = await asyncio.to_thread(standing_messages.forfeits, arena_tournament.state)
            kept.forfeits_of = key
        return kept.forfeits

    async def history(
        self, arena_tournament: ShownTournament, game: str, every: int
    ) -> arena_pb2.GetRatingHistoryResponse:
        """Returns the published ratings at regular intervals of the sequence, and those of now.

        The interval is rounded up to a power of two. So all histories of a tournament have the same points, at most 50.
        `game` is one of the tournament's games, or `overall`.
        """
        ladders = await self.ladders(arena_tournament)
        state, now = arena_tournament.state, ladders.point
        step = max(_step(-(-now // _MAX_HISTORY_POINTS)), _step(every))
        response = arena_pb2.GetRatingHistoryResponse(every_blocks=step)
        if ladders.blocks:
            response.points.extend(await self._published.messages(state, game, range(step, now, step)))
            newest = published(state.stored.blocks, ladders, now)
            response.points.append(point_message(newest, game, published=is_numbered(now)))
        return response

    def _kept_for(self, arena_tournament: ShownTournament) -> _Kept:
        return self._kept.setdefault(arena_tournament.state.id, _Kept())


def _step(entries: int) -> int:
    """Returns the interval, rounded up to a power of two: the points of a larger interval are also points of each
    smaller one, and with at most 50 of them all are numbered.
    """
    return 1 << max(0, entries - 1).bit_length()
