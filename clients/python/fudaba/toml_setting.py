"""Sets and removes a value in a TOML text. Everything else of the text stays as it is, comments included."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from fudaba.toml_lines import toml_lines

__all__ = ["CannotSet", "toml_text", "with_value", "without_value"]


class CannotSet(ValueError):
    """A value cannot be set or removed, since the text writes it in a way that this module does not edit."""


def toml_text(value: object) -> str:
    """Returns a value as TOML: a text, a boolean, a number, a date, or a list of these."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_text, value))}]"
    return str(value)


def with_value(text: str, path: Sequence[str], value: str) -> str:
    """Returns the text with the TOML `value` at a key, such as `("season", "ends")`.

    Raises `CannotSet`, and `tomllib.TOMLDecodeError` if `value` is not TOML.
    """
    wanted = tomllib.loads(text)
    _table(wanted, path)[path[-1]] = tomllib.loads(f"value = {value}")["value"]
    lines = text.split("\n")
    place = _place(text, path)
    pair = f"{path[-1]} = {value}"
    if place is not None:
        begin, end = place
        lines[begin:end] = [pair + _comment(lines[end - 1], begin + 1 == end)]
    elif (header := _header(lines, path[:-1])) is not None:
        lines.insert(header + 1, pair)
    elif len(path) > 1:
        lines = [*"\n".join(lines).rstrip("\n").split("\n"), "", f"[{'.'.join(path[:-1])}]", pair, ""]
    else:
        first = next((at for at, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
        lines[first:first] = [pair, ""]
    return _checked("\n".join(lines), wanted, path)


def without_value(text: str, path: Sequence[str]) -> str:
    """Returns the text without a key. Without the key, it stays as it is. Raises `CannotSet`."""
    wanted = tomllib.loads(text)
    if _table(wanted, path).pop(path[-1], None) is None:
        return text
    place = _place(text, path)
    if place is None:
        raise CannotSet(_why(path))
    lines = text.split("\n")
    del lines[place[0] : place[1]]
    return _checked("\n".join(lines), wanted, path)


def _table(content: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Returns the table of a key, made if there is none. Raises `CannotSet` if another value has its name."""
    for part in path[:-1]:
        content = content.setdefault(part, {})
        if not isinstance(content, dict):
            raise CannotSet(_why(path))
    return content


def _place(text: str, path: Sequence[str]) -> tuple[int, int] | None:
    """Returns the lines, from 0, of a key and its value, if they have lines of their own."""
    line = toml_lines(text).get(tuple(path))
    if line is None:
        return None
    lines = text.split("\n")
    for end in range(line, len(lines) + 1):
        try:
            found = tomllib.loads("\n".join(lines[line - 1 : end]))
        except tomllib.TOMLDecodeError:
            continue
        return (line - 1, end) if list(found) == [path[-1]] else None
    return None


def _header(lines: Sequence[str], table: Sequence[str]) -> int | None:
    """Returns the line, from 0, of a table's header."""
    wanted = re.compile(rf"\s*\[\s*{re.escape('.'.join(table))}\s*\]\s*(#.*)?")
    return next((at for at, line in enumerate(lines) if table and wanted.fullmatch(line)), None)


def _comment(line: str, alone: bool) -> str:
    """Returns the comment behind a value that stands in one line; empty where that is not certain."""
    before, mark, comment = line.rpartition("#")
    if not alone or not mark or any(quote in comment for quote in "\"'"):
        return ""
    try:
        tomllib.loads(before)
    except tomllib.TOMLDecodeError:
        return ""
    return f"{before[len(before.rstrip()) :]}#{comment}"


def _checked(text: str, wanted: dict[str, Any], path: Sequence[str]) -> str:
    """Returns a text that says what is wanted. Raises `CannotSet` for any other."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise CannotSet(_why(path)) from None
    if found != wanted:
        raise CannotSet(_why(path))
    return text


def _why(path: Sequence[str]) -> str:
    return f"{'.'.join(path)} cannot be set where the file has it; change it in an editor"
