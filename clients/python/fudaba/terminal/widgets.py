"""The input line for moves, and the list of moves below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Input, OptionList, RichLog, Static
from textual.widgets.option_list import Option

from fudaba.terminal.choices import MAX_SHOWN_MOVES, OfferedMove

__all__ = ["Board", "History", "MoveLine", "Moves", "pages"]

_MIN_PAGE_LINES: Final = 5
"""A page has at least this many lines."""


def pages(table: Text, more: Text, height: int) -> list[Text]:
    """Returns the table with further facts below it if they fit; else each on its own pages.

    In a window that is too low for the table, the table has several pages, too.
    """
    if more.plain and len(table.plain.splitlines()) + 1 + len(more.plain.splitlines()) <= height:
        return [Text("\n\n", no_wrap=True).join([table, more])]
    found = _cut(table, max(height, _MIN_PAGE_LINES))
    return [*found, *_cut(more, max(height, _MIN_PAGE_LINES))] if more.plain else found


def _cut(text: Text, most: int) -> list[Text]:
    """Returns the lines of a text, at most this many in each part."""
    lines = text.split("\n")
    if len(lines) <= most:
        return [text]
    return [Text("\n", no_wrap=True).join(lines[start : start + most]) for start in range(0, len(lines), most)]


@final
class Board(VerticalScroll, can_focus=False):
    """The table, with further pages for what does not fit."""

    _pages: Sequence[Text] = (Text(""),)
    _page = 0

    def compose(self) -> ComposeResult:
        """See textual."""
        yield Static(id="table")

    def show(self, table: Text, more: Text) -> None:
        """Draws a position. The page stays, if it still exists."""
        self._pages = pages(table, more, self.size.height)
        self._page = min(self._page, len(self._pages) - 1)
        self.query_one("#table", Static).update(self._pages[self._page])

    def turn(self) -> None:
        """Shows the next page, or the first after the last."""
        self._page = (self._page + 1) % len(self._pages)
        self.query_one("#table", Static).update(self._pages[self._page])

    @property
    def place(self) -> str:
        """The number of the page and of all pages; empty if there is only one."""
        return f"{self._page + 1}/{len(self._pages)}" if len(self._pages) > 1 else ""


@final
class History(RichLog, can_focus=False):
    """The history of the match. It stores wrapped lines, and must be written again for another width.

    It takes no focus, so that keys always reach the input line; the screen has keys for scrolling.
    """

    @final
    class WidthChanged(Message):
        """Posted when the width of its lines changes."""

    _written_for = 0

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002 - textual calls RichLog's own beside this
        """See textual."""
        if self.size.width != self._written_for:
            self._written_for = self.size.width
            self.post_message(self.WidthChanged())


@final
class MoveLine(Input):
    """The input line for moves. The arrows move through the list below it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "mark(-1)", show=False),
        Binding("down", "mark(1)", show=False),
        Binding("pageup", "mark(-5)", show=False),
        Binding("pagedown", "mark(5)", show=False),
        Binding("escape", "clear", show=False),
    ]

    @final
    class Marking(Message):
        """Requests that the mark move down this many moves."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    @final
    class HelpWanted(Message):
        """Requests the help."""

    def action_mark(self, by: int) -> None:
        """Moves the mark."""
        self.post_message(self.Marking(by))

    def action_clear(self) -> None:
        """Empties the line."""
        self.value = ""

    async def _on_key(self, event: events.Key) -> None:
        if event.character == "?":
            event.prevent_default().stop()
            self.post_message(self.HelpWanted())
            return
        await super()._on_key(event)


@final
class Moves(OptionList, can_focus=False):
    """The list of moves. The input line moves through it; a click marks a move, and a click on the marked move plays
    it.
    """

    def offer(self, choices: Sequence[OfferedMove], default: object, mark: int) -> None:
        """Lists the first of these moves, with one marked. `default` is the move played after a timeout, if there is
        one.
        """
        self.clear_options()
        for number, choice in enumerate(choices[:MAX_SHOWN_MOVES]):
            shown = choice.shown.copy()
            if default is not None and choice.move == default:
                shown.append("   when time runs out", style="dim italic")
            self.add_option(Option(shown, id=str(number)))
        if len(choices) > MAX_SHOWN_MOVES:
            more = len(choices) - MAX_SHOWN_MOVES
            self.add_option(Option(Text(f"and {more} more: type to narrow the list", style="dim"), disabled=True))
        if choices:
            self.highlighted = mark

    async def _on_click(self, event: events.Click) -> None:
        clicked = event.style.meta.get("option")
        if clicked is not None and clicked != self.highlighted:
            event.prevent_default().stop()
            self.highlighted = clicked
            return
        await super()._on_click(event)
