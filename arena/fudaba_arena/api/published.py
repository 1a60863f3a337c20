"""Publishes the ratings at the numbered points of each tournament's sequence, and finds what was published."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final, final

from fudaba.v1 import arena_pb2
from fudaba_arena.forms import BadStored
from fudaba_arena.ladder.ladders import OVERALL
from fudaba_arena.ladder.published import Points, ladders_at, newest_numbered, published, state_at
from fudaba_arena.ladder.rater import Rater
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.answers import StoreFull, StoreUnavailable
from fudaba_arena.store.tournaments.published_ratings import PublishedPoint, PublishedRatings

__all__ = ["Published", "point_message"]

_POLL_SECONDS: Final = 1.0
_MAX_KNOWN_POINTS: Final = 100
"""The number of points of a tournament above which those that are not asked for leave the memory."""
_KnownPoint = tuple[PublishedPoint, dict[str, arena_pb2.RatingPoint]]
"""A published point, with its messages by game."""
_Known = dict[int, _KnownPoint]


@final
class Published:
    """The published ratings of the tournaments of an arena.

    A point that nobody has published yet is computed when it is needed, and stored; it stays as it is after that.
    """

    def __init__(self, rater: Rater, store: PublishedRatings | None, *, stores: bool = True) -> None:
        """Without a store, or if it does not store, what it computes is kept in memory only."""
        self.rater = rater
        """The ladders of now."""
        self._store = store
        self._stores = stores
        self._known: dict[str, _Known] = {}
        self._looked: dict[str, int] = {}
        """The newest numbered point of each tournament that is known to be published."""
        # Only a request for points that are not published yet waits for the lock and the thread.
        self._computing = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1, "published-ratings")

    async def run(self, states: Callable[[], Iterable[ScheduledTournament]]) -> None:
        """Publishes the newest numbered point of each tournament that is not over, until cancelled."""
        while True:
            for state in [*states()]:
                newest = newest_numbered(state.stored.blocks.point)
                if newest and self._looked.get(state.id) != newest and not state.stored.closed:
                    with suppress(StoreUnavailable):  # the tournaments report that the store is away
                        await self._publish(state, newest)
            await asyncio.sleep(_POLL_SECONDS)

    async def messages(
        self, state: ScheduledTournament, game: str, points: Sequence[int]
    ) -> list[arena_pb2.RatingPoint]:
        """Returns the ratings of a game at some numbered points, in their order, without those before any counting
        block. `game` is one of the tournament's games, or `overall`.
        """
        known = dict(await self._read(state, points))  # a copy: surplus points may leave the memory meanwhile
        for point in points:
            if point not in known:
                known[point] = await self._compute(state, point)
        return [known[point][1][game] for point in points if known[point][0].blocks]

    async def _publish(self, state: ScheduledTournament, point: int) -> None:
        known = await self._read(state, [point])
        if point not in known:
            await self._compute(state, point)
        self._looked[state.id] = point

    async def _read(self, state: ScheduledTournament, points: Sequence[int]) -> _Known:
        """Returns what is known of a tournament, after reading what is stored of some points."""
        known, of_sequence = self._known.setdefault(state.id, {}), Points(state.stored.blocks)
        for point, (found, _) in list(known.items()):
            surplus = len(known) > _MAX_KNOWN_POINTS and point not in points
            if surplus or not of_sequence.have(found):
                del known[point]
        if self._store is not None and (missing := [point for point in points if point not in known]):
            with suppress(StoreUnavailable, BadStored):  # what cannot be read is computed
                for found in await self._store.get(state.tournament.name, missing):
                    if of_sequence.have(found):
                        known[found.point] = found, _messages(state, found)
        return known

    async def _compute(self, state: ScheduledTournament, point: int) -> _KnownPoint:
        """Computes the ratings at a point, unless another caller just did, and stores them."""
        known, blocks = self._known.setdefault(state.id, {}), state.stored.blocks
        async with self._computing:
            while point not in known:
                annulments, then = blocks.annulments, state_at(state, point)
                found = await asyncio.get_running_loop().run_in_executor(self._thread, self._at, state, then, point)
                if blocks.annulments == annulments:  # otherwise it may be of neither
                    known[point] = computed = found, _messages(state, found)
                    if self._store is not None and self._stores:
                        with suppress(StoreFull):  # it is computed again
                            await self._store.put(state.tournament.name, found)
                    return computed
            return known[point]

    def _at(self, state: ScheduledTournament, then: ScheduledTournament, point: int) -> PublishedPoint:
        """Computes the ratings at a point from the state there. Those of now may be known already."""
        ladders = self.rater.ladders(state) if state.stored.blocks.point == point else None
        if ladders is None or ladders.point != point:
            ladders = ladders_at(then, point)
        return published(then.stored.blocks, ladders, point)


def _messages(state: ScheduledTournament, found: PublishedPoint) -> dict[str, arena_pb2.RatingPoint]:
    """Returns the messages of a point by game; `overall` is always among them."""
    names = [OVERALL, *(played.game for played in state.tournament.games)]
    return {name: point_message(found, name, published=True) for name in names}


def point_message(found: PublishedPoint, game: str, *, published: bool) -> arena_pb2.RatingPoint:
    """Returns the ratings of a game, or `overall`, at a point. The only game is `overall`, too."""
    only = next(iter(found.tables.values()), ())
    answer = arena_pb2.RatingPoint(
        blocks=found.blocks,
        ratings=[arena_pb2.PastRating(**version._asdict()) for version in found.tables.get(game, only)],
        point=found.point,
        published=published,
    )
    answer.time.FromMilliseconds(found.newest[1])
    return answer
