"""Reads the tables of a TOML file, and reports every mistake with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from functools import partial
from typing import Any, Final, TypeVar, final

from fudaba.toml_lines import STRING
from fudaba.toml_lines import Path as KeyPath
from fudaba.zoned_time import BadTime, ZonedTime

__all__ = [
    "Mistake",
    "Mistakes",
    "TableReader",
    "listed",
    "shown",
    "suggestion",
    "syntax_mistake",
]

T = TypeVar("T")

_KINDS: Final[Mapping[type, str]] = {
    str: "a text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list in brackets",
    dict: "a table",
    datetime: "a date and time with its zone, for example 2026-12-01T12:00:00+01:00, without quotes",
    date: "a date, for example 2026-12-01, without quotes",
}
_NEVER: Final = datetime.min
_NO_DAY: Final = date.min
_MAX_LIST_CHARS: Final = 8_000
"""The number of characters after which the search for the end of an unclosed list stops."""
_TOKEN: Final = re.compile(f"#[^\\n]*|{STRING.pattern}|[\\[\\]]", re.DOTALL)
"""A comment, a string, or a list's bracket."""
_KEY: Final = re.compile(r"\s*[\w.\"'-]+\s*=")
"""A line that begins with a key, which never happens in a list."""


@final
@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """A mistake in a line, and what to write instead."""

    line: int
    text: str


@final
class Mistakes:
    """Collects the mistakes of a file."""

    def __init__(self, lines: Mapping[KeyPath, int], subject: str = "a tournament") -> None:
        self._lines = lines
        self.subject = subject
        """The thing that the file describes."""
        self.found: list[Mistake] = []

    def add(self, path: KeyPath, text: str) -> None:
        """Notes a mistake at a key or, if the file has no such key, at its parent."""
        while path not in self._lines:
            path = path[:-1]
        self.found.append(Mistake(self._lines[path], text))


@final
class TableReader:
    """A table of a file. Missing or wrong values are noted, and read as the default."""

    def __init__(self, table: Mapping[str, Any], path: KeyPath, mistakes: Mistakes) -> None:
        self._table = table
        self._path = path
        self._mistakes = mistakes
        self._known: list[str] = []
        self._reported: set[str] = set()
        """The keys for which every mistake has been reported."""

    @property
    def name(self) -> str:
        """The table's name for people."""
        keys = [part for part in self._path if isinstance(part, str)]
        return f"[{'.'.join(keys)}]" if keys else self._mistakes.subject

    def has(self, key: str) -> bool:
        """Returns whether the table has the key."""
        self._known.append(key)
        return key in self._table

    def renamed(self, key: str, now: str) -> None:
        """Notes that a key of earlier releases has been renamed."""
        if key in self._table:
            self._reported.add(key)
            self.wrong(key, f"{key} is now called {now}; write {now}")

    def wrong(self, key: str, text: str, *indices: int) -> None:
        """Notes a mistake at one of the keys, or at an element of its list."""
        self._mistakes.add((*self._path, key, *indices), text)

    def text(
        self,
        key: str,
        default: str | None,
        *,
        pattern: re.Pattern[str] | None = None,
        rule: str = "",
        longest: int = 200,
    ) -> str:
        """Returns a text. Without a default, it is required. `rule` describes what `pattern` allows."""
        value = self._typed(key, str, default)
        if value is None:
            return ""
        if pattern is not None and key in self._table and not pattern.fullmatch(value):
            self.wrong(key, f"{key} is {shown(value)}; write {rule}")
        elif len(value) > longest:
            self.wrong(key, f"{key} has {len(value)} characters; write at most {longest}")
        return value

    def whole(self, key: str, default: int | None, minimum: int, maximum: int) -> int:
        """Returns a whole number within bounds. Without a default, it is required."""
        value = self._typed(key, int, default)
        if value is None:
            return minimum
        if not minimum <= value <= maximum:
            self.wrong(key, f"{key} is {shown(value)}; write a whole number from {minimum:,} to {maximum:,}")
            return minimum if default is None else default
        return value

    def number(self, key: str, default: float, minimum: float, maximum: float) -> float:
        """Returns a number within bounds, with or without a decimal point."""
        if isinstance(self._table.get(key), int) and not isinstance(self._table[key], bool):
            return float(self.whole(key, int(default), int(-(-minimum // 1)), int(maximum)))
        value = self._typed(key, float, default)
        if value is not None and not minimum <= value <= maximum:
            self.wrong(key, f"{key} is {shown(value)}; write a number from {minimum:,} to {maximum:,}")
            return default
        return default if value is None else value

    def flag(self, key: str, *, default: bool) -> bool:
        """Returns a boolean."""
        value = self._typed(key, bool, default)
        return default if value is None else value

    def one_of(
        self,
        key: str,
        default: str | None,
        choices: Sequence[str],
        noun: str,
        takes: Callable[[str], bool] | None = None,
    ) -> str:
        """Returns one of some names, or a text that `takes` accepts. Without a default, it is required."""
        value = self._typed(key, str, default)
        if value is None:
            return ""
        if value not in choices and not (takes and takes(value)):
            self.wrong(key, f"there is no {noun} {shown(value)}; {suggestion(value, choices)}")
            return default or ""
        return value

    def moment(self, key: str) -> ZonedTime | None:
        """Returns a time with its zone, written as a TOML date or as a string; None if the key is missing."""
        try:
            if isinstance(self._table.get(key), str):
                return ZonedTime.from_text(self.text(key, ""))
            value = self._typed(key, datetime, _NEVER)
            if value is None or value is _NEVER:
                return None
            if value.tzinfo is not None:
                return ZonedTime.from_datetime(value)
        except BadTime as error:
            self.wrong(key, f"{key} is not a time: {error}")
        else:
            self.wrong(
                key,
                f"{key} has no zone; write one behind it, for example {key} = {value.isoformat()}+01:00, or"
                f' {key} = "{value:%Y-%m-%d %H:%M} Europe/Berlin"',
            )
        return None

    def day(self, key: str) -> date | None:
        """Returns a date; None if it is omitted."""
        value = self._typed(key, date, _NO_DAY)
        return None if value is _NO_DAY else value

    def texts(self, key: str, example: str = '["python", "mybot.py"]') -> tuple[str, ...]:
        """Returns a non-empty list of texts."""
        value = self._typed(key, list, [])
        for index, part in enumerate(value or ()):
            if not isinstance(part, str):
                self._mistakes.add(
                    (*self._path, key, index), f"{key} has {_kind(part)} {shown(part)}; write texts in quotes only"
                )
                return ()
        if not value:
            if isinstance(self._table.get(key), list):
                self.wrong(key, f"{key} is empty; write it as a list, for example {key} = {example}")
            return ()
        return tuple(value)

    def texts_or(self, key: str, word: str, example: str) -> tuple[str, ...] | None:
        """Returns a list of texts, or None for a certain word in its place."""
        if self.has(key) and self._table[key] == word:
            return None
        if isinstance(self._table.get(key), str):
            self.wrong(key, f'{key} is {shown(self._table[key])}; write {key} = {example}, or {key} = "{word}"')
            return ()
        return self.texts(key, example)

    def table(self, key: str) -> TableReader:
        """Returns a subtable; an empty one if there is none."""
        value = self._typed(key, dict, {})
        return TableReader(value or {}, (*self._path, key), self._mistakes)

    def tables(self, key: str) -> list[TableReader]:
        """Returns an array of tables."""
        value = self._typed(key, list, []) or []
        readers = []
        for index, part in enumerate(value):
            path = (*self._path, key, index)
            if isinstance(part, dict):
                readers.append(TableReader(part, path, self._mistakes))
            else:
                self._mistakes.add(path, f"{key} has {_kind(part)} {shown(part)}; write a table [[{key}]] for each")
        return readers

    def items(self) -> dict[str, tuple[Any, Callable[[str], None]]]:
        """Returns every key's value with a function that notes a mistake there, for tables with the caller's own
        keys.
        """
        self._known += self._table
        return {key: (value, partial(self.wrong, key)) for key, value in self._table.items()}

    def finish(self) -> None:
        """Notes the keys that were never read."""
        for key in self._table:
            if key not in self._known and key not in self._reported:
                self.wrong(key, f"{self.name} has no {shown(key)}; {suggestion(key, self._known)}")

    def _typed(self, key: str, kind: type[T], default: T | None) -> T | None:
        self._known.append(key)
        if key not in self._table:
            if default is None:
                self.wrong(key, f"{self.name} needs {key}: write {key} = … ({_KINDS[kind]})")
            return default
        value = self._table[key]
        if type(value) is not kind:  # a bool is an int to isinstance
            self.wrong(key, f"{key} is {_kind(value)} {shown(value)}; write {_KINDS[kind]}")
            return default
        return value


def syntax_mistake(error: tomllib.TOMLDecodeError, text: str) -> Mistake:
    """Returns the message for a text that is not TOML."""
    found = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(error))
    line = int(found[2]) if found is not None else text.count("\n") + 2
    begun = _line_of_open_list(text, line)
    if begun and (found is None or found[1] == "Unclosed array" or _KEY.match(text.split("\n")[line - 1])):
        return Mistake(begun, "this is not TOML: the list that begins here does not end; write ] behind its last value")
    if found is not None:
        return Mistake(int(found[2]), f"this is not TOML: {found[1]}, in column {found[3]}; see toml.io for the syntax")
    complaint = str(error).removesuffix(" (at end of document)")
    return Mistake(
        max(1, len(text.splitlines())), f"this is not TOML: {complaint}, at the end; see toml.io for the syntax"
    )


def _line_of_open_list(text: str, line: int) -> int:
    """Returns the line, from 1, of the last list before this line that is not closed; 0 if there is none, or it is too
    far away.
    """
    open_at: list[int] = []
    before = "\n".join(text.split("\n")[: line - 1])
    if len(before) > _MAX_LIST_CHARS:  # looking takes the square of its length at worst, and it may be a stranger's
        return 0
    for found in _TOKEN.finditer(before):
        if found[0] == "[":
            open_at.append(found.start())
        elif found[0] == "]" and open_at:
            open_at.pop()
    return before.count("\n", 0, open_at[-1]) + 1 if open_at else 0


def listed(names: Sequence[str]) -> str:
    """Joins names for a sentence."""
    return ", ".join(names) or "nothing"


def suggestion(written: str, known: Sequence[str]) -> str:
    """Returns a guess at what was meant."""
    close = get_close_matches(written, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"write one of: {listed(sorted(set(known)))}"


def shown(value: object) -> str:
    """Returns a value of the file, shortened for a message."""
    try:
        text = repr(value) if not isinstance(value, bool) else str(value).lower()
    except ValueError:  # Python writes no number of thousands of digits
        return "of very many digits"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _kind(value: object) -> str:
    named = {
        str: "the text",
        int: "the number",
        float: "the number",
        bool: "the value",
        list: "a list",
        dict: "a table",
    }
    return named.get(type(value), f"a {type(value).__name__}")
