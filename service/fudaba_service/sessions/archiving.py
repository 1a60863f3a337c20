"""Moves finished matches from the store to the archive. An archived record stands, whatever the store says later.

A store that loses a tail may bring back a match whose result everybody knows. Then the archive is right.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Final, final

from fudaba.replay import Replay
from fudaba.v1 import record_pb2
from fudaba_service.accounts.house_bots import is_house
from fudaba_service.archive import Archive, ArchiveIndex, ArchiveUnavailable
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.sessions.followers import end_of
from fudaba_service.sessions.match_copy import MatchCopy
from fudaba_service.store import MatchGone, Store, StoredMatch, retry_until_answered

__all__ = ["Archiving"]

log = logging.getLogger(__name__)

_MAX_PAUSE_SECONDS: Final = 30.0
_MAX_ARCHIVE_WAIT_SECONDS: Final = 1.0
"""The time for which an ongoing match may wait for the archive's answer."""


@final
class Archiving:
    """The only way into the archive."""

    def __init__(self, store: Store, archive: Archive, index: ArchiveIndex, metrics: Metrics) -> None:
        self._store = store
        self._archive = archive
        self._index = index
        self._metrics = metrics

    async def finish(self, match: MatchCopy) -> int | None:
        """Archives a match and removes it from the store. It tries until both are done.

        Returns 1 if this process did it, 0 if another one did. Returns None if the match is no longer over, or the
        archive has another record of it: then its session must be synchronised.
        """
        failed = partial(self._not_yet, match.match_id)
        return await retry_until_answered(
            lambda: self._finish(match), ArchiveUnavailable, failed=failed, max_pause_seconds=_MAX_PAUSE_SECONDS
        )

    async def _finish(self, match: MatchCopy) -> int | None:
        if not match.is_over:
            return None
        record, tail = match.record(), match.tail
        if not await self._archive.write(record):
            log.warning("match %s: the archive has another end of it, which stands", match.match_id)
            return None
        notes = await self._store.matches.notes(match.match_id)
        if notes:
            await self._archive.write_notes(match.match_id, notes)
        # Before the store forgets the match: whoever dies here leaves it to be archived again.
        await self._index.add(record)
        bots, ends = match.players, _ends(record)
        removed = await self._store.matches.finish(match.match_id, bots, len(record.log), tail, ends)
        if removed < 0:
            log.warning("match %s: the store lost a tail of it, but it was archived before", match.match_id)
            await self._remove(match.match_id, bots, ends)
            return 0
        return removed

    async def lose(self, match: MatchCopy) -> StoredMatch:
        """Archives the end of a match that the store has lost. Returns the end that the archive then has.

        Several replicas may find the same loss, each with its own time and its own last entries. The archive decides
        which of these ends stands, so nobody hears of any before it is there. Tries until the archive answers.
        """
        log.error("match %s is in neither the store nor the archive", match.match_id)
        abort = record_pb2.Abort(cause=record_pb2.ABORT_CAUSE_LOST, message="the store lost the match")
        entry = record_pb2.LogEntry(abort=abort, at_ms=match.now_ms())
        log_entries = [*map(record_pb2.LogEntry.FromString, match.log), entry]
        record = record_pb2.MatchRecord(header=match.header, salt=match.salt, seed=match.seed, log=log_entries)
        record.end.CopyFrom(await asyncio.to_thread(_end, record))

        async def once() -> StoredMatch:
            await self._archive.write(record)
            stored = await self._archived(match.match_id)
            if stored is None:
                raise ArchiveUnavailable(f"the record of match {match.match_id} was there just now, and is gone")
            return stored

        failed = partial(self._not_yet, match.match_id)
        return await retry_until_answered(once, ArchiveUnavailable, failed=failed, max_pause_seconds=_MAX_PAUSE_SECONDS)

    def _not_yet(self, match_id: str, error: Exception) -> None:
        if isinstance(error, ArchiveUnavailable):
            self._metrics.archive_failures.inc()
        log.warning("match %s is not archived yet, trying again: %s", match_id, error)

    async def load(self, match_id: str) -> StoredMatch:
        """Returns a live match, followed from now on, or its end according to the archive. Raises `MatchGone`."""
        stored = await self._store.matches.load(match_id, follow=True)
        try:
            async with asyncio.timeout(_MAX_ARCHIVE_WAIT_SECONDS):
                return await self._archived(match_id) or stored
        except (ArchiveUnavailable, TimeoutError) as error:
            # Its clocks run. Should the archive have a record of it, that is noticed when this one is over.
            log.warning("match %s goes on as it is stored: %s", match_id, str(error) or "the archive is slow")
            return stored

    async def find(self, match_id: str) -> StoredMatch | None:
        """Does the same for a match that was live and may be over. Returns None if neither the store nor the archive
        has it.
        """
        try:
            return await self.load(match_id)
        except MatchGone:
            return await self._archived(match_id)

    async def _archived(self, match_id: str) -> StoredMatch | None:
        record = await self._archive.read(match_id)
        if record is None:
            return None
        entries = [entry.SerializeToString() for entry in record.log]
        return StoredMatch(
            record.header.SerializeToString(deterministic=True), record.seed, record.salt, entries, record.end
        )

    async def _remove(self, match_id: str, bots: list[str], ends: list[tuple[str, bytes]]) -> None:
        """Removes everything about a match from the store."""
        removed = -1
        while removed < 0:
            try:
                stored = await self._store.matches.load(match_id, follow=False)
            except MatchGone:
                return
            tail = stored.entries[-1] if stored.entries else b""
            removed = await self._store.matches.finish(match_id, bots, len(stored.entries), tail, ends)


def _end(record: record_pb2.MatchRecord) -> record_pb2.MatchEnd:
    """Returns the end to which the log of a record leads."""
    replay = Replay(record.header, record.seed)
    for entry in record.log:
        replay.apply(entry)
    return replay.end()


def _ends(record: record_pb2.MatchRecord) -> list[tuple[str, bytes]]:
    """Returns how a match ended, for each seat whose bot may not know yet."""
    header = record.header
    return [
        (f"{player.bot}/{player.version}", end_of(header.match_id, seat, record.end))
        for seat, player in enumerate(header.players)
        if not is_house(player.bot)
    ]
