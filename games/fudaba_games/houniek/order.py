"""Melds as numbers that sort in the order of legal moves: deck order, compared as lists, then the foot.

A number has the cards in reverse bit order, then the cards, then the foot. Sorting millions of these takes a third of
the time that lists of places would take.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.kamikisen.cards import DECK, DECK_SIZE, places_of

FOOT_BITS: Final = 4
FOOT: Final = (1 << FOOT_BITS) - 1
_CARDS: Final = FOOT_BITS + DECK_SIZE
"""The bits of cards and foot."""


def sortable(cards: int) -> int:
    """Returns cards (a mask) in the form that `in_order` takes. The forms of two masks without a common card may be
    combined with `|`.
    """
    mirrored = sum([1 << DECK_SIZE - 1 - place for place in places_of(cards)])
    return mirrored << _CARDS | cards << FOOT_BITS


def in_order(part: int, foot: int) -> int:
    """Returns a meld's number, from `sortable` cards and a foot (0-10). A lower number comes earlier."""
    mirrored = part >> _CARDS
    # The card that comes earlier in the deck counts more. Where one list is the beginning of another it comes first:
    # as if it went on with all the cards of the deck.
    filled = mirrored | (mirrored & -mirrored) - 1
    return (DECK ^ filled) << _CARDS | (part ^ mirrored << _CARDS) | foot
