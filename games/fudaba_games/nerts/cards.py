"""The French deck, and which card goes on which (rules page `docs/rules/nerts.md`, NE2 and NE5).

A card is a number 0-51 in deck order: clubs, diamonds, hearts, spades, each from ace to king. Every seat has a deck of
its own. A set of cards is a bit mask, bit `c` for card `c`.
"""

from __future__ import annotations

from typing import Final

CARDS: Final = 52
RANK_COUNT: Final = 13
WORKS_PER_SEAT: Final = 4
"""The number of work piles (場札) that a seat has."""
NERTS_PILE_CARDS: Final = 13
"""The number of cards that the Nerts pile has at first."""
CARDS_PER_FLIP: Final = 3
"""The number of cards that are turned from the stock at once."""
EMPTY: Final = 52
"""The number in the place of an empty work pile's last card."""
NO_CARD: Final = -1

CARD_TEXTS: Final = tuple(rank + suit for suit in "CDHS" for rank in "A23456789TJQK")
"""Every card's text, in deck order."""

BITS: Final = tuple(1 << card for card in range(CARDS + 1))
"""For each card, `EMPTY` included, its bit."""


def is_red(card: int) -> bool:
    """Returns whether a card is a diamond or a heart."""
    return card // RANK_COUNT in {1, 2}


def fits(card: int, onto: int) -> bool:
    """Returns whether `card` may be laid on the card `onto` of a work pile: `onto` is one higher and of the other
    colour.
    """
    return onto % RANK_COUNT == card % RANK_COUNT + 1 and is_red(card) != is_red(onto)


FITS: Final = tuple(BITS[EMPTY] + sum(BITS[onto] for onto in range(CARDS) if fits(card, onto)) for card in range(CARDS))
"""For each card, the mask of the last cards of work piles onto which it may go, `EMPTY` among them."""
ONTO: Final = (*(sum(BITS[card] for card in range(CARDS) if fits(card, onto)) for onto in range(CARDS)), 0)
"""For each last card of a work pile, the mask of the cards that may go onto it; empty for `EMPTY`, onto which any card
may go.
"""


def text_of(cards: tuple[int, ...] | bytes) -> str:
    """Returns the texts of cards in the order in which they lie."""
    return " ".join([CARD_TEXTS[card] for card in cards])
