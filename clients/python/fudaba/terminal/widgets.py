"""The line that a move is typed in, and the list of moves below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input, OptionList, RichLog
from textual.widgets.option_list import Option

from fudaba.terminal.choices import MOST_SHOWN, Choice

__all__ = ["History", "MoveLine", "Moves"]


@final
class History(RichLog, can_focus=False):
    """What has happened. It keeps lines as they were wrapped, and so has to be written anew for another width.

    It takes no focus, so that keys always reach the line that moves are typed in; the screen has keys to scroll it.
    """

    @final
    class WidthChanged(Message):
        """Its lines have another width from now on."""

    _written_for = 0

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002 - textual calls RichLog's own beside this
        """See textual."""
        if self.size.width != self._written_for:
            self._written_for = self.size.width
            self.post_message(self.WidthChanged())


@final
class MoveLine(Input):
    """The line that a move is typed in. The arrows go through the list below it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "mark(-1)", show=False),
        Binding("down", "mark(1)", show=False),
        Binding("pageup", "mark(-5)", show=False),
        Binding("pagedown", "mark(5)", show=False),
        Binding("escape", "clear", show=False),
    ]

    @final
    class Marking(Message):
        """The mark in the list of moves shall go so many moves down."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    @final
    class HelpWanted(Message):
        """The help shall be shown."""

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
    """The list of moves. It is gone through from the line above; a click marks, a click on the marked move plays."""

    def offer(self, choices: Sequence[Choice], default: object, mark: int) -> None:
        """Lists the first moves of these, with one marked. `default` is the one for who lets time run out, if any."""
        self.clear_options()
        for number, choice in enumerate(choices[:MOST_SHOWN]):
            shown = choice.shown.copy()
            if default is not None and choice.move == default:
                shown.append("   when time runs out", style="dim italic")
            self.add_option(Option(shown, id=str(number)))
        if len(choices) > MOST_SHOWN:
            more = len(choices) - MOST_SHOWN
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
