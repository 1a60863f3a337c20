"""The bots that are connected to this process: who gets which seat, and whose stream ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol, final

from fudaba.v1 import errors_pb2
from fudaba_games.game import GameError
from fudaba_service.refusals import Refused
from fudaba_service.sessions.register import Register
from fudaba_service.sessions.session import Session
from fudaba_service.store import MatchGone, Store, StoreUnavailable

__all__ = ["BotStream", "Roster"]

log = logging.getLogger(__name__)

_RETRY: Final = 0.25


class BotStream(Protocol):
    """A Play stream, as the roster sees it."""

    player: str
    stream_id: str

    async def seat(self, session: Session, seat: int) -> None:
        """Gives the bot a seat."""

    def unfinished(self) -> list[str]:
        """The matches of which it has not seen the end and in which it has no seat now."""

    def end(self, refused: Refused) -> None:
        """Ends the stream."""


class Matches(Protocol):
    """Where matches are found; the host."""

    async def session(self, match_id: str) -> Session:
        """The session of a live match. Raises `MatchGone` or `StoreUnavailable`."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs work in the background."""


@final
class Roster:
    """The Play streams of this process, one a bot version, and the calls that wait for news."""

    def __init__(self, store: Store, matches: Matches, register: Register) -> None:
        self._store = store
        self._matches = matches
        self._register = register
        self._streams: dict[str, BotStream] = {}
        self._calls: dict[asyncio.Future[Refused], str] = {}

    async def attach(self, stream: BotStream) -> None:
        """Gives a bot's new stream its seats in all its live matches; an older stream of the bot ends."""
        self._supersede(stream.player)
        self._streams[stream.player] = stream
        await self._store.tell(f"stream {stream.player} {stream.stream_id}")
        for match_id in await self._store.matches_of(stream.player):
            await self._seat_patiently(stream, match_id)
        for match_id in stream.unfinished():
            try:
                await self._tell_end(stream, match_id)
            except (Refused, GameError) as error:
                log.warning("the end of match %s cannot be told to %s: %s", match_id, stream.player, error)

    def detach(self, stream: BotStream) -> None:
        """The stream is gone."""
        if self._streams.get(stream.player) is stream:
            del self._streams[stream.player]

    async def revoked(self, player: str) -> None:
        """Ends the streams of a bot (`name`) or of one version (`name/version`), everywhere."""
        await self._store.tell(f"revoked {player}")

    def end_streams(self, refused: Refused) -> None:
        """Ends every Play stream and every call that waits for news."""
        for stream in list(self._streams.values()):
            stream.end(refused)
        self._end_calls(lambda _: True, refused)

    @contextmanager
    def call(self, player: str = "") -> Iterator[asyncio.Future[Refused]]:
        """Counts in a call that waits for news, with `player` for a bot's. The future's result is what ends it."""
        ended: asyncio.Future[Refused] = asyncio.get_running_loop().create_future()
        self._calls[ended] = player
        try:
            yield ended
        finally:
            del self._calls[ended]

    def _end_calls(self, which: Callable[[str], bool], refused: Refused) -> None:
        for ended, player in self._calls.items():
            if not ended.done() and which(player):
                ended.set_result(refused)

    async def _seat(self, stream: BotStream, match_id: str) -> None:
        try:
            session = await self._matches.session(match_id)
        except MatchGone:
            # Its creation failed half way, or it has just been archived.
            if await self._register.archived_session(match_id, stream.player) is not None:
                await self._store.withdraw_offer(match_id, stream.player)
            return
        seat = session.seat_of(stream.player)
        if seat is not None and self._streams.get(stream.player) is stream:
            await stream.seat(session, seat)

    async def _tell_end(self, stream: BotStream, match_id: str) -> None:
        """Shows a bot the rest of a match that was over before it came back."""
        session = await self._register.archived_session(match_id, stream.player)
        if session is not None:
            seat = session.seat_of(stream.player)
            if seat is not None:
                await stream.seat(session, seat)

    def _drop_older(self, player: str, stream_id: str) -> None:
        older = self._streams.get(player)
        if older is not None and older.stream_id < stream_id:
            self._supersede(player)

    def _supersede(self, player: str) -> None:
        older = self._streams.pop(player, None)
        if older is not None:
            older.end(Refused(errors_pb2.REASON_SUPERSEDED, f"a newer stream of {player} took over"))

    def heard(self, what: str, player: str, detail: str = "") -> None:
        """News for every replica, see `store.keys.EVERYBODY`."""
        if what == "offer":
            stream = self._streams.get(player)
            if stream is not None:
                self._matches.spawn(self._seat_patiently(stream, detail))
        elif what == "stream":
            self._drop_older(player, detail)
        elif what == "revoked":
            refused = Refused(errors_pb2.REASON_TOKEN_UNKNOWN, "the token was revoked; ask the organiser")
            for key, stream in list(self._streams.items()):
                if player in {key, key.split("/")[0]}:
                    stream.end(refused)
            self._end_calls(lambda key: player in {key, key.split("/")[0]}, refused)

    def missed_news(self) -> None:
        """Anything may have been told while the store was away."""
        for stream in list(self._streams.values()):
            self._matches.spawn(self._seat_all(stream))

    async def _seat_patiently(self, stream: BotStream, match_id: str) -> None:
        while self._streams.get(stream.player) is stream:
            try:
                await self._seat(stream, match_id)
            except StoreUnavailable:
                await asyncio.sleep(_RETRY)
            except (Refused, GameError) as error:
                log.warning("%s gets no seat in match %s: %s", stream.player, match_id, error)
                return
            else:
                return

    async def _seat_all(self, stream: BotStream) -> None:
        """Gives a stream the seats that it may have missed while the store was away."""
        while self._streams.get(stream.player) is stream:
            try:
                for match_id in await self._store.matches_of(stream.player):
                    await self._seat_patiently(stream, match_id)
            except StoreUnavailable:
                await asyncio.sleep(_RETRY)
            else:
                return
