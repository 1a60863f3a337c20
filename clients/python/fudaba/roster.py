"""A roster: the participants of a course or a cup, as an organiser's CSV file with a line for each account.

The first line names the columns. `name` is the account's; `display_name`, if there is one, is the name that others see.
All other columns, such as a mail address, a team, a group or a student number, are the organiser's own: they stay as
they are written, and never leave the organiser's machine.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Final, NamedTuple, final

from fudaba.errors import FudabaError
from fudaba.spreadsheets import FORMULA_BEGINNINGS
from fudaba.text_files import NotText, text_of

__all__ = ["MAX_ROSTER_BYTES", "MAX_ROSTER_ROWS", "Roster", "RosterMistakes", "RosterRow", "parse_roster"]

MAX_ROSTER_BYTES: Final = 5_000_000
MAX_ROSTER_ROWS: Final = 10_000
_MAX_DISPLAY_NAME_CHARS: Final = 100
_MAX_CELL_CHARS: Final = 10_000
_NAME, _DISPLAY_NAME = "name", "display_name"
_ACCOUNT_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_DELIMITERS: Final = (",", ";", "\t")
"""The separators that programs write between cells, depending on the language."""


class RosterRow(NamedTuple):
    """A line of a roster."""

    line: int
    """The line number, from 1; for a cell of several lines, the last one."""
    name: str
    display_name: str
    """The display name; empty if the roster leaves it to the account's name."""
    own: Mapping[str, str]
    """The organiser's own columns."""


class Roster(NamedTuple):
    """A checked roster."""

    own_columns: Sequence[str]
    rows: Sequence[RosterRow]


@final
class RosterMistakes(FudabaError):
    """A roster has mistakes. `mistakes` has each with its line, counted from 1; `str()` says all."""

    def __init__(self, mistakes: Sequence[tuple[int, str]]) -> None:
        super().__init__("\n".join(f"line {line}: {text}" for line, text in mistakes))
        self.mistakes = mistakes


def parse_roster(raw: bytes) -> Roster:
    """Reads and checks a roster, with commas, semicolons or tabs between its cells.

    Raises `RosterMistakes` with all mistakes.
    """
    if len(raw) > MAX_ROSTER_BYTES:
        raise RosterMistakes([(1, f"the file has more than {MAX_ROSTER_BYTES} bytes, which no roster has")])
    try:
        text = text_of(raw)
    except NotText as error:
        raise RosterMistakes([(error.line, str(error))]) from None
    lines = _cells(text)
    if not lines:
        raise RosterMistakes([(1, "the file is empty; its first line names the columns, such as name,display_name")])
    columns = _columns(*lines[0])
    rows: list[RosterRow] = []
    mistakes: list[tuple[int, str]] = []
    for line, cells in lines[1:]:
        if len(cells) != len(columns):
            count = f"there are {len(cells)} cells, and {len(columns)} columns"
            mistakes.append((line, f"{count}; put a cell with commas in quotation marks"))
            continue
        own = dict(zip(columns, cells, strict=True))
        row = RosterRow(line, own.pop(_NAME), own.pop(_DISPLAY_NAME, ""), own)
        mistakes += [(line, text) for text in _mistakes_of(row)]
        rows.append(row)
    mistakes += _twice(rows)
    if not lines[1:]:
        mistakes.append((lines[0][0], "nobody is in it; write a line for each account"))
    if len(rows) > MAX_ROSTER_ROWS:
        mistakes.append((rows[MAX_ROSTER_ROWS].line, f"there are more than {MAX_ROSTER_ROWS} accounts; split the file"))
    if mistakes:
        raise RosterMistakes(sorted(mistakes))
    return Roster([column for column in columns if column not in {_NAME, _DISPLAY_NAME}], rows)


def _cells(text: str) -> list[tuple[int, list[str]]]:
    """Returns the non-empty lines' cells without surrounding spaces, with their line numbers."""
    head = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        found = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
    except csv.Error as error:
        raise RosterMistakes([(reader.line_num, f"this is no CSV ({error}); is a quotation mark left open?")]) from None
    return [(line, cells) for line, cells in found if any(cells)]


def _columns(line: int, cells: Sequence[str]) -> list[str]:
    """Returns the names of the columns. Raises `RosterMistakes`."""
    columns = [cell.casefold() if cell.casefold() in {_NAME, _DISPLAY_NAME} else cell for cell in cells]
    mistakes = []
    if _NAME not in columns:
        mistakes.append(f"there is no column {_NAME!r}, only {', '.join(map(repr, columns))}; name each account in it")
    if "" in columns:
        mistakes.append(f"column {columns.index('') + 1} has no name")
    mistakes += [f"two columns are called {name!r}" for name in _doubles(column for column in columns if column)]
    if mistakes:
        raise RosterMistakes([(line, text) for text in mistakes])
    return columns


def _mistakes_of(row: RosterRow) -> Iterable[str]:
    """Returns the mistakes of a single line."""
    if not _ACCOUNT_NAME.fullmatch(row.name):
        form = "1-40 of a-z, 0-9 and -, beginning with a letter"
        yield f"{row.name!r} is no account's name: {form}{_suggestion(row.name)}"
    if len(row.display_name) > _MAX_DISPLAY_NAME_CHARS:
        yield f"the display name has {len(row.display_name)} characters; at most {_MAX_DISPLAY_NAME_CHARS} are shown"
    if row.display_name.startswith(FORMULA_BEGINNINGS):
        yield f"the display name {row.display_name!r} begins as a spreadsheet's formula does; write a name"
    if any(unicodedata.category(character) == "Cc" for character in row.display_name):
        yield "the display name has a control character, such as the end of a line"
    for column, cell in row.own.items():
        if len(cell) > _MAX_CELL_CHARS:
            yield f"column {column!r} has {len(cell)} characters; at most {_MAX_CELL_CHARS} are kept"


def _suggestion(written: str) -> str:
    """Returns a similar account name as a question; empty if there is none."""
    plain = unicodedata.normalize("NFKD", written).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40]
    return f"; did you mean {name!r}?" if _ACCOUNT_NAME.fullmatch(name) else ""


def _twice(rows: Sequence[RosterRow]) -> list[tuple[int, str]]:
    """Returns the mistakes of names on two lines."""
    mistakes: list[tuple[int, str]] = []
    names: dict[str, int] = {}
    shown: dict[str, int] = {}
    for row in rows:
        first = names.setdefault(row.name, row.line)
        if row.name and first != row.line:
            mistakes.append((row.line, f"the name {row.name!r} is that of line {first}, too"))
        alike = unicodedata.normalize("NFKC", row.display_name).casefold()
        first = shown.setdefault(alike, row.line)
        if alike and first != row.line:
            mistakes.append((row.line, f"the display name {row.display_name!r} is that of line {first}, too"))
    return mistakes


def _doubles(names: Iterable[str]) -> list[str]:
    """Returns the names that appear more than once."""
    return [name for name, count in Counter(names).items() if count > 1]
