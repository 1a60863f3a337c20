"""Cards of the Kamikisen deck in colour, for the tables of its games."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from fudaba_games.kamikisen.cards import CARD_TEXTS, KINDS, cards_of

__all__ = ["card", "faces", "row"]

_STYLES: Final = ("bold #ffffff on #b23a2a", "bold #ffffff on #4a4c58")
"""Red and black."""


def card(number: int) -> Text:
    """One card (0-23) in its colour; the letter says the same."""
    return Text(CARD_TEXTS[number], style=_STYLES[number // KINDS])


def row(cards: int) -> Text:
    """The cards of a mask, in deck order."""
    return Text(" ").join([card(number) for number in cards_of(cards)])


def faces(cards: int) -> list[Text]:
    """The cards of a mask, one by one, in deck order."""
    return [card(number) for number in cards_of(cards)]
