"""Cards and words in a list with a name at the side, for what the table has no room for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.text import Text

__all__ = ["listing", "words", "wrapped"]

_MIN_COLUMNS: Final = 12
"""The columns that the listed values keep, however long the names are."""


def listing(parts: Iterable[tuple[str, Sequence[Text]]], width: int) -> Text:
    """Returns each part's name, and beside it what it has, in as many lines as that needs.

    A part with nothing is left out.
    """
    full = [(name, list(items)) for name, items in parts if items]
    room = max(0, width - _MIN_COLUMNS)
    indent = min(max([len(name) for name, _ in full], default=0) + 2, room)
    text = Text(no_wrap=True)
    for name, items in full:
        for number, line in enumerate(wrapped(items, width - indent)):
            text.append("\n" if text.plain else "")
            text.append(f"{'' if number else ' ' + name:<{indent}.{indent}}", style="dim").append_text(line)
    return text


def wrapped(items: Sequence[Text], width: int) -> list[Text]:
    """Returns the items, apart by a space, in lines of at most this width; one that is wider has a line of its own."""
    lines: list[Text] = []
    for item in items:
        if lines and lines[-1].cell_len + 1 + item.cell_len <= width:
            lines[-1].append(" ").append_text(item)
        else:
            lines.append(Text().append_text(item))
    return lines


def words(text: str) -> list[Text]:
    """Returns a sentence to be listed, which may go on in the next line after any word."""
    return [Text(word) for word in text.split()]
