"""The output of commands: tables, JSON, times."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from fudaba.safe_text import escaped, safe_error, safe_line, safe_lines

if TYPE_CHECKING:
    from google.protobuf.message import Message
    from google.protobuf.timestamp_pb2 import Timestamp

__all__ = [
    "as_dict",
    "for_reader",
    "moment",
    "print_json",
    "print_json_line",
    "say",
    "say_error",
    "say_text",
    "seconds",
    "status",
    "table",
    "take_back",
    "width",
]


def say(*lines: str, err: bool = False) -> None:
    """Prints lines. Each stays one line, whatever names and texts it quotes."""
    if lines:
        click.echo("\n".join(safe_line(line) for line in lines), err=err)


def say_error(text: str) -> None:
    """Prints an error to standard error: `error: …`, with its further lines indented."""
    click.echo(safe_error(f"error: {text}"), err=True)


def say_text(text: str, *, err: bool = False) -> None:
    """Prints a text of several lines that quotes nobody, or only text that was made safe."""
    if text:
        click.echo(safe_lines(text).removesuffix("\n"), err=err)


def status(text: str) -> None:
    """Shows the current activity on the terminal of standard error, in place of the one before; empty for none."""
    click.echo(f"\r\x1b[K{safe_line(text)}", nl=False, err=True)


def take_back(lines: int) -> None:
    """Removes this many lines from the bottom of the terminal."""
    click.echo(f"\x1b[{lines}A\x1b[J", nl=False)


def width(text: str) -> int:
    """Returns the number of terminal columns of a text."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1
        for char in text
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> str:
    """Returns rows under a head, in columns. `right` has a letter for each column: `r` aligns it to the right."""
    if not rows:
        return ""
    cells = [list(head), *([safe_line(cell) for cell in row] for row in rows)]
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
    """Prints one JSON document on standard output."""
    import json  # few commands print it, and all of them import this module

    click.echo(escaped(json.dumps(value, ensure_ascii=False, indent=2)))


def print_json_line(value: Any) -> None:
    """Prints a JSON document on one line."""
    import json

    click.echo(escaped(json.dumps(value, ensure_ascii=False)))


def as_dict(message: Message) -> dict[str, Any]:
    """Returns a message by the contract's field names, with protobuf's JSON mapping of values."""
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(message, preserving_proto_field_name=True)


def moment(timestamp: Timestamp) -> str:
    """Returns a time in UTC, or `-` if it is not set."""
    if not timestamp.seconds:
        return "-"
    return f"{timestamp.ToDatetime():%Y-%m-%d %H:%M:%S}"


def for_reader(timestamp: Timestamp, zone: str) -> str:
    """Returns a time in the zone of this machine, with the zone in which it was written beside it where they differ."""
    from fudaba.zoned_time import ZonedTime

    return ZonedTime.from_ms(timestamp.ToMilliseconds(), zone).for_reader()


def seconds(milliseconds: float) -> str:
    """Returns a duration for people."""
    return f"{milliseconds / 1000:g} s" if milliseconds >= 1000 else f"{milliseconds:.3g} ms"
