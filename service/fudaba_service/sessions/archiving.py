"""Matches that are over go from the store to the archive. A record there stands, whatever the store says later.

A store that loses a tail may bring back a match whose result everybody has been told. Then the archive is right.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final, Protocol, final

from fudaba.v1 import record_pb2
from fudaba_service.archive import Archive, ArchiveUnavailable
from fudaba_service.metrics import Metrics
from fudaba_service.store import MatchGone, Store, StoredMatch, StoreUnavailable

__all__ = ["Archiving"]

log = logging.getLogger(__name__)

_FIRST_RETRY: Final = 0.25
_LAST_RETRY: Final = 30.0


class Ended(Protocol):
    """A session, as it is seen here."""

    match_id: str
    tail: bytes
    header: record_pb2.MatchHeader

    @property
    def is_over(self) -> bool:
        """Whether the match is over; it may be put back at any time."""

    @property
    def players(self) -> list[str]:
        """Who sits where, as `bot/version`."""

    def record(self) -> record_pb2.MatchRecord:
        """The record of the match."""


@final
class Archiving:
    """The one way into the archive."""

    def __init__(self, store: Store, archive: Archive, metrics: Metrics) -> None:
        self._store = store
        self._archive = archive
        self._metrics = metrics

    async def finish(self, session: Ended) -> int | None:
        """Archives a match and takes it out of the store; tries until both are done.

        1 when that was done here, 0 when by somebody else. None when the match is not over any more, or the archive has
        another record of it: then the session must be brought in step.
        """
        pause = _FIRST_RETRY
        while session.is_over:
            record, tail = session.record(), session.tail
            try:
                if not await self._archive.write(record):
                    log.warning("match %s: another end of it is in the archive, and stands", session.match_id)
                    return None
                created = session.header.create_time.ToMilliseconds()
                bots = session.players
                removed = await self._store.finish(session.match_id, created, bots, len(record.log), tail)
                if removed < 0:
                    log.warning("match %s: the store lost a tail of it, but it was archived before", session.match_id)
                    await self._remove(session.match_id, created, bots)
                    return 0
            except (ArchiveUnavailable, StoreUnavailable) as error:
                if isinstance(error, ArchiveUnavailable):
                    self._metrics.archive_failures.inc()
                log.warning("match %s is not archived yet, trying again: %s", session.match_id, error)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LAST_RETRY)
            else:
                return removed
        return None

    async def load(self, match_id: str) -> StoredMatch:
        """A live match, followed from now on; at its end, if the archive says so. Raises `MatchGone`."""
        stored = await self._store.load(match_id, follow=True)
        try:
            return await self._archived(match_id) or stored
        except ArchiveUnavailable as error:
            log.warning("match %s goes on as it is stored: %s", match_id, error)
            return stored

    async def find(self, match_id: str) -> StoredMatch | None:
        """The same of a match that was live and may be over; None when neither the store nor the archive has it."""
        try:
            return await self.load(match_id)
        except MatchGone:
            return await self._archived(match_id)

    async def _archived(self, match_id: str) -> StoredMatch | None:
        record = await self._archive.read(match_id)
        if record is None:
            return None
        entries = [entry.SerializeToString() for entry in record.log]
        return StoredMatch(record.header.SerializeToString(), record.seed, record.salt, entries)

    async def _remove(self, match_id: str, created_ms: int, bots: list[str]) -> None:
        """Takes a match out of the store, whatever is there of it."""
        removed = -1
        while removed < 0:
            try:
                stored = await self._store.load(match_id, follow=False)
            except MatchGone:
                return
            tail = stored.entries[-1] if stored.entries else b""
            removed = await self._store.finish(match_id, created_ms, bots, len(stored.entries), tail)
