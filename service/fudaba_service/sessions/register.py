"""What can be told of any match, wherever it is: with seats to be taken, in play, or over and in the archive."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, final

from fudaba.v1 import errors_pb2, matches_pb2, record_pb2
from fudaba_service.archive import ArchiveUnavailable
from fudaba_service.refusals import Refused
from fudaba_service.sessions.session import Session
from fudaba_service.store import MatchGone

if TYPE_CHECKING:
    from fudaba_service.sessions.host import Host

__all__ = ["Register"]

log = logging.getLogger(__name__)

_ENDED_KEPT: Final = 10_000
_LATEST_MS: Final = 10**13


@final
class Register:
    """Looks matches up for those who ask for them by id, and lists them."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._ended_matches: dict[str, bytes] = {}
        """What lists show of archived matches, read lately; an archived match does not change."""

    async def session_or_end(self, match_id: str) -> Session:
        """The session of a live match, or of one that is over, at its end. Refuses unknown ones."""
        if self._host.held(match_id) is None:
            await self._refuse_open(match_id)
        try:
            return await self._host.session(match_id)
        except MatchGone:
            return Session.finished(self._host, await self.record(match_id))

    async def match(self, match_id: str) -> matches_pb2.Match:
        """A match, live or archived. Refuses unknown ones."""
        message = matches_pb2.Match()
        if match_id in self._ended_matches:
            message.ParseFromString(self._ended_matches[match_id])
        else:
            # In this order: a match that begins in between is found as one or the other.
            table = None if self._host.held(match_id) is not None else await self._host.tables.find(match_id)
            if table is not None:
                table.fill_match(message)
                message.withheld = table.withheld
                return message
            try:
                session = await self._host.session(match_id)
            except MatchGone:
                _fill_ended(await self.record(match_id), message)
                self._ended_matches[match_id] = message.SerializeToString()
                if len(self._ended_matches) > _ENDED_KEPT:
                    del self._ended_matches[next(iter(self._ended_matches))]
            else:
                session.fill_match(message)
        [message.withheld] = await self._host.store.withheld([match_id])
        return message

    async def record(self, match_id: str) -> record_pb2.MatchRecord:
        """The record of a match that is over. Refuses unknown ones and live ones."""
        try:
            session = await self._host.session(match_id)
        except MatchGone:
            record = await self.archived(match_id)
            if record is None:
                await self._refuse_open(match_id)
                raise Refused(errors_pb2.REASON_MATCH_NOT_FOUND, f"there is no match {match_id!r}") from None
            return record
        if not session.replay.over:
            raise Refused(errors_pb2.REASON_MATCH_NOT_OVER, f"match {match_id} is not over yet; its record comes then")
        return session.record()

    async def _refuse_open(self, match_id: str) -> None:
        """Refuses what can be had only of a match that has begun, when it has not."""
        table = await self._host.tables.find(match_id)
        if table is None:
            return
        if table.closed:
            raise Refused(errors_pb2.REASON_MATCH_OVER, f"match {match_id} was given up before it began")
        raise Refused(
            errors_pb2.REASON_MATCH_OPEN,
            f"match {match_id} waits for seats to be taken: {', '.join(map(str, table.absent))}",
        )

    async def listed(self) -> dict[str, str]:
        """The ids of the live matches and the newest finished ones, newest first, by names that sort like that.

        A match that ends keeps its place.
        """
        # In this order: a match that ends in between is then in both, never in neither.
        created = await self._host.tables.created()
        created |= await self._host.store.live_matches()
        created |= await self._host.store.recent_matches()
        names = {f"{_LATEST_MS - int(at):014}-{match_id}": match_id for match_id, at in created.items()}
        return {name: names[name] for name in sorted(names)}

    async def listed_match(self, match_id: str) -> matches_pb2.Match | None:
        """A match for a list, without loading it; None when it has just gone, or its record is unreadable."""
        if self._host.held(match_id) is None and match_id not in self._ended_matches:
            stored = await self._host.store.state(match_id)
            if stored is not None:
                match = matches_pb2.Match(state=matches_pb2.MatchState.ValueType(stored[1]))
                match.header.ParseFromString(stored[0])
                [match.withheld] = await self._host.store.withheld([match_id])
                return match
        try:
            return await self.match(match_id)
        except Refused as refused:
            log.warning("match %s is left out of a list: %s", match_id, refused)
            return None

    async def archived_session(self, match_id: str, player: str) -> Session | None:
        """A session of a player's archived match, at its end, or None. Refuses when the archive cannot be read."""
        record = await self.archived(match_id)
        # Anybody may ask for any match; only its own players have it replayed.
        if record is None or all(f"{p.bot}/{p.version}" != player for p in record.header.players):
            return None
        return Session.finished(self._host, record)

    async def archived(self, match_id: str) -> record_pb2.MatchRecord | None:
        """The record of an archived match, or None. Refuses when the archive cannot be read."""
        try:
            return await self._host.archive.read(match_id)
        except ArchiveUnavailable as error:
            raise Refused(errors_pb2.REASON_ARCHIVE_UNAVAILABLE, str(error)) from error


def _fill_ended(record: record_pb2.MatchRecord, into: matches_pb2.Match) -> None:
    """Fills an empty message with an archived match."""
    into.header.CopyFrom(record.header)
    into.end.CopyFrom(record.end)
    has_outcome = record.end.HasField("outcome")
    into.state = matches_pb2.MATCH_STATE_FINISHED if has_outcome else matches_pb2.MATCH_STATE_ABORTED
    started = [entry.at_ms for entry in record.log if entry.HasField("ready")]
    if len(started) == len(record.header.players):
        into.start_time.FromMilliseconds(started[-1])
