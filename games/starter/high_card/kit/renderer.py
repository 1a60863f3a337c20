"""Draws High Card on the screen."""

from __future__ import annotations

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from high_card.text import card_text
from high_card.values import HighCardView


class HighCardRenderer(Renderer):
    """The rounds of the deal, and this seat's hand."""

    def title(self, view: HighCardView) -> str:
        """Returns how far the match has progressed."""
        return f"deal {view.deal + 1}, round {len(view.played) // 2 + 1}"

    def table(self, view: HighCardView, width: int) -> Text:  # noqa: ARG002 - it is narrow
        """Returns a line for each seat: its name, its score, and what it has played in each round."""
        text = Text()
        for seat, name in enumerate(self.names):
            cards = "".join(f"{card or '-':>4}" for card in view.played[seat::2])
            dealer = " deals" if seat == view.dealer else ""
            text.append(f"{name:<14}{view.scores[seat]:+d}  {cards}{dealer}\n")
        if view.hand:
            text.append("\nhand  ", style="bold").append("  ".join(map(str, view.hand)))
        if view.chosen >= 0:
            text.append(f"   chosen {card_text(view.chosen)}")
        return text

    def prompt(self, view: HighCardView, legal_count: int) -> str:  # noqa: ARG002 - see `Renderer`
        """Returns the question to the person."""
        return "Play a card, or pass"
