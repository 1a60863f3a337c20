"""What commands print: tables, JSON, times."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from google.protobuf.message import Message
    from google.protobuf.timestamp_pb2 import Timestamp

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def safe(text: str) -> str:
    """A text of somebody else without what would drive the terminal."""
    return _CONTROL.sub("\ufffd", text)


def width(text: str) -> int:
    """The number of terminal columns that a text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1
        for char in text
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> str:
    """Rows under a head, in columns. `right` has a letter for each column: `r` sets it to the right."""
    if not rows:
        return ""
    cells = [list(head), *([safe(cell) for cell in row] for row in rows)]
    widths = [max(width(row[column]) for row in cells) for column in range(len(head))]
    lines = []
    for row in cells:
        parts = []
        for column, cell in enumerate(row):
            space = " " * (widths[column] - width(cell))
            parts.append(space + cell if right[column : column + 1] == "r" else cell + space)
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def as_dict(message: Message) -> dict[str, Any]:
    """A message in the contract's field names, with protobuf's JSON mapping of values."""
    from google.protobuf.json_format import MessageToDict  # noqa: PLC0415 - only for --json

    return MessageToDict(message, preserving_proto_field_name=True)


def moment(timestamp: Timestamp) -> str:
    """A time of day in UTC, or `-` when it is not set."""
    if not timestamp.seconds:
        return "-"
    return f"{timestamp.ToDatetime():%Y-%m-%d %H:%M:%S}"


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun; `many` where another `s` does not do."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def seconds(milliseconds: float) -> str:
    """A span of time for people."""
    return f"{milliseconds / 1000:g} s" if milliseconds >= 1000 else f"{milliseconds:.3g} ms"
