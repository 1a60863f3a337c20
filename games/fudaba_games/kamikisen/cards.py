"""The Kamikisen deck (紙机戦): 48 cards in two colours, and sets of them that may hold equal cards.

A *card* is a number 0-23, in deck order: red (0-11), then black (12-23), each from ship to emperor. A *kind* is a
number 0-11, a card's place in its colour; a *strength* is a number 0-10, in which king and emperor are one. The deck
has up to four copies of a card, and copies are equal.

*Cards in any number* (a hand, a meld, a pile) are one `int`, a mask of 48 bits. Every copy has a bit, in deck order, so
that the 24 red bits are followed by the 24 black ones; a mask with k copies of a card has the lowest k bits of that
card. So equal hands are equal numbers, and `bit_count` counts the cards. Such a mask is called *settled*:

- whole == 0` says whether a hand has some cards~`part & ~whole == 0` says whether a hand has all cards of `part`~whole
  == 0` says whether a hand has some cards;
- `without` and `joined` take cards away and put cards together: `^` and `|` would not;
- `settled` makes one from a mask of copies, as a shuffle deals them;
- a mask and-ed with `RED`, `BLACK`, `KIND_MASKS`, `STRENGTH_MASKS` or `CARD_MASKS` is settled again;
- `mask & FIRSTS` has one bit for each different card.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

KIND_COUNT: Final = 12
CARDS: Final = 24
"""The number of different cards."""
DECK_SIZE: Final = 48
DECK: Final = (1 << DECK_SIZE) - 1
"""The mask of all cards."""
HALF_BITS: Final = 24
"""The number of bits of one colour: black cards are red ones, shifted by this number."""
HALF: Final = (1 << HALF_BITS) - 1
RED: Final = HALF
BLACK: Final = HALF << HALF_BITS

SHIP: Final = 0
NONE: Final = 1
KING: Final = 10
EMPEROR: Final = 11
KIND_LETTERS: Final = "S012345678KT"
COLOUR_LETTERS: Final = "rb"
KIND_NAMES: Final = (
    "ship", "none", "soldier", "bow", "chariot", "tiger", "horse", "brush", "shaman", "general", "king", "emperor",
)  # fmt: skip
COPIES: Final = (1, 3, 4, 2, 2, 2, 2, 2, 2, 2, 1, 1)
"""For each kind, the number of copies in each colour."""

STRENGTH_COUNT: Final = 11
TOP: Final = 10
"""The strength of king and emperor."""
STRENGTH_LETTERS: Final = "S012345678K"
STRENGTH_NAMES: Final = (*KIND_NAMES[:KING], "king or emperor")

CARD_TEXTS: Final = tuple(colour + kind for colour in COLOUR_LETTERS for kind in KIND_LETTERS)
"""For each card, its text."""
KIND_OF: Final = tuple(card % KIND_COUNT for card in range(CARDS))
"""The kind of each card."""
STRENGTH_OF_KIND: Final = tuple(min(kind, TOP) for kind in range(KIND_COUNT))
"""The strength of each kind."""
VALUE_OF_KIND: Final = tuple(kind - 1 if 0 < kind < KING else -1 for kind in range(KIND_COUNT))
"""The value of each kind: 0-8; -1 for kinds without a value: ship, king and emperor."""
CARD_OF_BIT: Final = tuple(
    colour * KIND_COUNT + kind for colour in range(2) for kind in range(KIND_COUNT) for _ in range(COPIES[kind])
)
"""For each bit of a mask (0-47), the card that it is a copy of."""
BIT_OF: Final = tuple(CARD_OF_BIT.index(card) for card in range(CARDS))
"""For each card, the bit of its first copy."""
COPIES_OF: Final = tuple(CARD_OF_BIT.count(card) for card in range(CARDS))
"""For each card, the number of copies in the deck."""
CARD_MASKS: Final = tuple(((1 << COPIES_OF[card]) - 1) << BIT_OF[card] for card in range(CARDS))
"""For each card, the mask of all its copies."""
KIND_MASKS: Final = tuple(CARD_MASKS[kind] | CARD_MASKS[kind + KIND_COUNT] for kind in range(KIND_COUNT))
"""For each kind, the mask of all its cards, in both colours."""
STRENGTH_MASKS: Final = (*KIND_MASKS[:KING], KIND_MASKS[KING] | KIND_MASKS[EMPEROR])
"""For each strength, the mask of all its cards, in both colours."""
STRENGTH_OF_BIT: Final = tuple(STRENGTH_OF_KIND[KIND_OF[card]] for card in CARD_OF_BIT)
"""For each bit of a mask, the strength of its card."""
FIRSTS: Final = sum(1 << bit for bit in BIT_OF)
"""The first bit of every card: with a hand, one bit for each different card of it."""
INNER: Final = DECK & ~FIRSTS
"""The bits of second and later copies."""
SHIPS: Final = KIND_MASKS[SHIP]
RED_SHIP: Final = 1
BLACK_SHIP: Final = 1 << HALF_BITS


def settled(mask: int) -> int:
    """Returns a mask of any copies as a settled mask: the lowest bits of each card, as many as the mask had."""
    while high := mask & INNER & ~(mask << 1):
        mask ^= high | high >> 1
    return mask


def is_settled(mask: int) -> bool:
    """Returns whether a number is a settled mask of cards of the deck (see above)."""
    return 0 <= mask <= DECK and not mask & INNER & ~(mask << 1)


def without(cards: int, part: int) -> int:
    """Returns the cards that are left when a part of them is taken away. `part` must be in `cards`."""
    return settled(cards ^ part)


def joined(cards: int, more: int) -> int:
    """Returns all cards of two masks. Together they must not have more copies of a card than the deck has."""
    if not cards & more:
        return cards | more  # they have no card in common: settled masks would share its first bit
    return settled(cards | (DECK ^ settled(DECK ^ more)))


def mask_of(cards: Iterable[int], mask: int = 0) -> int:
    """Returns the mask of some cards (0-23) in any order, with repeated cards counted, joined with another mask.

    Raises `ValueError` for more copies of a card than the deck has.
    """
    for card in cards:
        bit = 1 << BIT_OF[card]
        while mask & bit:
            bit <<= 1
        if not bit & CARD_MASKS[card]:
            raise ValueError(f"the deck has only {COPIES_OF[card]} of {CARD_TEXTS[card]}")
        mask |= bit
    return mask


def cards_of(mask: int) -> list[int]:
    """Returns the cards (0-23) of a mask, in deck order, each as often as it is there. It ignores other bits."""
    rest = mask & DECK
    cards: list[int] = []
    while rest:
        low = rest & -rest
        cards.append(CARD_OF_BIT[low.bit_length() - 1])
        rest ^= low
    return cards


def count_of(mask: int, card: int) -> int:
    """Returns how many copies of a card (0-23) a mask has."""
    return (mask & CARD_MASKS[card]).bit_count()


def places_of(mask: int) -> tuple[int, ...]:
    """Returns the places (0-47) of cards in the deck. Legal moves with cards are in the order of these, compared as
    lists.
    """
    rest = mask & DECK
    places: list[int] = []
    while rest:
        low = rest & -rest
        places.append(low.bit_length() - 1)
        rest ^= low
    return tuple(places)
