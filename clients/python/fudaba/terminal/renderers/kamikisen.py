"""Draws cards of the Kamikisen deck in colour, and the deal's number, for its games' renderers."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba_games.kamikisen.cards import CARD_TEXTS, KIND_COUNT, cards_of
from fudaba_games.kamikisen.dealing import AS_MANY_AS_SEATS, number_of_deals

__all__ = ["card", "deal_of", "faces", "row"]

_STYLES: Final = ("bold #ffffff on #b23a2a", "bold #ffffff on #4a4c58")
"""The styles of red and black cards."""


def deal_of(renderer: Renderer, deal: int) -> str:
    """Returns the deal's number and their total, for the beginning of a title; empty if a match is one deal."""
    deals = number_of_deals(int(renderer.info.options.get("deals", AS_MANY_AS_SEATS)), len(renderer.names))
    return f"deal {deal + 1} of {deals}, " if deals > 1 else ""


def card(number: int) -> Text:
    """Draws one card (0-23) in its colour, which its letter also tells."""
    return Text(CARD_TEXTS[number], style=_STYLES[number // KIND_COUNT])


def row(cards: int) -> Text:
    """Returns the cards of a mask, in deck order."""
    return Text(" ").join([card(number) for number in cards_of(cards)])


def faces(cards: int) -> list[Text]:
    """Returns the cards of a mask, one by one, in deck order."""
    return [card(number) for number in cards_of(cards)]
