"""The index of the archive: finds the archive's records without reading them.

It is in a folder `index`, beside the records if these are in a folder, with an SQLite file for each month (UTC) of
matches' creation, such as `2026-11.sqlite`. A month that is over does not change, a page of a list opens only the
months that it shows, and expired matches go with their file. Within a month, matches are in the order of lists; indexes
find those of a bot, of a label (which names the season of an arena's matches), of a game and of a state.

All of its content comes from the records. The entry is written after the record and before the match leaves the store,
so a process that dies in between leaves a match that is archived again: making an entry twice makes the same one. If
the index is lost, damaged, or of another release, `keep` rebuilds it from the records while the service serves.

If the records are at a URL, each machine has its own index. A replica takes over what others archive from a list in the
store (`Arrivals`), before each answer: so all replicas find a match at once that has left the store. A replica that
missed too much of the list, or begins without an index, rebuilds it from the records.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final, Protocol, final

from fudaba import records
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_service.archive.listing import Listed, ended_match
from fudaba_service.archive.months import FORMAT_NUMBER, IndexEntry, IndexQuery, Months, UnusableMonth
from fudaba_service.archive.records import Archive, ArchiveUnavailable
from fudaba_service.store import StoreUnavailable
from fudaba_serving.process.coalesced import Coalesced

__all__ = ["ArchiveIndex", "Arrivals", "IndexQuery"]

log = logging.getLogger(__name__)
_RECORDS_PER_BATCH: Final = 100
"""The number of records that are read at once to rebuild the index."""
_ARRIVALS_PER_BATCH: Final = 1000
"""The number of other replicas' matches that are taken over at once."""
_PAUSE_SECONDS: Final = 0.02
"""The pause between two such batches, so that matches can go on."""
_RETRY_SECONDS: Final = 30.0


class Arrivals(Protocol):
    """The recently archived matches in order, each as lists show it."""

    async def tell(self, match: bytes) -> None:
        """Adds one."""

    async def last(self) -> str:
        """Returns the place of the last one."""

    async def after(self, place: str, most: int) -> list[tuple[str, bytes]] | None:
        """Returns the first ones after a place, each with its own place; None if some are already forgotten."""


@final
class ArchiveIndex:
    """See the module. With `arrivals`, it is one of several, on the machine of one replica."""

    def __init__(self, archive: Archive, arrivals: Arrivals | None = None) -> None:
        self._archive = archive
        self._arrivals = arrivals
        self._catch_up = Coalesced(self._take_arrivals)
        self._folder = archive.index_folder
        self._whole = self._folder / "whole"
        """The file that is there once every record is in the index. It names the format and the latest arrival."""
        self._months = Months(self._folder, partial(self._whole.unlink, missing_ok=True))
        self._pending: list[IndexEntry] = []
        self._flush = Coalesced(self._write_pending)
        self._look = asyncio.Event()
        self._look.set()

    async def add(self, record: record_pb2.MatchRecord) -> None:
        """Adds an archived record, which is on disk before this returns. Raises `ArchiveUnavailable`.

        Records that arrive while others are written go to disk together.
        """
        if self._arrivals is not None:
            await self._arrivals.tell(ended_match(record).SerializeToString())
        self._pending.append(IndexEntry.from_match(ended_match(record)))
        await self._flush()

    async def page(self, wanted: IndexQuery, after: str, until: str, most: int) -> list[Listed]:
        """Returns the first wanted matches between two places in lists. Raises `ArchiveUnavailable`."""
        await self._keep_up()
        with self._unavailable():
            return await asyncio.to_thread(self._months.page, wanted, after, until, most)

    async def at(self, places: Sequence[str]) -> list[Listed]:
        """Returns the archived matches at these places. Raises `ArchiveUnavailable`."""
        await self._keep_up()
        with self._unavailable():
            return await asyncio.to_thread(self._months.at, places)

    async def place_of(self, number: int) -> str:
        """Returns the place of the match with this number, counted from 1, newest first; empty if there are fewer.

        Raises `ArchiveUnavailable`.
        """
        await self._keep_up()
        with self._unavailable():
            return await asyncio.to_thread(self._months.place_of, number)

    async def note_removal(self, match_ids: Sequence[str], until_ms: int) -> None:
        """Notes until when records were kept that are about to be removed. Raises `ArchiveUnavailable`."""
        with self._unavailable():
            await asyncio.to_thread(self._months.note_removal, match_ids, until_ms)

    async def remove(self, listed: Sequence[Listed], now_ms: int) -> None:
        """Forgets matches whose records were removed. Raises `ArchiveUnavailable`."""
        with self._unavailable():
            await asyncio.to_thread(self._months.remove, listed, now_ms)

    async def kept_until(self, match_id: str) -> int | None:
        """Returns until when a match was kept, in ms, if its removal was noted. Raises `ArchiveUnavailable`."""
        with self._unavailable():
            return await asyncio.to_thread(self._months.kept_until, match_id)

    async def keep(self) -> None:
        """Rebuilds the index whenever it is incomplete, until cancelled."""
        while True:
            await self._look.wait()
            self._look.clear()
            try:
                if await asyncio.to_thread(self._taken) is None:
                    await self._rebuild()
                await self._keep_up()
            except (ArchiveUnavailable, StoreUnavailable) as error:
                log.warning("the index of the archive cannot be rebuilt yet, trying again: %s", error)
                await asyncio.sleep(_RETRY_SECONDS)
                self._look.set()

    async def _keep_up(self) -> None:
        """Takes over what other replicas have archived. Raises `ArchiveUnavailable` or `StoreUnavailable`."""
        if self._arrivals is not None:
            await self._catch_up()

    async def _take_arrivals(self) -> None:
        assert self._arrivals is not None  # noqa: S101  # for types
        with self._unavailable():
            taken = await asyncio.to_thread(self._taken)
            while taken is not None:  # otherwise the index is being rebuilt from the records
                found = await self._arrivals.after(taken, _ARRIVALS_PER_BATCH)
                if found is None:
                    log.warning("the archive has more matches than its index; the index is rebuilt from the records")
                    self._whole.unlink(missing_ok=True)
                    self._look.set()
                    return
                if not found:
                    return
                await asyncio.to_thread(
                    self._months.write, [IndexEntry.from_match(matches_pb2.Match.FromString(raw)) for _, raw in found]
                )
                taken = found[-1][0]
                await asyncio.to_thread(self._say_whole, taken)

    async def _write_pending(self) -> None:
        pending, self._pending = self._pending, []
        with self._unavailable():
            await asyncio.to_thread(self._months.write, pending)

    @contextmanager
    def _unavailable(self) -> Iterator[None]:
        try:
            yield
            if self._months.doubtful:
                self._months.doubtful = False
                self._look.set()
        except UnusableMonth as error:
            self._look.set()
            raise ArchiveUnavailable(f"{error}; the index is rebuilt from the records") from error
        except (sqlite3.Error, OSError) as error:
            raise ArchiveUnavailable(f"the index {self._folder} cannot be used: {error}") from error

    def _taken(self) -> str | None:
        """Returns the place up to which arrivals were taken over, empty if there are none; None if the index is
        incomplete.
        """
        try:
            version, _, taken = self._whole.read_text(encoding="utf-8").strip().partition(" ")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise ArchiveUnavailable(f"{self._whole} cannot be read: {error}") from error
        return taken if version == str(FORMAT_NUMBER) and bool(taken) == (self._arrivals is not None) else None

    async def _rebuild(self) -> None:
        """Adds every record of the archive. Others may do so or add records at the same time."""
        count = 0
        # This is read before the records, so that the news of matches archived meanwhile comes after it.
        taken = "" if self._arrivals is None else await self._arrivals.last()
        with self._unavailable():
            async for names in self._archive.names():
                for at in range(0, len(names), _RECORDS_PER_BATCH):
                    batch = names[at : at + _RECORDS_PER_BATCH]
                    await asyncio.to_thread(self._take_up, batch, await self._archive.contents(batch))
                    count += len(batch)
                    await asyncio.sleep(_PAUSE_SECONDS)
            await asyncio.to_thread(self._say_whole, taken)
        if count:
            log.info("the index of the archive was rebuilt from %d records", count)

    def _take_up(self, names: Sequence[str], contents: Sequence[bytes | None]) -> None:
        entries = []
        for name, content in zip(names, contents, strict=True):
            try:
                if content is not None:  # otherwise the match was removed meanwhile
                    entries.append(IndexEntry.from_match(ended_match(records.unpack(content))))
            except (records.BadRecord, ValueError, OverflowError) as error:
                log.warning("%s/%s is left out of the index of the archive: %s", self._archive.where, name, error)
        self._months.write(entries)

    def _say_whole(self, taken: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        made = self._whole.with_name(f".whole-{os.getpid()}")
        made.write_text(f"{FORMAT_NUMBER} {taken}".strip() + "\n", encoding="utf-8")
        made.replace(self._whole)
