"""Naga's deck and places (rules page `docs/rules/naga.md`, N2).

A card is a number 0-50 in deck order: seven attributes of seven numbers, then the moons. A set of cards is a bit mask,
bit `c` for card `c`. A place is a number 1-7; lists by place leave index 0 unused.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from fudaba_games.cards import cards_in, parse_different
from fudaba_games.game import MalformedMove

CARDS: Final = 51
DECK: Final = (1 << CARDS) - 1
"""The mask of all cards."""
ILBECK: Final = 49
"""大月, the greater moon."""
CORSELTEL: Final = 50
"""小月, the lesser moon, which is the stronger one of the two."""
MOONS: Final = 1 << ILBECK | 1 << CORSELTEL

DARK: Final = 0
LIGHT: Final = 1
FIRE: Final = 2
WIND: Final = 3
WATER: Final = 4
WOOD: Final = 5
EARTH: Final = 6
ATTRIBUTE_NAMES: Final = ("dark", "light", "fire", "wind", "water", "wood", "earth")
ATTRIBUTE_LETTERS: Final = "DLFWATE"

ELTAM: Final = 4
"""The place of three cards, fought for last."""
PLACES: Final = (1, 2, 3, 4, 5, 6, 7)
SINGLE_PLACES: Final = tuple(place for place in PLACES if place != ELTAM)
"""The places of a single card, which a seat designates."""
PLACE_NAMES: Final = ("", "Kuto", "Onotoa", "Avoria", "Eltam", "Siritas", "Cheres", "Eil")
TRUMPS: Final = (-1, DARK, FIRE, WOOD, WATER, EARTH, LIGHT, WIND)
"""The trump attribute of each place (切り札)."""

CARD_TEXTS: Final = (*(letter + str(number) for letter in ATTRIBUTE_LETTERS for number in range(1, 8)), "MI", "MC")
"""Every card's text, in deck order."""
_BY_TEXT: Final = {text: card for card, text in enumerate(CARD_TEXTS)}


def card(attribute: int, number: int) -> int:
    """Returns the card of an attribute (0-6) and a number (1-7)."""
    return attribute * 7 + number - 1


def number_of(card: int) -> int:
    """Returns the number (1-7) of a card that is not a moon."""
    return card % 7 + 1


def cards_of(mask: int) -> list[int]:
    """Returns the cards of a mask, in deck order. It ignores bits that are not a card's."""
    return cards_in(mask & DECK)


def text_of(mask: int) -> str:
    """Returns the cards of a mask in deck order, for example `D7 A1 MI`; empty for none."""
    return " ".join([CARD_TEXTS[card_index] for card_index in cards_of(mask)])


def parse_card(text: str) -> int:
    """Returns the card of a text. Raises `MalformedMove`."""
    found = _BY_TEXT.get(text)
    if found is None:
        raise MalformedMove(
            f"{text[:20]!r} is not a card of the Naga deck; write an attribute (D L F W A T E) and a number 1-7, "
            "for example D7, or a moon, MI or MC"
        )
    return found


def parse_cards(texts: Iterable[str]) -> int:
    """Returns the mask of some cards' texts, in any order. Raises `MalformedMove`, also for a repeated card."""
    return parse_different(texts, parse_card)
