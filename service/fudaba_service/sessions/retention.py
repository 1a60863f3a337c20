"""Removes expired records: beyond a number of days or of records, as the operator sets."""

from __future__ import annotations

import asyncio
import logging
from typing import Final, NamedTuple, final

from fudaba_service.archive import Archive, ArchiveIndex, ArchiveUnavailable, IndexQuery, places
from fudaba_service.sessions.register import Register
from fudaba_service.store import Store, StoreUnavailable

__all__ = ["KEEP_ALL", "Keep", "Retention"]

log = logging.getLogger(__name__)

_SWEEP_SECONDS: Final = 60.0
_MATCHES_PER_BATCH: Final = 200
_PAUSE_SECONDS: Final = 0.05
_DAY_MS: Final = 86_400_000
_BEHIND_ALL: Final = places(None, None)[1]


class Keep(NamedTuple):
    """The amount that is kept. 0 is no limit; of two limits, the narrower one applies."""

    days: int = 0
    """The days after the match's creation."""
    records: int = 0
    """The number of newest matches."""


KEEP_ALL: Final = Keep()


@final
class Retention:
    """Removes expired records. Every replica looks; records that another one removed are ignored."""

    def __init__(self, store: Store, archive: Archive, index: ArchiveIndex, register: Register, keep: Keep) -> None:
        self._store = store
        self._archive = archive
        self._index = index
        self._register = register
        self._keep = keep

    async def run(self) -> None:
        """Looks until cancelled."""
        while True:
            if self._keep != KEEP_ALL:
                try:
                    removed = await self._look()
                    if removed:
                        log.info("%d expired records were removed", removed)
                except (ArchiveUnavailable, StoreUnavailable) as error:
                    log.warning("expired records are not removed yet, trying again: %s", error)
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _look(self) -> int:
        """Removes expired records. Returns their number."""
        after, removed = await self._last_kept(), 0
        if after is None:
            return 0
        self._register.forget_after(after)
        while found := await self._index.page(IndexQuery(), after, _BEHIND_ALL, _MATCHES_PER_BATCH):
            after = found[-1].place
            hidden = await self._store.index.hidden([match.header.match_id for _, match in found])
            gone = [
                placed_match for placed_match, flag in zip(found, hidden, strict=True) if not flag
            ]  # a block in play needs its own
            ids = [match.header.match_id for _, match in gone]
            # In this order, a process that dies on the way leaves entries that are found and removed again.
            await self._index.note_removal(ids, self._store.now_ms())
            await self._archive.remove(ids)
            for place, match in gone:
                await self._store.tags.forget_match(match.header.match_id, place)
            await self._index.remove(gone, self._store.now_ms())
            removed += len(gone)
            await asyncio.sleep(_PAUSE_SECONDS)
        return removed

    async def _last_kept(self) -> str | None:
        """Returns the place after which nothing is kept; None if everything is."""
        limits = []
        if self._keep.days:
            limits.append(places(None, self._store.now_ms() - self._keep.days * _DAY_MS)[0])
        if self._keep.records and (last := await self._index.place_of(self._keep.records)):
            limits.append(last)
        return min(limits, default=None)
