"""What every game's table draws, and the plain one that does for any game."""

from __future__ import annotations

import re
from typing import Any

from rich.text import Text

from fudaba.bot import MatchInfo
from fudaba_games.registry import game

__all__ = ["PlainTable", "Table"]

_SEAT = re.compile(r"\b([Ss])eat (\d+)\b")


class Table:
    """Draws one match from one seat, by the texts of the game's rules. A game's own table overrides what it can better.

    Nothing drawn is wider than the `width` that is given, in columns, where there is one.
    """

    def __init__(self, info: MatchInfo, names: tuple[str, ...]) -> None:
        self.info = info
        self.names = names
        self.rules = game(info.game)

    def title(self, view: Any) -> str:  # noqa: ARG002 - see above
        """Where in the match this is, for the line at the top."""
        return ""

    def table(self, view: Any, width: int) -> Text:  # noqa: ARG002 - see above
        """What lies on the table, and the own hand."""
        return Text(self.named(self.rules.render_view(view)))

    def prompt(self, view: Any, legal_count: int) -> str:  # noqa: ARG002 - see above
        """What the person is asked."""
        return "Your move"

    def move(self, view: Any, move: Any) -> Text:  # noqa: ARG002 - see above
        """A legal move in the list."""
        return Text(self.rules.format_move(move))

    def event(self, event: Any) -> Text:
        """What happened, as a line of the history."""
        return Text(self.named(self.rules.describe_event(event)))

    def does(self, seat: int, verb: str) -> str:
        """Who does it, with the verb's form: `You take`, `random takes`."""
        return f"You {verb}" if seat == self.info.seat else f"{self.names[seat]} {verb}s"

    def named(self, text: str) -> str:
        """A text in which seats are called by their names."""

        def name(found: re.Match[str]) -> str:
            seat = int(found[2])
            if seat >= len(self.names):
                return found[0]
            return f"{found[0]} ({self.names[seat]})"

        return _SEAT.sub(name, text)


class PlainTable(Table):
    """The table of a game that has none of its own."""
