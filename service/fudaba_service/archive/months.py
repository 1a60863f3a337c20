"""The files of the archive's index: an SQLite file for each month, and one for removed matches.

Any number of processes may read and write. SQLite's locks keep them apart, so the disk must support locks.
"""

from __future__ import annotations

import fcntl
import heapq
import logging
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Final, NamedTuple, NoReturn, Self, TypeVar, final

from fudaba.v1 import matches_pb2
from fudaba_service.archive.listing import Listed, bounds_of, listed_as, month_of

__all__ = ["FORMAT_NUMBER", "IndexEntry", "IndexQuery", "Months", "UnusableMonth"]

log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")

_FILE: Final = re.compile(r"([0-9]{4}-[01][0-9])\.sqlite")
FORMAT_NUMBER: Final = 1
"""The version of the files' format. A release that changes it rebuilds the index."""
_SCHEMA: Final = (
    """CREATE TABLE matches (
        place TEXT PRIMARY KEY, game TEXT NOT NULL, state INTEGER NOT NULL, label TEXT NOT NULL, match BLOB NOT NULL
    )""",
    "CREATE INDEX by_game ON matches (game, place)",
    "CREATE INDEX by_state ON matches (state, place)",
    "CREATE INDEX by_label ON matches (label, place) WHERE label <> ''",
    "CREATE TABLE seats (bot TEXT, place TEXT, PRIMARY KEY (bot, place)) WITHOUT ROWID",
    f"PRAGMA user_version = {FORMAT_NUMBER}",
)
_REMOVED: Final = "removed"
"""The file of removed matches. It does not come from the records: if it is lost, those matches never existed."""
_REMOVED_SCHEMA: Final = (
    "CREATE TABLE removed (match_id TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) WITHOUT ROWID",
    f"PRAGMA user_version = {FORMAT_NUMBER}",
)
_WAIT_SECONDS: Final = 10.0
"""The time for which a process waits for another one that writes the same month."""
_LOCK_POLL_SECONDS: Final = 0.01
_STILL_WRITTEN_MS: Final = 40 * 86_400_000
"""The age after its end at which an empty month's file may be removed, since nothing is written to it any more."""
_KNOWN: Final = "months"
"""The file that lists the months with a file, one per line. It shows when a file has disappeared."""
_MAKING: Final = ".making"
"""The file that is locked while a file of the index is made, before SQLite's lock on that is held."""
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """A query for matches; fields that are empty or None set no condition."""

    bots: frozenset[str] | None = None
    """Matches in which one of these bots has a seat."""
    game: str = ""
    state: int = 0
    label: str = ""
    tag: str = ""
    """Matches to which `tagged_by` gave this tag. The archive stores no tags: such matches are requested by place."""
    tagged_by: str = ""

    def fits(self, match: matches_pb2.Match) -> bool:
        """Returns whether a match meets the query."""
        header = match.header
        return (
            self.state in {0, match.state}
            and self.game in {"", header.game}
            and self.label in {"", header.label}
            and (self.bots is None or any(player.bot in self.bots for player in header.players))
        )


class IndexEntry(NamedTuple):
    """A match in the index."""

    month: str
    row: tuple[str, str, int, str, bytes]
    """Place, game, state, label, and what lists show."""
    bots: frozenset[str]

    @classmethod
    def from_match(cls, match: matches_pb2.Match) -> Self:
        """Makes a match's row in the index. Raises `ValueError` or `OverflowError` for an invalid creation time."""
        header = match.header
        created_ms = header.create_time.ToMilliseconds()
        place = listed_as(header.match_id, created_ms)
        row = place, header.game, int(match.state), header.label, match.SerializeToString()
        return cls(month_of(created_ms), row, frozenset(player.bot for player in header.players))


class UnusableMonth(Exception):
    """A month's file is damaged, or of another release. It was set aside."""


@final
class Months:
    """The files in a folder. All methods raise `UnusableMonth`, `sqlite3.Error` and `OSError`."""

    def __init__(self, folder: Path, lost: Callable[[], None]) -> None:
        """`lost` is called before a file is set aside."""
        self._folder = folder
        self._lost = lost
        self.doubtful = False
        """Whether months may be lost without a trace. The code that rebuilds the index resets it."""

    def write(self, entries: Sequence[IndexEntry]) -> None:
        """Writes entries, those of a month in one transaction."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for month in {entry.month for entry in entries}:
            mine = [entry for entry in entries if entry.month == month]
            with self._opened(month, "IMMEDIATE", make=True) as database:
                if not _version(database):
                    for statement in _SCHEMA:
                        database.execute(statement)
                    self._note_known(month)
                database.executemany("INSERT OR REPLACE INTO matches VALUES (?, ?, ?, ?, ?)", [e.row for e in mine])
                seats = [(bot, entry.row[0]) for entry in mine for bot in entry.bots]
                database.executemany("INSERT OR IGNORE INTO seats VALUES (?, ?)", seats)

    def note_removal(self, match_ids: Sequence[str], until_ms: int) -> None:
        """Notes that some records are about to be removed, and until when they were kept."""
        with self._opened(_REMOVED, "IMMEDIATE", make=True) as database:
            if not _version(database):
                for statement in _REMOVED_SCHEMA:
                    database.execute(statement)
            rows = [(match_id, until_ms) for match_id in match_ids]
            database.executemany("INSERT OR IGNORE INTO removed VALUES (?, ?)", rows)

    def remove(self, listed: Sequence[Listed], now_ms: int) -> None:
        """Forgets matches whose records were removed."""
        by_month: dict[str, list[Listed]] = {}
        for entry in listed:
            by_month.setdefault(month_of(entry.match.header.create_time.ToMilliseconds()), []).append(entry)
        for month, of_month in by_month.items():
            over = month < month_of(now_ms - _STILL_WRITTEN_MS)
            goes = partial(self._drop, month) if over else None
            self._ask(month, partial(_forget, listed=of_month, goes=goes), None, "IMMEDIATE")

    def kept_until(self, match_id: str) -> int | None:
        """Returns until when a match was kept, in ms, if its removal was noted."""
        query = "SELECT until_ms FROM removed WHERE match_id = ?"
        rows: list[tuple[int]] = self._ask(
            _REMOVED, lambda database: database.execute(query, (match_id,)).fetchall(), []
        )
        return rows[0][0] if rows else None

    def place_of(self, number: int) -> str:
        """Returns the place of the match with this number, counted from 1, newest first; empty if there are fewer."""
        for month in self.names():
            place, count = self._ask(month, partial(_nth_place, number=number), ("", 0))
            if place:
                return place
            number -= count
        return ""

    def page(self, wanted: IndexQuery, after: str, until: str, most: int) -> list[Listed]:
        """Returns the first wanted matches between two places in lists."""
        found: list[tuple[str, bytes]] = []
        for month in self.names():
            newest, oldest = bounds_of(month)
            if after < oldest and newest < until and len(found) < most:
                found += self._ask(
                    month, partial(_select, wanted=wanted, after=after, until=until, most=most - len(found)), []
                )
        return [Listed(place, matches_pb2.Match.FromString(match)) for place, match in found]

    def at(self, places: Sequence[str]) -> list[Listed]:
        """Returns the matches at these places."""
        found: list[tuple[str, bytes]] = []
        for month in self.names():
            newest, oldest = bounds_of(month)
            if of_month := [place for place in places if newest < place < oldest]:
                found += self._ask(month, partial(_select_at, places=of_month), [])
        return [Listed(place, matches_pb2.Match.FromString(match)) for place, match in found]

    def _ask(
        self, name: str, ask: Callable[[sqlite3.Connection], _Answer], nothing: _Answer, lock: str = ""
    ) -> _Answer:
        """Queries a file of the index. Returns `nothing` if it has no entry, yet or any longer."""
        try:
            with self._opened(name, lock) as database:
                if _version(database):
                    return ask(database)
            self._check_filled(name)
            return nothing
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CANTOPEN and not self._path(name).exists():
                return nothing  # nothing was written to it so far, or it went with its last entry after one saw it
            raise

    def names(self) -> list[str]:
        """Returns the months with a file, newest first. Raises `UnusableMonth` if a file has disappeared."""
        known = self._known()  # first: who writes a month makes its file before it is known, and forgets it after
        try:
            there = {found[1] for path in self._folder.iterdir() if (found := _FILE.fullmatch(path.name))}
        except FileNotFoundError:
            there = set()  # nothing was archived yet, or the whole archive is lost
        if there - known:
            self._check_known(there)
        for month in sorted(known - there):
            if month in self._known():  # else it went with its last entry meanwhile
                self._lost()
                self._forget_known(month)
                raise UnusableMonth(f"{self._path(month)} is gone")
        return sorted(there, reverse=True)

    def _known(self) -> frozenset[str]:
        """Returns the months that were written. An index of an earlier release lists none until it is examined."""
        try:
            return frozenset((self._folder / _KNOWN).read_text(encoding="utf-8").split())
        except FileNotFoundError:
            return frozenset()

    def _check_known(self, there: set[str]) -> None:
        """Notes the months that have a file but are not listed. Others may be lost, together with the list.

        Then the index is rebuilt once. The same happens with the files of an earlier release.
        """
        for month in sorted(there - self._known()):
            # Whoever makes its file notes the month before letting go of it.
            self._ask(month, lambda _: None, None, "IMMEDIATE")
        unlisted = {month for month in there - self._known() if self._path(month).exists()}
        if not unlisted:
            return
        self._lost()
        self.doubtful = True
        for month in sorted(unlisted):
            self._note_known(month)
        log.warning("%s is gone or empty: the index is rebuilt from the records", self._folder / _KNOWN)

    def _note_known(self, month: str) -> None:
        with (self._folder / _KNOWN).open("a", encoding="utf-8") as file:
            file.write(f"{month}\n")  # one write: others may append at the same time

    def _forget_known(self, month: str) -> None:
        left = sorted(self._known() - {month})
        made = self._folder / f".{_KNOWN}-{os.getpid()}"
        made.write_text("".join(f"{kept_month}\n" for kept_month in left), encoding="utf-8")
        made.replace(self._folder / _KNOWN)

    def _drop(self, month: str) -> None:
        """Removes the file of an empty month. The month is first removed from the list, or it would seem lost."""
        self._forget_known(month)
        self._path(month).unlink(missing_ok=True)

    def _check_filled(self, name: str) -> None:
        """Sets a file aside that lacks even its tables and that no process is about to fill."""
        with self._making():
            pass  # whoever has just made the file holds its lock now
        with self._opened(name, "IMMEDIATE") as database:
            if _version(database):
                return  # another process was making the file
            self._set_aside(self._path(name), "it is empty")

    @contextmanager
    def _opened(self, name: str, lock: str = "", *, make: bool = False) -> Iterator[sqlite3.Connection]:
        """Yields a file of the index for one transaction. It is opened each time, since it may have been replaced."""
        path = self._path(name)
        try:
            with closing(self._begin(path, lock, make=make)) as database:
                if _version(database) not in {0, FORMAT_NUMBER}:
                    self._set_aside(path, f"its format is {_version(database)}")
                yield database
                database.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in _DAMAGED:
                raise
            self._set_aside(path, str(error))

    def _begin(self, path: Path, lock: str, *, make: bool) -> sqlite3.Connection:
        """Returns a connection to a file, with a transaction begun."""
        uri = f"{path.absolute().as_uri()}?mode={'rwc' if make else 'rw'}"
        with self._making() if make and not path.exists() else nullcontext():
            database = sqlite3.connect(uri, timeout=_WAIT_SECONDS, isolation_level=None, uri=True)
            try:
                database.execute(f"BEGIN {lock}")
            except sqlite3.Error:
                database.close()
                raise
        return database

    @contextmanager
    def _making(self) -> Iterator[None]:
        """Lets one process at a time make a file, until it holds the file's lock. Raises `TimeoutError`."""
        give_up_at = time.monotonic() + _WAIT_SECONDS
        with (self._folder / _MAKING).open("a") as file:
            while not _is_locked(file):
                if time.monotonic() > give_up_at:
                    raise TimeoutError(f"another process has made a file of {self._folder} for {_WAIT_SECONDS:g} s")
                time.sleep(_LOCK_POLL_SECONDS)
            yield

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.sqlite"

    def _set_aside(self, path: Path, why: str) -> NoReturn:
        """Makes room for a usable file of a month. The old file's journal must not be applied to the new one."""
        self._lost()
        for old in (path.with_name(f"{path.name}-journal"), path):
            with suppress(FileNotFoundError):  # another replica set it aside first
                old.replace(old.with_name(f".{old.name}.unusable"))
        raise UnusableMonth(f"{path} was set aside: {why}")


def _is_locked(file: IO[str]) -> bool:
    """Locks a file, unless another process has locked it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _version(database: sqlite3.Connection) -> int:
    """Returns the format of a month's file; 0 for a new one."""
    [version] = database.execute("PRAGMA user_version").fetchone()
    return int(version)


def _nth_place(database: sqlite3.Connection, number: int) -> tuple[str, int]:
    """Returns the place of a month's match with this number, or an empty one, and the number of the month's matches."""
    [count] = database.execute("SELECT COUNT(*) FROM matches").fetchone()
    if number > count:
        return "", int(count)
    [place] = database.execute("SELECT place FROM matches ORDER BY place LIMIT 1 OFFSET ?", (number - 1,)).fetchone()
    return str(place), int(count)


def _forget(database: sqlite3.Connection, listed: Sequence[Listed], goes: Callable[[], None] | None) -> None:
    """Removes matches of a month, and then the month's file if it may go and is empty."""
    database.executemany("DELETE FROM matches WHERE place = ?", [(entry.place,) for entry in listed])
    seats = [(player.bot, place) for place, match in listed for player in match.header.players]
    database.executemany("DELETE FROM seats WHERE bot = ? AND place = ?", seats)
    [left] = database.execute("SELECT EXISTS (SELECT 1 FROM matches)").fetchone()
    if goes is not None and not left:
        goes()


def _select_at(database: sqlite3.Connection, places: Sequence[str]) -> list[tuple[str, bytes]]:
    """Returns the rows of a month at these places."""
    query = f"SELECT place, match FROM matches WHERE place IN ({', '.join('?' * len(places))})"  # noqa: S608  # no words
    return database.execute(query, places).fetchall()


def _select(
    database: sqlite3.Connection, wanted: IndexQuery, after: str, until: str, most: int
) -> list[tuple[str, bytes]]:
    """Returns the first wanted rows of a month."""
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
