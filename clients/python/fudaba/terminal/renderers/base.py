"""The base of all renderers, and the plain one for any game."""

from __future__ import annotations

import re
from collections.abc import Collection
from random import Random
from typing import Any

from rich.text import Text

from fudaba.bot import MatchInfo
from fudaba_games.game import IllegalMove
from fudaba_games.registry import game

__all__ = ["PlainRenderer", "Renderer"]

_SEAT = re.compile(r"\b([Ss])eat (\d+)\b")
_SUBJECT = re.compile(r"Seat (\d+) (\w+)")
"""The beginning of most sentences about a seat: the seat and the verb."""
_OF_YOU = {"does": "do", "goes": "go", "has": "have", "is": "are", "was": "were"}
"""Verbs that lose more than an s, or the e of `es` after a hiss."""
_HISS = ("ss", "x", "ch", "sh")
"""The endings of verbs that take `es`."""


def of_you(verb: str) -> str:
    """Returns a verb's form for `you`: `pass` for `passes`, `have` for `has`."""
    bare = verb.removesuffix("es")
    return _OF_YOU.get(verb) or (bare if bare != verb and bare.endswith(_HISS) else verb.removesuffix("s"))


class Renderer:
    """Draws one match from one seat, by the texts of the game's rules. A game's own renderer overrides parts.

    Nothing drawn is wider than the given `width` in columns, if there is one.
    """

    def __init__(self, info: MatchInfo, names: tuple[str, ...]) -> None:
        self.info = info
        self.names = names
        self.rules = game(info.game)

    def title(self, view: Any) -> str:  # noqa: ARG002 - see above
        """Returns the progress of the match, for the top line."""
        return ""

    def table(self, view: Any, width: int) -> Text:  # noqa: ARG002 - see above
        """Draws the table, and this seat's hand."""
        return Text(self.named(self.rules.text.render_view(view)))

    def more(self, view: Any, width: int) -> Text:  # noqa: ARG002 - see above
        """Draws further facts for which the table has no room; empty if there are none."""
        return Text("")

    def prompt(self, view: Any, legal_count: int) -> str:  # noqa: ARG002 - see above
        """Returns the prompt for the person."""
        return "Your move"

    def waiting(self, view: Any) -> str:
        """Returns the text for a person without a decision."""
        turn = getattr(view, "turn", -1)  # not every game has turns
        return f"Waiting for {self.names[turn]}" if turn not in {-1, self.info.seat} else "Waiting for the others"

    def move(self, view: Any, move: Any) -> Text:  # noqa: ARG002 - see above
        """Returns a legal move for the list."""
        return Text(self.rules.text.format_move(move))

    def why_not(self, view: Any, move: Any) -> str:
        """Returns the rules' reason against a move of the person, whose turn it is; empty if it is legal.

        It uses a state made only from the view, and so reveals nothing that the person must not know.
        """
        try:
            self.rules.check(self._supposed(view), self.info.seat, move)
        except IllegalMove as refused:
            return self.named(str(refused))
        return ""

    def standing(self, view: Any) -> int:
        """Returns the person's standing decision; 0 for one that does not stand: `Decision.standing`."""
        due = self.rules.decisions(self._supposed(view))
        return next((decision.standing for decision in due if decision.seat == self.info.seat), 0)

    def _supposed(self, view: Any) -> Any:
        """Returns a state with this view, in which it is the person's turn."""
        chance = Random(0)  # noqa: S311 - what it fills in changes nothing of what is asked
        return self.rules.suppose(view, self.info.seat, len(self.info.players), self.info.options, chance)

    def pause(self) -> str:
        """Returns the text for a person without a decision during a pause of the option `window_ms`."""
        seconds = f"{int(self.info.options.get('window_ms', 0)) / 1000:g}"
        return f"A pause of {seconds} s, in which others may act" if seconds != "0" else "Waiting for the others"

    def event(self, event: Any) -> Text:
        """Returns an event as a line of the history; empty if another event tells the person more."""
        return Text(self.named(self.rules.text.describe_event(event)))

    def does(self, seat: int, verb: str) -> str:
        """Returns a seat's name with the verb's form: `You take`, `random takes`, `random passes`."""
        return (
            f"You {verb}"
            if seat == self.info.seat
            else f"{self.names[seat]} {verb}{'es' if verb.endswith(_HISS) else 's'}"
        )

    def together(self, seats: Collection[int]) -> str:
        """Returns the names of several acting seats, for the beginning of a sentence: `You and random`."""
        names = " and ".join([self.names[seat] for seat in seats])
        return f"You{names[3:]}" if self.info.seat in seats and names.startswith("you ") else names

    def spoken(self, text: str) -> str:
        """Returns a sentence of the rules with names for seats: `You pass.`, `random passes.`"""

        def name(found: re.Match[str]) -> str:
            seat = int(found[2])
            return "you" if seat == self.info.seat else self.names[seat]

        first = _SUBJECT.match(text)
        if first is None:
            return _SEAT.sub(name, text)
        seat, verb = int(first[1]), first[2]
        subject = f"You {of_you(verb)}" if seat == self.info.seat else f"{self.names[seat]} {verb}"
        return subject + _SEAT.sub(name, text[first.end() :])

    def named(self, text: str) -> str:
        """Returns a text with names for seats."""

        def name(found: re.Match[str]) -> str:
            seat = int(found[2])
            if seat >= len(self.names):
                return found[0]
            return f"{found[0]} ({self.names[seat]})"

        return _SEAT.sub(name, text)


class PlainRenderer(Renderer):
    """The renderer of a game without its own."""
