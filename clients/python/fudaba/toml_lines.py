"""Finds the line of each key and each array element in a TOML text.

`tomllib` reads values and forgets their places. tomlkit's items keep their blanks and comments, but not their places.
This reads only the places, from a text that `tomllib` has accepted, so it need not check anything.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from typing import Final, final

__all__ = ["STRING", "Path", "toml_lines"]

Path = tuple[str | int, ...]
"""Keys and array indices from the top of the document: `("bots", 0, "name")`."""

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_BLANK: Final = re.compile(r"[ \t]*")
_FILLING: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SCALAR: Final = re.compile(r"[^,\]}#\r\n]+")
STRING: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'  # up to two more quotes may stand before the closing three
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'",
    re.DOTALL,
)
"""A string of TOML, of any of the four kinds."""


def toml_lines(text: str) -> Mapping[Path, int]:
    """Returns the line, from 1, of every table, key and array element. `text` must be valid TOML."""
    return _Reader(text).read()


@final
class _Reader:
    """A pass over a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._lines: dict[Path, int] = {(): 1}
        self._tables: dict[Path, int] = {}
        """The number of tables that each array of tables has so far."""

    def read(self) -> Mapping[Path, int]:
        table: Path = ()
        while self._skip(_FILLING) < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
        return self._lines

    def _header(self) -> Path:
        begin = self._at
        of_array = self._text.startswith("[[", begin)
        self._at += 2 if of_array else 1
        keys = self._key()
        self._at += 2 if of_array else 1
        path: Path = ()
        for place, key in enumerate(keys):
            path = (*path, key)
            self._note(path, begin)
            if of_array and place == len(keys) - 1:
                self._tables[path] = self._tables.get(path, 0) + 1
            if path in self._tables:
                path = (*path, self._tables[path] - 1)
                self._note(path, begin)
        return path

    def _pair(self, table: Path) -> None:
        begin = self._at
        path = table
        for key in self._key():
            path = (*path, key)
            self._note(path, begin)
        self._at += 1  # the sign =
        self._skip(_BLANK)
        self._value(path)

    def _key(self) -> list[str]:
        keys: list[str] = []
        while True:
            self._skip(_BLANK)
            bare = _BARE.match(self._text, self._at)
            if bare is not None:
                keys.append(bare[0])
                self._at = bare.end()
            else:
                keys.append(tomllib.loads(f"key = {self._string()}")["key"])
            self._skip(_BLANK)
            if self._text[self._at] != ".":
                return keys
            self._at += 1

    def _value(self, path: Path) -> None:
        sign = self._text[self._at]
        if sign in "\"'":
            self._string()
        elif sign == "[":
            self._array(path)
        elif sign == "{":
            self._inline_table(path)
        else:
            self._skip(_SCALAR)

    def _array(self, path: Path) -> None:
        self._at += 1
        index = 0
        while self._text[self._skip(_FILLING)] != "]":
            self._note((*path, index), self._at)
            self._value((*path, index))
            index += 1
            self._comma()
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while self._text[self._skip(_FILLING)] != "}":
            self._pair(path)
            self._comma()
        self._at += 1

    def _comma(self) -> None:
        if self._text[self._skip(_FILLING)] == ",":
            self._at += 1

    def _string(self) -> str:
        found = STRING.match(self._text, self._at)
        if found is None:
            raise ValueError(f"no string at position {self._at}: the text is not valid TOML")
        self._at = found.end()
        return found[0]

    def _skip(self, pattern: re.Pattern[str]) -> int:
        """Skips what matches. Returns the new position."""
        found = pattern.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return self._at

    def _note(self, path: Path, place: int) -> None:
        self._lines.setdefault(path, bisect_right(self._starts, place))
