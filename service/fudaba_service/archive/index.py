"""The index of the archive: the records that it holds, found without reading them.

It lies in a folder `index`, beside the records where these lie in a folder: an SQLite file for each month (UTC) in
which matches were created, such as `2026-11.sqlite`. A month that is over changes no more, a page of a list opens the
months that it shows, and what is too old goes by the file. In a month, matches lie in the order of lists; indexes lead
to those of a bot, of a label (which names the season of an arena's matches), of a game and of a state.

Everything in it comes from the records. Between a record and the end of its match in the store lies the entry, so that
whoever dies on the way leaves a match that is archived once more: an entry that is made twice is the same one. Where
the index is lost, damaged, or of another release, `keep` makes it anew from the records, while the service serves.

Any number of processes may read and write; SQLite's locks keep them apart, so the disk must have working locks.

Of records at a URL each machine has an index of its own. What one replica archives, the others take up from a list in
the store (`Arrivals`), before each answer: so a match that has left the store is found by all of them at once. Who
missed too much of that list, or begins without an index, makes it anew from the records.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple, NoReturn, Protocol, TypeVar, final

from fudaba import records
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_service.archive.listing import Listed, bounds_of, ended_match, listed_as, month_of
from fudaba_service.archive.records import Archive, ArchiveUnavailable
from fudaba_service.coalesced import Coalesced
from fudaba_service.store import StoreUnavailable

__all__ = ["ArchiveIndex", "Arrivals", "Wanted"]

log = logging.getLogger(__name__)
_Answer = TypeVar("_Answer")

_FILE: Final = re.compile(r"([0-9]{4}-[01][0-9])\.sqlite")
_FORMAT: Final = 1
"""Of the files. A release that changes it makes the index anew."""
_SCHEMA: Final = (
    """CREATE TABLE matches (
        place TEXT PRIMARY KEY, game TEXT NOT NULL, state INTEGER NOT NULL, label TEXT NOT NULL, match BLOB NOT NULL
    )""",
    "CREATE INDEX by_game ON matches (game, place)",
    "CREATE INDEX by_state ON matches (state, place)",
    "CREATE INDEX by_label ON matches (label, place) WHERE label <> ''",
    "CREATE TABLE seats (bot TEXT, place TEXT, PRIMARY KEY (bot, place)) WITHOUT ROWID",
    f"PRAGMA user_version = {_FORMAT}",
)
_REMOVED: Final = "removed"
"""The file of the matches that are no longer kept. It does not come from the records: lost, they were never there."""
_REMOVED_SCHEMA: Final = (
    "CREATE TABLE removed (match_id TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) WITHOUT ROWID",
    f"PRAGMA user_version = {_FORMAT}",
)
_WAIT_SECONDS: Final = 10.0
"""How long one waits for another process that writes the same month."""
_AT_ONCE: Final = 100
"""How many records are read at once when the index is made anew."""
_ARRIVALS: Final = 1000
"""How many matches are taken up at once that other replicas have archived."""
_PAUSE: Final = 0.02
"""Seconds between two such batches, for those whose matches go on."""
_TRY_AGAIN: Final = 30.0
_STILL_WRITTEN_MS: Final = 40 * 86_400_000
"""Nothing is written any more to the file of a month that was over so long ago: it may go when it is empty."""
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which matches are looked for; what is empty or None is not asked about."""

    bots: frozenset[str] | None = None
    """Those in which one of these bots has a seat."""
    game: str = ""
    state: int = 0
    label: str = ""
    tag: str = ""
    """Those that `tagged_by` gave this tag. The archive knows no tags: it is asked for such matches by their places."""
    tagged_by: str = ""

    def fits(self, match: matches_pb2.Match) -> bool:
        """Whether a match is one of them."""
        header = match.header
        return (
            self.state in {0, match.state}
            and self.game in {"", header.game}
            and self.label in {"", header.label}
            and (self.bots is None or any(player.bot in self.bots for player in header.players))
        )


class _Entry(NamedTuple):
    """A match in the index."""

    month: str
    row: tuple[str, str, int, str, bytes]
    """Place, game, state, label, and what lists show."""
    bots: frozenset[str]


class _UnusableMonth(Exception):
    """A month's file is damaged, or of another release; it was set aside."""


class Arrivals(Protocol):
    """The matches that were archived lately, in the order in which they were, each as lists show it."""

    async def tell(self, match: bytes) -> None:
        """Adds one."""

    async def last(self) -> str:
        """The place of the last one."""

    async def after(self, place: str, most: int) -> list[tuple[str, bytes]] | None:
        """The first ones behind a place, each with its own; None when some of those are forgotten by now."""


@final
class ArchiveIndex:
    """See the module. With `arrivals` it is one of several, each of another replica's machine."""

    def __init__(self, archive: Archive, arrivals: Arrivals | None = None) -> None:
        self._archive = archive
        self._arrivals = arrivals
        self._catch_up = Coalesced(self._take_arrivals)
        self._folder = archive.index_folder
        self._whole = self._folder / "whole"
        """Is there once every record is in the index; says of which format it is, and which arrival came last."""
        self._pending: list[_Entry] = []
        self._flush = Coalesced(self._write_pending)
        self._look = asyncio.Event()
        self._look.set()

    async def add(self, record: record_pb2.MatchRecord) -> None:
        """Takes up a record that is in the archive, on disk before it returns. Raises `ArchiveUnavailable`.

        Those that come while others are written go to disk together.
        """
        if self._arrivals is not None:
            await self._arrivals.tell(ended_match(record).SerializeToString())
        self._pending.append(_entry(ended_match(record)))
        await self._flush()

    async def page(self, wanted: Wanted, after: str, until: str, most: int) -> list[Listed]:
        """The first matches that are wanted, between two places in lists. Raises `ArchiveUnavailable`."""
        await self._keep_up()
        with self._unavailable():
            return await asyncio.to_thread(self._page, wanted, after, until, most)

    async def at(self, places: Sequence[str]) -> list[Listed]:
        """The matches at these places that the archive has. Raises `ArchiveUnavailable`."""
        await self._keep_up()
        with self._unavailable():
            return await asyncio.to_thread(self._at, places)

    async def place_of(self, number: int) -> str:
        """The place of the match of this number, from 1, newest first; empty when there are fewer.

        Raises `ArchiveUnavailable`.
        """
        await self._keep_up()
        with self._unavailable():
            return await asyncio.to_thread(self._place_of, number)

    async def note_removal(self, match_ids: Sequence[str], until_ms: int) -> None:
        """Notes until when records were kept that are about to be removed. Raises `ArchiveUnavailable`."""
        with self._unavailable():
            await asyncio.to_thread(self._note_removal, match_ids, until_ms)

    async def remove(self, listed: Sequence[Listed], now_ms: int) -> None:
        """Forgets matches whose records were removed. Raises `ArchiveUnavailable`."""
        with self._unavailable():
            await asyncio.to_thread(self._remove, listed, now_ms)

    async def kept_until(self, match_id: str) -> int | None:
        """Until when a match was kept, in ms, if its removal was noted. Raises `ArchiveUnavailable`."""
        with self._unavailable():
            return await asyncio.to_thread(self._kept_until, match_id)

    async def keep(self) -> None:
        """Makes the index anew whenever it is not whole; for ever."""
        while True:
            await self._look.wait()
            self._look.clear()
            try:
                if await asyncio.to_thread(self._taken) is None:
                    await self._rebuild()
                await self._keep_up()
            except (ArchiveUnavailable, StoreUnavailable) as error:
                log.warning("the index of the archive is not made anew yet, trying again: %s", error)
                await asyncio.sleep(_TRY_AGAIN)
                self._look.set()

    # --- writing

    async def _keep_up(self) -> None:
        """Takes up what other replicas have archived by now. Raises `ArchiveUnavailable` or `StoreUnavailable`."""
        if self._arrivals is not None:
            await self._catch_up()

    async def _take_arrivals(self) -> None:
        assert self._arrivals is not None  # noqa: S101  # for types
        with self._unavailable():
            taken = await asyncio.to_thread(self._taken)
            while taken is not None:  # else it is being made anew from the records
                found = await self._arrivals.after(taken, _ARRIVALS)
                if found is None:
                    log.warning("more matches were archived than are told of; the index is made anew from the records")
                    self._whole.unlink(missing_ok=True)
                    self._look.set()
                    return
                if not found:
                    return
                await asyncio.to_thread(self._write, [_entry(matches_pb2.Match.FromString(raw)) for _, raw in found])
                taken = found[-1][0]
                await asyncio.to_thread(self._say_whole, taken)

    async def _write_pending(self) -> None:
        pending, self._pending = self._pending, []
        with self._unavailable():
            await asyncio.to_thread(self._write, pending)

    def _write(self, entries: Sequence[_Entry]) -> None:
        """Writes entries, those of a month in one transaction."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for month in {entry.month for entry in entries}:
            mine = [entry for entry in entries if entry.month == month]
            with self._opened(month, "IMMEDIATE", make=True) as database:
                if not _version(database):
                    for statement in _SCHEMA:
                        database.execute(statement)
                database.executemany("INSERT OR REPLACE INTO matches VALUES (?, ?, ?, ?, ?)", [e.row for e in mine])
                seats = [(bot, entry.row[0]) for entry in mine for bot in entry.bots]
                database.executemany("INSERT OR IGNORE INTO seats VALUES (?, ?)", seats)

    def _note_removal(self, match_ids: Sequence[str], until_ms: int) -> None:
        with self._opened(_REMOVED, "IMMEDIATE", make=True) as database:
            if not _version(database):
                for statement in _REMOVED_SCHEMA:
                    database.execute(statement)
            rows = [(match_id, until_ms) for match_id in match_ids]
            database.executemany("INSERT OR IGNORE INTO removed VALUES (?, ?)", rows)

    def _remove(self, listed: Sequence[Listed], now_ms: int) -> None:
        by_month: dict[str, list[Listed]] = {}
        for entry in listed:
            by_month.setdefault(month_of(entry.match.header.create_time.ToMilliseconds()), []).append(entry)
        for month, of_month in by_month.items():
            over = month < month_of(now_ms - _STILL_WRITTEN_MS)
            goes = self._path(month) if over else None
            self._ask(month, partial(_forget, listed=of_month, goes=goes), None, "IMMEDIATE")

    # --- reading

    def _kept_until(self, match_id: str) -> int | None:
        query = "SELECT until_ms FROM removed WHERE match_id = ?"
        rows: list[tuple[int]] = self._ask(
            _REMOVED, lambda database: database.execute(query, (match_id,)).fetchall(), []
        )
        return rows[0][0] if rows else None

    def _place_of(self, number: int) -> str:
        for month in self._months():
            place, count = self._ask(month, partial(_nth_place, number=number), ("", 0))
            if place:
                return place
            number -= count
        return ""

    def _page(self, wanted: Wanted, after: str, until: str, most: int) -> list[Listed]:
        found: list[tuple[str, bytes]] = []
        for month in self._months():
            newest, oldest = bounds_of(month)
            if after < oldest and newest < until and len(found) < most:
                found += self._ask(
                    month, partial(_select, wanted=wanted, after=after, until=until, most=most - len(found)), []
                )
        return [Listed(place, matches_pb2.Match.FromString(match)) for place, match in found]

    def _at(self, places: Sequence[str]) -> list[Listed]:
        found: list[tuple[str, bytes]] = []
        for month in self._months():
            newest, oldest = bounds_of(month)
            if of_month := [place for place in places if newest < place < oldest]:
                found += self._ask(month, partial(_select_at, places=of_month), [])
        return [Listed(place, matches_pb2.Match.FromString(match)) for place, match in found]

    def _ask(
        self, name: str, ask: Callable[[sqlite3.Connection], _Answer], nothing: _Answer, lock: str = ""
    ) -> _Answer:
        """What a file of the index answers; `nothing` when it has no entry: not yet, or no longer."""
        try:
            with self._opened(name, lock) as database:
                return ask(database) if _version(database) else nothing
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CANTOPEN and not self._path(name).exists():
                return nothing  # nothing was written to it so far, or it went with its last entry after one saw it
            raise

    def _months(self) -> list[str]:
        """The months that have a file, newest first."""
        try:
            return sorted(
                (found[1] for path in self._folder.iterdir() if (found := _FILE.fullmatch(path.name))), reverse=True
            )
        except FileNotFoundError:
            return []  # nothing was archived yet, or all of it is lost

    # --- the files, and making them anew

    @contextmanager
    def _unavailable(self) -> Iterator[None]:
        try:
            yield
        except _UnusableMonth as error:
            self._look.set()
            raise ArchiveUnavailable(f"{error}; the index is made anew from the records") from error
        except (sqlite3.Error, OSError) as error:
            raise ArchiveUnavailable(f"the index {self._folder} cannot be used: {error}") from error

    @contextmanager
    def _opened(self, name: str, lock: str = "", *, make: bool = False) -> Iterator[sqlite3.Connection]:
        """A file of the index, for one transaction. It is opened each time: by now it may be another file."""
        path = self._path(name)
        uri = f"{path.absolute().as_uri()}?mode={'rwc' if make else 'rw'}"
        try:
            with closing(sqlite3.connect(uri, timeout=_WAIT_SECONDS, isolation_level=None, uri=True)) as database:
                database.execute(f"BEGIN {lock}")
                if _version(database) not in {0, _FORMAT}:
                    self._set_aside(path, f"its format is {_version(database)}")
                yield database
                database.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in _DAMAGED:
                raise
            self._set_aside(path, str(error))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.sqlite"

    def _set_aside(self, path: Path, why: str) -> NoReturn:
        """Makes room for a month's file that can be used. The old one's journal must not be applied to the new one."""
        self._whole.unlink(missing_ok=True)
        for old in (path.with_name(f"{path.name}-journal"), path):
            with suppress(FileNotFoundError):  # another replica was faster
                old.replace(old.with_name(f".{old.name}.unusable"))
        raise _UnusableMonth(f"{path} was set aside: {why}")

    def _taken(self) -> str | None:
        """Up to where arrivals were taken up, empty where there are none; None when the index is not whole."""
        try:
            version, _, taken = self._whole.read_text(encoding="utf-8").strip().partition(" ")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise ArchiveUnavailable(f"{self._whole} cannot be read: {error}") from error
        return taken if version == str(_FORMAT) and bool(taken) == (self._arrivals is not None) else None

    async def _rebuild(self) -> None:
        """Takes up every record of the archive. Others that do so at the same time, or add, are no matter."""
        count = 0
        # In this order: what is archived from here on is told of, too.
        taken = "" if self._arrivals is None else await self._arrivals.last()
        with self._unavailable():
            async for names in self._archive.names():
                for at in range(0, len(names), _AT_ONCE):
                    batch = names[at : at + _AT_ONCE]
                    await asyncio.to_thread(self._take_up, batch, await self._archive.contents(batch))
                    count += len(batch)
                    await asyncio.sleep(_PAUSE)
            await asyncio.to_thread(self._say_whole, taken)
        if count:
            log.info("the index of the archive was made anew from %d records", count)

    def _take_up(self, names: Sequence[str], contents: Sequence[bytes | None]) -> None:
        entries = []
        for name, content in zip(names, contents, strict=True):
            try:
                if content is not None:  # else it was removed meanwhile
                    entries.append(_entry(ended_match(records.unpack(content))))
            except (records.BadRecord, ValueError, OverflowError) as error:
                log.warning("%s/%s is left out of the index of the archive: %s", self._archive.where, name, error)
        self._write(entries)

    def _say_whole(self, taken: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        made = self._whole.with_name(f".whole-{os.getpid()}")
        made.write_text(f"{_FORMAT} {taken}".strip() + "\n", encoding="utf-8")
        made.replace(self._whole)


def _entry(match: matches_pb2.Match) -> _Entry:
    """What is kept of a match. Raises `ValueError` or `OverflowError` when its time of creation is none."""
    header = match.header
    created_ms = header.create_time.ToMilliseconds()
    place = listed_as(header.match_id, created_ms)
    row = place, header.game, int(match.state), header.label, match.SerializeToString()
    return _Entry(month_of(created_ms), row, frozenset(player.bot for player in header.players))


def _version(database: sqlite3.Connection) -> int:
    """The format of a month's file; 0 for one that is new."""
    [version] = database.execute("PRAGMA user_version").fetchone()
    return int(version)


def _nth_place(database: sqlite3.Connection, number: int) -> tuple[str, int]:
    """The place of a month's match of this number, or an empty one, and how many the month has."""
    [count] = database.execute("SELECT COUNT(*) FROM matches").fetchone()
    if number > count:
        return "", int(count)
    [place] = database.execute("SELECT place FROM matches ORDER BY place LIMIT 1 OFFSET ?", (number - 1,)).fetchone()
    return str(place), int(count)


def _forget(database: sqlite3.Connection, listed: Sequence[Listed], goes: Path | None) -> None:
    """Removes matches of a month, and then the month's file, if it may go and holds no other."""
    database.executemany("DELETE FROM matches WHERE place = ?", [(entry.place,) for entry in listed])
    seats = [(player.bot, place) for place, match in listed for player in match.header.players]
    database.executemany("DELETE FROM seats WHERE bot = ? AND place = ?", seats)
    [left] = database.execute("SELECT EXISTS (SELECT 1 FROM matches)").fetchone()
    if goes is not None and not left:
        goes.unlink(missing_ok=True)


def _select_at(database: sqlite3.Connection, places: Sequence[str]) -> list[tuple[str, bytes]]:
    """The rows of a month at these places."""
    query = f"SELECT place, match FROM matches WHERE place IN ({', '.join('?' * len(places))})"  # noqa: S608  # no words
    return database.execute(query, places).fetchall()


def _select(database: sqlite3.Connection, wanted: Wanted, after: str, until: str, most: int) -> list[tuple[str, bytes]]:
    """The first rows of a month that are wanted."""
    where, values = "s.place > ? AND s.place < ?", list[str | int]((after, until))
    if wanted.game:
        where, values = f"{where} AND m.game = ?", [*values, wanted.game]
    if wanted.state:
        where, values = f"{where} AND m.state = ?", [*values, wanted.state]
    if wanted.label:
        where, values = f"{where} AND m.label = ? AND m.label <> ''", [*values, wanted.label]
    if wanted.bots is None:
        where = where.replace("s.place", "m.place")
        query = f"SELECT m.place, m.match FROM matches m WHERE {where} ORDER BY m.place LIMIT ?"  # noqa: S608  # our words
        return database.execute(query, (*values, most)).fetchall()
    # The seats first: a bot has few of all matches.
    tables = "seats s CROSS JOIN matches m ON m.place = s.place"
    query = f"SELECT s.place, m.match FROM {tables} WHERE {where} AND s.bot = ? ORDER BY s.place LIMIT ?"  # noqa: S608
    of_each = [database.execute(query, (*values, bot, most)).fetchall() for bot in sorted(wanted.bots)]
    return list(islice(dict(heapq.merge(*of_each)).items(), most))
