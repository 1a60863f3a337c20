"""The bots that are connected to this process: assigns seats, and ends streams."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, final

from fudaba.v1 import errors_pb2, play_pb2, record_pb2
from fudaba_games.game import GameError
from fudaba_service.accounts.owner import Owner
from fudaba_service.accounts.tokens import until_expired
from fudaba_service.refusals import Refused
from fudaba_service.sessions.bot_stream import BotStream
from fudaba_service.sessions.live_sessions import LiveSessions
from fudaba_service.sessions.offers import SeatOffers
from fudaba_service.sessions.register import Register
from fudaba_service.sessions.room import Room
from fudaba_service.store import Admission, MatchGone, Store, StoreUnavailable, retry_until_answered
from fudaba_serving.process.coalesced import Coalesced
from fudaba_serving.process.tasks import BackgroundTasks, spawn

__all__ = ["Roster"]

log = logging.getLogger(__name__)

_POLL_SECONDS: Final = 0.25
_ROOM_SECONDS: Final = 1.0
_ALIVE_LOOKS: Final = 5
"""One check for room in this many also reports that this replica is alive."""
_POLLS_PER_RENEWAL: Final = 3_600
"""One check in this many renews the entries of its bots."""


Recheck = Callable[[], Awaitable[object]]
"""Raises `Refused` if a token is no longer valid."""


@final
class Roster:
    """The Play streams of this process, one for each bot version and each match token, and the calls that wait for
    news.
    """

    def __init__(
        self, store: Store, live: LiveSessions, register: Register, offers: SeatOffers, tasks: BackgroundTasks
    ) -> None:
        self._store = store
        self._live = live
        self._register = register
        self._offers = offers
        self._tasks = tasks
        self._room = Room(store, live)
        self._give_room = Coalesced(self._give_all_room)
        self._streams: dict[str, BotStream] = {}
        self._calls: dict[asyncio.Future[Refused], tuple[Owner | None, Recheck]] = {}
        self._coming: set[BotStream] = set()
        """The streams that have not said hello yet, and those of which the store does not know yet."""
        self._stopping: Refused | None = None
        """The reason why new streams and calls end at once."""

    @contextmanager
    def coming(self, stream: BotStream) -> Iterator[None]:
        """Registers a stream before its bot is known, so that it ends with the others when the service stops."""
        if self._stopping is not None:
            stream.end(self._stopping)
        self._coming.add(stream)
        try:
            yield
        finally:
            self._coming.discard(stream)

    async def attach(self, stream: BotStream) -> None:
        """Gives a bot's new stream its seats in all its live matches. An older stream of the bot ends.

        Raises `StoreUnavailable` only before the stream has any seat, and `Refused` if its token is no longer valid or
        it names too many archived matches.
        """
        nonce, match_id = secrets.token_hex(8), stream.owner.match_id
        with self.coming(stream):
            stream.stream_id = await self._store.streams.open(stream.owner.stream, nonce, stream.opening, match_id)
        here = self._streams.get(stream.owner.stream)
        if not stream.stream_id.endswith(nonce):
            # Its bot may have left it for the newer one, or the time of the replica with that one may be wrong. Who
            # is there still comes again, and is the newest then.
            stream.end(_opened_earlier(stream.owner.stream))
            return
        if here is not None and here.stream_id > stream.stream_id:
            stream.end(_superseded(stream.owner.stream))
            return
        self._supersede(stream.owner.stream)
        self._streams[stream.owner.stream] = stream
        # From now on it may have decisions, which an outage of the store must not take away.
        await self._retry_while_here(stream, self._take_seats)
        for match_id in stream.unfinished():
            if stream.owner.match_id not in {"", match_id}:
                continue
            try:
                await self._tell_end(stream, match_id)
            except (Refused, GameError) as error:
                if isinstance(error, Refused) and error.reason == errors_pb2.REASON_TOO_FAST:
                    raise  # the bot has named too many matches
                log.warning("the end of match %s cannot be sent to %s: %s", match_id, stream.owner.player, error)
        await self._retry_while_here(stream, self._tell_ends)

    async def bring(self, stream: BotStream, match_id: str) -> None:
        """Gives a bot the seat in a live match that it names before the news of its offer arrived here.

        Raises `StoreUnavailable`, and `Refused` or `GameError` for a match that cannot be read.
        """
        stored = await self._store.matches.state(match_id)
        if stored is not None and stream.owner.match_id in {"", match_id}:
            players = record_pb2.MatchHeader.FromString(stored[0]).players
            if any(f"{p.bot}/{p.version}" == stream.owner.player for p in players):
                await self._seat(stream, match_id)

    async def was_told(self, player: str, ends: list[bytes]) -> None:
        """Notes that a bot has read how matches ended, so that it is not told again."""
        for end in ends:
            match_id = play_pb2.SeatUpdate.FromString(end).match_id
            # It is kept for the bot when the match is archived, which any replica may do.
            while (session := self._live.held(match_id)) is not None and session.copy.is_over:  # noqa: ASYNC110
                await asyncio.sleep(_POLL_SECONDS)
        try:
            await self._store.streams.forget_ends(player, ends)
        except StoreUnavailable as error:
            log.debug("the ends of matches are sent to %s again: %s", player, error)

    def detach(self, stream: BotStream) -> None:
        """Notes that the stream is gone."""
        if self._streams.get(stream.owner.stream) is stream:
            del self._streams[stream.owner.stream]
        self._tasks.spawn(retry_until_answered(lambda: self._room.left(stream)))

    def over(self, stream: BotStream, match_id: str) -> None:
        """Notes that a bot has received the end of a match. Other matches that wait for the bot may begin."""
        if stream.capacity or stream.paused:
            self._tasks.spawn(retry_until_answered(lambda: self._room.over(stream, match_id)))

    async def pause(self, player: str, *, paused: bool) -> None:
        """Stops a bot version from beginning more matches, or lets it begin them again, whichever replica has its
        stream.
        """
        await self._store.places.pause(player, paused=paused)

    async def keep_room(self) -> None:
        """Checks repeatedly which waiting matches may begin, in case news was lost, until cancelled."""
        looks = 0
        while True:
            await asyncio.sleep(_ROOM_SECONDS)
            looks += 1
            try:
                if looks % _ALIVE_LOOKS == 0 and self._streams:
                    await self._store.places.alive()
                if looks % _POLLS_PER_RENEWAL == 0:
                    here = [stream.owner for stream in self._streams.values()]
                    await self._store.places.keep([owner.player for owner in here if not owner.match_id])
                await self._give_room()
            except StoreUnavailable as error:
                log.debug("the matches that wait for room cannot be listed now: %s", error)

    async def _give_all_room(self) -> None:
        for stream in [stream for stream in self._streams.values() if stream.waiting]:
            await self._room.give(stream, partial(self._seat_in_turn, stream))

    async def _seat_in_turn(self, stream: BotStream, match_id: str) -> Admission:
        """Gives a stream its seat in one of its waiting matches, if there is room."""
        if self._streams.get(stream.owner.stream) is not stream:
            return Admission.FULL
        try:
            return await self._seat(stream, match_id)
        except (Refused, GameError) as error:
            log.warning("%s gets no seat in match %s: %s", stream.owner.player, match_id, error)
            return Admission.WAITS

    async def _change_pause(self, stream: BotStream, *, paused: bool) -> None:
        """Notes that a connected bot was paused or resumed."""
        stream.paused = paused
        stream.pause_changes += 1
        if paused:
            await retry_until_answered(lambda: self._note_seats(stream))
        else:
            await retry_until_answered(self._give_room)

    async def _note_seats(self, stream: BotStream) -> None:
        await self._room.hold(stream, await self._store.index.matches_of(stream.owner.player))

    def drop_streams(self, refused: Refused) -> None:
        """Ends every Play stream and every call that waits for news. Others may come."""
        for stream in [*self._coming, *self._streams.values()]:
            stream.end(refused)
        for ended in self._calls:
            if not ended.done():
                ended.set_result(refused)

    def end_streams(self, refused: Refused) -> None:
        """Ends every Play stream and every call that waits for news, including later ones."""
        self._stopping = refused
        self.drop_streams(refused)

    @contextmanager
    def call(self, owner: Owner | None, recheck: Recheck) -> Iterator[asyncio.Future[Refused]]:
        """Counts a call that waits for news. `owner` is its token's. The future's result is the reason for its end.

        `recheck` raises `Refused` if the token is no longer valid.
        """
        ended: asyncio.Future[Refused] = asyncio.get_running_loop().create_future()
        self._calls[ended] = owner, recheck
        if self._stopping is not None:
            ended.set_result(self._stopping)
        expiry = spawn(self._expire(owner, ended)) if owner is not None and owner.expire_ms else None
        try:
            yield ended
        finally:
            del self._calls[ended]
            if expiry is not None:
                expiry.cancel()

    async def _expire(self, owner: Owner, ended: asyncio.Future[Refused]) -> None:
        try:
            await until_expired(self._store, owner)
        except Refused as refused:
            if not ended.done():
                ended.set_result(refused)

    def _look_again(self, ended: asyncio.Future[Refused], recheck: Recheck) -> None:
        """Ends a call unless its token is still valid."""
        self._tasks.spawn(self._recheck(ended, recheck))

    async def _seat(self, stream: BotStream, match_id: str) -> Admission:
        """Gives a stream its seat in a live match, if it has one there, and room for the match."""
        try:
            session = await self._live.session(match_id)
        except MatchGone:
            # Its creation failed half way, or it has just been archived: then its end is kept for the bot.
            if not await self._offers.withdraw(match_id, [stream.owner.player]):
                return await self._seat(stream, match_id)  # the match was created since the look-up
            if match_id in stream.unfinished():
                await self._tell_end(stream, match_id)  # the bot has asked for the rest
            elif await self._register.has_archived(match_id, stream.owner.player):
                await self._tell_ends(stream)
            return Admission.WAITS
        seat = session.copy.seat_of(stream.owner)
        if seat is None or self._streams.get(stream.owner.stream) is not stream:
            return Admission.WAITS
        admission = await self._room.admits(stream, session, seat)
        if admission is Admission.GRANTED and self._streams.get(stream.owner.stream) is stream:
            await stream.seat(session, seat)
        return admission

    async def _tell_end(self, stream: BotStream, match_id: str) -> None:
        """Shows a bot the rest of a match that ended before it returned."""
        session = await self._register.archived_session(match_id, stream.owner, stream.payer)
        if session is not None:
            seat = session.copy.seat_of(stream.owner)
            if seat is not None:
                await stream.seat(session, seat)

    async def _tell_ends(self, stream: BotStream) -> None:
        """Tells a bot how matches ended that it may not know about, for whatever reason it missed that."""
        for end in await self._store.streams.ends_of(stream.owner.player):
            match_id = play_pb2.SeatUpdate.FromString(end).match_id
            if match_id in stream.unfinished():
                # The store had lost it when the bot came and asked for the rest: its record is there only now.
                await self._tell_rest(stream, match_id)
            stream.tell_end(end)

    async def _tell_rest(self, stream: BotStream, match_id: str) -> None:
        """Shows a bot the rest of a match, or only its end if the rest is not available."""
        try:
            await self._tell_end(stream, match_id)
        except (Refused, GameError) as error:
            log.warning("the rest of match %s cannot be sent to %s: %s", match_id, stream.owner.player, error)

    def _drop_older(self, player: str, stream_id: str) -> None:
        older = self._streams.get(player)
        if older is not None and older.stream_id < stream_id:
            self._supersede(player)

    def _supersede(self, player: str) -> None:
        older = self._streams.pop(player, None)
        if older is not None:
            older.end(_superseded(player))

    async def _check_newest(self, stream: BotStream) -> None:
        """Ends a stream if its bot has a newer one, on whichever replica."""
        if (
            await self._store.streams.newest(stream.owner.stream, stream.stream_id, stream.owner.match_id)
            != stream.stream_id
        ):
            if self._streams.get(stream.owner.stream) is stream:
                del self._streams[stream.owner.stream]
            stream.end(_superseded(stream.owner.stream))

    def heard(self, kind: str, player: str, detail: str = "") -> None:
        """Handles news for every replica, see `store.channels.Channels.everybody`."""
        if kind == "offer":
            stream = self._streams.get(player)
            if stream is not None:
                self._tasks.spawn(self._seat_with_retry(stream, detail))
        elif kind == "stream":
            self._drop_older(player, detail)
        elif kind == "room" and any(stream.waiting for stream in self._streams.values()):
            self._tasks.spawn(retry_until_answered(self._give_room))
        elif kind in {"paused", "resumed"} and player in self._streams:
            self._tasks.spawn(self._change_pause(self._streams[player], paused=kind == "paused"))
        elif kind == "ended" and player in self._streams:
            self._tasks.spawn(self._retry_while_here(self._streams[player], self._tell_ends))
        elif kind == "look" and player in self._streams:
            self._tasks.spawn(self._catch_up(self._streams[player]))
        elif kind == "revoked":
            self._revoked(player)

    def _revoked(self, key: str) -> None:
        """Ends the streams and calls with tokens of this key, once the tokens are found invalid."""
        for stream in list(self._streams.values()):
            if key in stream.owner.keys:
                self._tasks.spawn(self._catch_up(stream))
        for ended, (owner, recheck) in list(self._calls.items()):
            if owner is not None and key in owner.keys:
                self._look_again(ended, recheck)

    def missed_news(self) -> None:
        """Looks up news that appears only once, since it may have been missed while the store was away."""
        for stream in list(self._streams.values()):
            self._tasks.spawn(self._catch_up(stream))
        for ended, (_, recheck) in list(self._calls.items()):
            self._look_again(ended, recheck)

    async def _retry_while_here(self, stream: BotStream, work: Callable[[BotStream], Awaitable[None]]) -> None:
        """Repeats an operation for a stream from the beginning until the store answers, or the stream has ended."""

        async def once() -> None:
            if self._streams.get(stream.owner.stream) is stream:
                await work(stream)

        await retry_until_answered(once)

    async def _seated(self, stream: BotStream, match_id: str) -> None:
        await self._seat(stream, match_id)

    async def _seat_with_retry(self, stream: BotStream, match_id: str) -> None:
        try:
            await self._retry_while_here(stream, lambda stream: self._seated(stream, match_id))
        except (Refused, GameError) as error:
            log.warning("%s gets no seat in match %s: %s", stream.owner.player, match_id, error)

    async def _take_seats(self, stream: BotStream) -> None:
        """Gives a stream the seats of its bot, unless its token was revoked (`Refused`) or a newer stream came."""
        # Either may have happened before this stream was known to be here.
        await stream.recheck()
        await self._check_newest(stream)
        # Where it comes from may have died only now.
        await self._live.note_outages()
        bound = stream.owner.match_id
        found = [bound] if bound else await self._store.index.matches_of(stream.owner.player)
        for match_id in await self._room.arrive(stream, found):
            await self._seat_with_retry(stream, match_id)
        await self._room.give(stream, partial(self._seat_in_turn, stream))

    async def _recheck(self, ended: asyncio.Future[Refused], recheck: Recheck) -> None:
        """Ends a call whose token was revoked meanwhile."""

        async def once() -> None:
            if ended in self._calls and not ended.done():
                await recheck()

        try:
            await retry_until_answered(once)
        except Refused as refused:
            if not ended.done():
                ended.set_result(refused)

    async def _catch_up(self, stream: BotStream) -> None:
        """Ends a stream if its token was revoked or a newer stream arrived; otherwise tells it what it missed."""
        try:
            await self._retry_while_here(stream, self._take_seats)
            await self._retry_while_here(stream, self._tell_ends)
        except Refused as refused:
            stream.end(refused)


def _opened_earlier(player: str) -> Refused:
    return Refused(
        errors_pb2.REASON_STORE_UNAVAILABLE,
        f"the store heard of this stream of {player} only after a newer one; connect again",
    )


def _superseded(player: str) -> Refused:
    return Refused(
        errors_pb2.REASON_SUPERSEDED,
        f"a newer stream of {player} took over; if it is not yours, somebody else has your token: rotate it",
    )
