"""The facts about any match, whether it has open seats, is in play, or is over and in the archive."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, final

from google.protobuf.message import DecodeError

from fudaba.v1 import errors_pb2, matches_pb2, record_pb2
from fudaba_service.accounts.owner import Owner
from fudaba_service.archive import Archive, ArchiveIndex, ArchiveUnavailable, ended_match, listed_as
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.refusals import Refused
from fudaba_service.sessions.hidden_matches import no_match, note_showing
from fudaba_service.sessions.live_sessions import LiveSessions
from fudaba_service.sessions.match_copy import no_seat, seat_in
from fudaba_service.sessions.open_matches import OpenMatches
from fudaba_service.sessions.replays import Payer, Replays
from fudaba_service.sessions.session import Session
from fudaba_service.sessions.submitting import catch_up
from fudaba_service.store import MatchGone, Store

__all__ = ["Register"]

log = logging.getLogger(__name__)

_MAX_ENDED_MATCHES: Final = 10_000


@final
class Register:
    """Looks matches up by id for callers."""

    def __init__(
        self,
        store: Store,
        archive: Archive,
        index: ArchiveIndex,
        live: LiveSessions,
        open_matches: OpenMatches,
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._archive = archive
        self._index = index
        self._live = live
        self._open_matches = open_matches
        self._ended_matches: dict[str, tuple[str, bytes]] = {}
        """Archived matches that were read lately, each with its place in lists; an archived match does not change."""
        self.replays = Replays(live, metrics)

    async def session_or_end(
        self, match_id: str, payer: Payer, admit: Callable[[record_pb2.MatchHeader], object] = lambda _: None
    ) -> Session:
        """Returns the session of a match: live, or rebuilt at its end if the match is over. Refuses unknown matches.

        `admit` refuses callers who may not see the match, before anything is replayed for them.
        """
        ended = self._ended(match_id)
        if ended is not None:
            admit(ended.header)
            kept = self.replays.kept(match_id)
            if kept is not None:
                return kept
        elif self._live.held(match_id) is None:
            await self._refuse_open(match_id)
        try:
            session = await self._live.session(match_id)
        except MatchGone:
            record = await self.record(match_id)
            self._note_ended(record)
            admit(record.header)
            return await self.replays.session(record, payer)
        admit(session.copy.header)
        return session

    async def seat(self, match_id: str, owner: Owner, payer: Payer) -> tuple[Session, int]:
        """Returns the session of a match, live or over, and the seat of a token. Refuses a token without a seat."""

        def seated(header: record_pb2.MatchHeader) -> int:
            seat = seat_in(header, owner)
            if seat is None:
                raise no_seat(owner, match_id, [f"{p.bot}/{p.version}" for p in header.players])
            return seat

        try:
            session = await self.session_or_end(match_id, payer, seated)
        except Refused as refused:
            if refused.reason == errors_pb2.REASON_NOT_YOUR_MATCH:
                [showing] = await self._store.index.showings([match_id])
                if showing.concealed:
                    raise no_match(match_id) from None
            raise
        return session, seated(session.copy.header)

    async def current(self, match_id: str) -> Session:
        """Returns the session of a live match, in step with the store: the caller may know more than this replica.

        Raises `MatchGone`, `StoreUnavailable` or `Refused`.
        """
        held = self._live.held(match_id)
        session = await self._live.session(match_id)
        if session is held and not session.copy.replay.over:
            await catch_up(session)
        return session

    async def match(self, match_id: str, *, listed: bool = False) -> matches_pb2.Match:
        """Returns a match, live or archived. Refuses unknown ones. In a list, it may be slightly old."""
        message = self._ended(match_id) or matches_pb2.Match()
        if not message.HasField("header"):
            # In this order: a match that begins in between is found as one or the other.
            open_match = None if self._live.held(match_id) is not None else await self._open_matches.find(match_id)
            if open_match is not None:
                open_match.fill_match(message)
                message.hidden = open_match.hidden
                return message
            try:
                session = await (self._live.session(match_id) if listed else self.current(match_id))
            except MatchGone:
                message = self._note_ended(await self.record(match_id))
            else:
                session.copy.fill_match(message)
        [showing] = await self._store.index.showings([match_id])
        note_showing(message, showing)
        return message

    def _ended(self, match_id: str) -> matches_pb2.Match | None:
        """Returns an archived match from the cache."""
        found = self._ended_matches.get(match_id)
        return None if found is None else matches_pb2.Match.FromString(found[1])

    def _note_ended(self, record: record_pb2.MatchRecord) -> matches_pb2.Match:
        """Remembers how a match ended."""
        message, match_id = ended_match(record), record.header.match_id
        place = listed_as(match_id, message.header.create_time.ToMilliseconds())
        self._ended_matches[match_id] = place, message.SerializeToString()
        if len(self._ended_matches) > _MAX_ENDED_MATCHES:
            del self._ended_matches[next(iter(self._ended_matches))]
        return message

    async def record(self, match_id: str) -> record_pb2.MatchRecord:
        """Returns the record of a finished match. Refuses unknown and live ones."""
        try:
            session = await self.current(match_id)
        except MatchGone:
            record = await self.archived(match_id)
            if record is None:
                await self._refuse_open(match_id)
                await self.refuse_expired(match_id)
                raise no_match(match_id) from None
            return record
        if not session.copy.replay.over:
            raise Refused(errors_pb2.REASON_MATCH_NOT_OVER, f"match {match_id} is not over yet; its record comes then")
        return session.copy.record()

    async def _refuse_open(self, match_id: str) -> None:
        """Refuses an open match a request that needs a begun one."""
        open_match = await self._open_matches.find(match_id)
        if open_match is None:
            return
        if open_match.closed:
            raise Refused(errors_pb2.REASON_MATCH_OVER, f"match {match_id} was given up before it began")
        raise Refused(
            errors_pb2.REASON_MATCH_OPEN,
            f"match {match_id} waits for seats to be taken: {', '.join(map(str, open_match.absent))}",
        )

    async def listed_match(self, match_id: str) -> matches_pb2.Match | None:
        """Returns a match for a list without loading it; None if it has just gone, or its record is unreadable."""
        if self._live.held(match_id) is None and match_id not in self._ended_matches:
            stored = await self._store.matches.state(match_id)
            if stored is not None:
                match = matches_pb2.Match(state=matches_pb2.MatchState.ValueType(stored[1]))
                try:
                    match.header.ParseFromString(stored[0])
                except DecodeError as error:
                    log.warning("match %s is left out of a list: its header cannot be read: %s", match_id, error)
                    return None
                [showing] = await self._store.index.showings([match_id])
                note_showing(match, showing)
                return match
        try:
            return await self.match(match_id, listed=True)
        except Refused as refused:
            log.warning("match %s is left out of a list: %s", match_id, refused)
            return None

    async def has_archived(self, match_id: str, player: str) -> bool:
        """Returns whether a player's match is in the archive. Refuses if the archive cannot be read."""
        record = await self.archived(match_id)
        return record is not None and any(f"{p.bot}/{p.version}" == player for p in record.header.players)

    async def archived_session(self, match_id: str, owner: Owner, payer: Payer) -> Session | None:
        """Returns the session of an archived match at its end, or None if a token has no seat in it.

        Refuses if the archive cannot be read, and callers who have asked for too many.
        """
        record = await self.archived(match_id)
        # Anybody may ask for any match; only its own players have it replayed.
        if record is None or seat_in(record.header, owner) is None:
            return None
        return await self.replays.session(record, payer)

    async def refuse_expired(self, match_id: str) -> None:
        """Refuses a match that is no longer kept, and says until when it was."""
        try:
            until_ms = await self._index.kept_until(match_id)
        except ArchiveUnavailable as error:
            raise Refused(errors_pb2.REASON_ARCHIVE_UNAVAILABLE, str(error)) from error
        if until_ms is not None:
            until = f"{datetime.fromtimestamp(until_ms / 1000, UTC):%Y-%m-%d %H:%M:%S}"
            raise Refused(
                errors_pb2.REASON_MATCH_EXPIRED, f"match {match_id} and its record were kept until {until} UTC"
            )

    def forget_after(self, place: str) -> None:
        """Forgets matches that are no longer kept: those after a place in lists."""
        for match_id in [match_id for match_id, (its_place, _) in self._ended_matches.items() if its_place > place]:
            del self._ended_matches[match_id]
        self.replays.forget()

    async def archived_notes(self, match_id: str) -> list[matches_pb2.Note]:
        """Reads bots' notes about an archived match. Refuses if the archive cannot be read."""
        try:
            return await self._archive.read_notes(match_id)
        except ArchiveUnavailable as error:
            raise Refused(errors_pb2.REASON_ARCHIVE_UNAVAILABLE, str(error)) from error

    async def archived(self, match_id: str) -> record_pb2.MatchRecord | None:
        """Returns the record of an archived match, or None. Refuses if the archive cannot be read."""
        try:
            return await self._archive.read(match_id)
        except ArchiveUnavailable as error:
            raise Refused(errors_pb2.REASON_ARCHIVE_UNAVAILABLE, str(error)) from error
