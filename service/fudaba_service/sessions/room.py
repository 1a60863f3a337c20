"""The room of bots that play a limited number of matches at once, or none now: which of their matches wait, and which
is next.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, final

from fudaba_games.game import GameError
from fudaba_service.accounts.house_bots import is_house
from fudaba_service.accounts.owner import Owner
from fudaba_service.refusals import Refused
from fudaba_service.sessions.live_sessions import LiveSessions
from fudaba_service.sessions.session import Session
from fudaba_service.store import Admission, MatchGone, Store

__all__ = ["Room", "SeatTaker"]

log = logging.getLogger(__name__)


class SeatTaker(Protocol):
    """A Play stream, as far as room is concerned."""

    owner: Owner
    stream_id: str
    capacity: int
    """The number of matches that its bot plays at once; 0 for any number."""
    paused: bool
    pause_changes: int
    """The number of times that it was paused or resumed since it arrived."""
    waiting: set[str]
    """The ids of its bot's matches without a place."""


@final
class Room:
    """The matches that wait for room at this process. Operations raise `StoreUnavailable` unless stated otherwise."""

    def __init__(self, store: Store, live: LiveSessions) -> None:
        self._store = store
        self._live = live

    async def arrive(self, stream: SeatTaker, match_ids: Sequence[str]) -> list[str]:
        """Notes that a bot has arrived. Returns the matches that it can begin now, oldest first. Others wait."""
        if stream.owner.match_id:
            return list(match_ids)
        changes = stream.pause_changes
        there = await self._store.places.arrive(stream.owner.player, stream.stream_id, stream.capacity)
        if stream.pause_changes == changes:  # otherwise the list is older than the news
            stream.paused = there.paused
        return await self.hold(stream, match_ids) if _limited(stream) else list(match_ids)

    async def hold(self, stream: SeatTaker, match_ids: Sequence[str]) -> list[str]:
        """Notes a bot's present matches, whatever its capacity. The others wait."""
        player = stream.owner.player
        # Read before what is live: a match to which a place is given meanwhile keeps it.
        noted = await self._store.places.taken(player) | await self._store.places.queued(player)
        live = set(await self._store.index.matches_of(player))
        begun, waiting = [], set()
        for match_id in await self._store.index.oldest_first(list(match_ids)):
            session = await self._session(match_id)
            seat = session.copy.seat_of(stream.owner) if session is not None else None
            if session is None or seat is None:
                continue
            if seat in session.copy.replay.ready or session.copy.is_over:
                begun.append(match_id)
            else:
                waiting.add(match_id)
        await self._store.places.hold(player, gone=sorted(noted - live), begun=begun)
        # Other matches may have joined the queue meanwhile.
        stream.waiting |= waiting
        stream.waiting.difference_update(begun)
        return begun

    async def admits(self, stream: SeatTaker, session: Session, seat: int) -> Admission:
        """Returns whether a bot may take its seat now. A match without room waits."""
        admission = Admission.GRANTED
        if _limited(stream) and seat not in session.copy.replay.ready and not session.copy.is_over:
            stream.waiting.add(session.match_id)
            admission = await self._ask(stream, session, seat)
        if admission is Admission.GRANTED:
            stream.waiting.discard(session.match_id)
        return admission

    async def left(self, stream: SeatTaker) -> None:
        """Notes that a bot's stream has ended."""
        if stream.stream_id and not stream.owner.match_id:
            await self._store.places.left(stream.owner.player, stream.stream_id)

    async def over(self, stream: SeatTaker, match_id: str) -> None:
        """Notes that a match is over, which frees the bot's place."""
        if _limited(stream):
            await self._store.places.give_back(stream.owner.player, match_id)

    async def give(self, stream: SeatTaker, seat: Callable[[str], Awaitable[Admission]]) -> None:
        """Gives a bot its seats, by calling `seat`, in its waiting matches, oldest first, as far as there is room."""
        if not stream.waiting or stream.paused:
            return
        waiting = list(stream.waiting)
        known = await self._store.index.oldest_first(waiting)
        over = set(waiting) - set(known)
        if over:
            # One that was asked for just as it left the store would be in the queue for ever.
            await self._store.places.hold(stream.owner.player, gone=sorted(over), begun=[])
            stream.waiting.difference_update(over)
        for place, match_id in enumerate(known):
            if await seat(match_id) is Admission.FULL:
                await self._take_places(stream, known[place + 1 :], seat)
                return

    async def _take_places(
        self, stream: SeatTaker, match_ids: Sequence[str], seat: Callable[[str], Awaitable[Admission]]
    ) -> None:
        """Gives a full bot its seats in those of these matches that already have a place of it.

        Other bots request places, too, and the news about them may be lost with the stream to which they were sent.
        """
        player = stream.owner.player
        # Read before what is live, as in `hold`.
        taken = await self._store.places.taken(player)
        over = taken.difference(await self._store.index.matches_of(player))
        if over:
            # Over before the bot had its seat there: somebody else left before it began, and the news of it were lost.
            await self._store.places.hold(player, gone=sorted(over), begun=[])
        for match_id in match_ids:
            if match_id in taken:
                await seat(match_id)

    async def _ask(self, stream: SeatTaker, session: Session, seat: int) -> Admission:
        copy = session.copy
        missing = set(range(len(copy.players))) - copy.replay.ready - {seat}
        # House bots are here, and take any number.
        others = [
            copy.players[missing_seat]
            for missing_seat in sorted(missing)
            if not is_house(copy.header.players[missing_seat].bot)
        ]
        ready = [copy.players[ready_seat] for ready_seat in sorted(copy.replay.ready)]
        created_ms = copy.header.create_time.ToMilliseconds()
        return await self._store.places.admit(stream.owner.player, session.match_id, created_ms, others, ready)

    async def _session(self, match_id: str) -> Session | None:
        """Returns the session of a live match; None if it cannot be read."""
        try:
            return await self._live.session(match_id)
        except MatchGone:
            return None
        except (Refused, GameError) as error:
            log.warning("match %s cannot be read: %s", match_id, error)
            return None


def _limited(stream: SeatTaker) -> bool:
    return not stream.owner.match_id and (stream.capacity > 0 or stream.paused)
