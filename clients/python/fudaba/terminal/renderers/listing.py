"""A list of cards and words with names at the side, for what the table has no room for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.text import Text

__all__ = ["listing", "words", "wrapped"]

_MIN_VALUE_COLUMNS: Final = 12
"""The columns reserved for the listed values, however long the names are."""


def listing(parts: Iterable[tuple[str, Sequence[Text]]], width: int) -> Text:
    """Returns each part's name with its content beside it, on as many lines as necessary.

    An empty part is left out.
    """
    full = [(name, list(items)) for name, items in parts if items]
    room = max(0, width - _MIN_VALUE_COLUMNS)
    indent = min(max([len(name) for name, _ in full], default=0) + 2, room)
    text = Text(no_wrap=True)
    for name, items in full:
        for number, line in enumerate(wrapped(items, width - indent)):
            text.append("\n" if text.plain else "")
            text.append(f"{'' if number else ' ' + name:<{indent}.{indent}}", style="dim").append_text(line)
    return text


def wrapped(items: Sequence[Text], width: int) -> list[Text]:
    """Returns the items separated by spaces, in lines of at most this width; a wider item has its own line."""
    lines: list[Text] = []
    for item in items:
        if lines and lines[-1].cell_len + 1 + item.cell_len <= width:
            lines[-1].append(" ").append_text(item)
        else:
            lines.append(Text().append_text(item))
    return lines


def words(text: str) -> list[Text]:
    """Returns a sentence for a list, which may break after any word."""
    return [Text(word) for word in text.split()]
