"""Cards, kinds and strengths of the Kamikisen deck as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from fudaba_games.game import MalformedMove
from fudaba_games.kamikisen.cards import (
    CARD_TEXTS,
    COPIES_OF,
    RED,
    STRENGTH_LETTERS,
    cards_of,
    mask_of,
)

_BY_TEXT: Final = {text: card for card, text in enumerate(CARD_TEXTS)}
_STRENGTH_BY_TEXT: Final = {letter: strength for strength, letter in enumerate(STRENGTH_LETTERS)}


def text_of(mask: int) -> str:
    """Returns the cards in deck order, repeated ones included, for example `rS r1 r1 bK`; empty for no cards."""
    return " ".join([CARD_TEXTS[card] for card in cards_of(mask)])


def text_by_colour(mask: int) -> str:
    """Returns the same as `text_of`, with a wider gap between red and black."""
    return "  ".join([text for text in (text_of(mask & RED), text_of(mask & ~RED)) if text])


def parse_card(text: str) -> int:
    """Returns the card (0-23) of a text such as `r7`. Raises `MalformedMove`."""
    found = _BY_TEXT.get(text)
    if found is None:
        raise MalformedMove(
            f"{text[:20]!r} is not a card; write a colour (r b) and a kind (S 0-8 K T), for example r7 or bS"
        )
    return found


def parse_cards(texts: Iterable[str]) -> int:
    """Returns the mask of some cards' texts, in any order. Raises `MalformedMove`, also for more copies than there
    are.
    """
    cards = [parse_card(text) for text in texts]
    try:
        return mask_of(cards)
    except ValueError:
        raise MalformedMove(too_many(cards)) from None


def too_many(cards: list[int]) -> str:
    """Returns why one deck does not have some cards."""
    card = next(card for card in cards if cards.count(card) > COPIES_OF[card])
    return f"the deck has only {COPIES_OF[card]} of {CARD_TEXTS[card]}, not {cards.count(card)}"


def parse_strength(text: str) -> int:
    """Returns the strength (0-10) of a text such as `7`, `S` or `K`. Raises `MalformedMove`."""
    found = _STRENGTH_BY_TEXT.get(text)
    if found is None:
        raise MalformedMove(
            f"{text[:20]!r} is not a strength; write one of {' '.join(STRENGTH_LETTERS)} (K: king and emperor)"
        )
    return found
