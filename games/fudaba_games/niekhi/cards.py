"""Niekhi's cards, which differ only in their strength.

The game ignores colours, and king and emperor have one strength, so cards of one strength are equal. *Strengths* are
the deck's numbers 0-10: ship, 0 to 8, king and emperor (see `fudaba_games.kamikisen.cards`).

*Sets of cards* (a hand, a meld, a pile) are one `int`, a vector of counts: the five bits from bit 5 * s on count the
cards of strength s. Such numbers are added and subtracted directly, and equal sets are equal numbers. No count is above
8, so the fifth bit of each is free: with it, `less` and `has` compare all counts at once. A *set of strengths* is a
mask: bit s for strength s.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from fudaba_games.kamikisen.cards import COPIES, EMPEROR, KING, STRENGTH_COUNT, TOP

COUNT_BITS: Final = 5
"""The number of bits of each count."""
ONE: Final = tuple(1 << COUNT_BITS * strength for strength in range(STRENGTH_COUNT))
"""For each strength, the vector of one card."""
COUNT_MASK: Final = 31
"""The bits of the ships' count, which shifted are those of any count."""
COPIES_OF: Final = (*[2 * COPIES[kind] for kind in range(KING)], 2 * (COPIES[KING] + COPIES[EMPEROR]))
"""For each strength, the number of cards in the deck."""
DECK: Final = sum(count * unit for count, unit in zip(COPIES_OF, ONE, strict=True))
"""All cards."""
GENERAL_STRENGTH: Final = 9
LOWEST_VALUE: Final = 1
"""The strength of cards of value 0."""
HIGHEST_VALUE: Final = 9
"""The strength of cards of value 8."""
SHIPS: Final = COUNT_MASK
"""The bits of the ships' count."""
GENERAL_BIT: Final = COUNT_BITS * GENERAL_STRENGTH
"""The position of the generals' count."""
VALUES: Final = sum(COUNT_MASK * ONE[strength] for strength in range(LOWEST_VALUE, HIGHEST_VALUE + 1))
"""The bits of the counts of 0 to 8."""
GUARDS: Final = sum(16 * unit for unit in ONE)
"""The free bit of every count."""
UNITS: Final = sum(ONE)
"""The vector of one card of each strength."""
ALL_STRENGTHS: Final = (1 << STRENGTH_COUNT) - 1

_HALF_BITS: Final = 5 * COUNT_BITS
_HALF: Final = (1 << _HALF_BITS) - 1
"""The counts of the five weakest strengths, which are 24 cards of the deck. The others are 24 too."""


def size_of(cards: int) -> int:
    """Returns the number of cards."""
    # Counts are digits to the base 32, so a number leaves by 31 what their sum leaves; and no half is above 24.
    return (cards & _HALF) % 31 + (cards >> _HALF_BITS) % 31


def count_of(cards: int, strength: int) -> int:
    """Returns the number of cards of a strength."""
    return cards >> COUNT_BITS * strength & COUNT_MASK


def is_cards(number: int) -> bool:
    """Returns whether a number is a set of cards of the deck."""
    return 0 <= number <= DECK and not number & GUARDS and has(DECK, number)


def has(cards: int, part: int) -> bool:
    """Returns whether some cards include a part."""
    return ((cards | GUARDS) - part) & GUARDS == GUARDS


def less(cards: int, part: int) -> int:
    """Returns the cards that are left without a part, not all of which they need to include."""
    rest = (cards | GUARDS) - part
    enough = rest & GUARDS
    return rest & (enough - (enough >> 4))


def cards_of(strengths: Iterable[int]) -> int:
    """Returns the cards of some strengths (0-10) in any order, with repeated ones.

    Raises `ValueError` for more cards of a strength than the deck has.
    """
    counts = [0] * STRENGTH_COUNT
    for strength in strengths:
        counts[strength] += 1
        if counts[strength] > COPIES_OF[strength]:
            raise ValueError(f"the deck has only {COPIES_OF[strength]} of strength {strength}")
    return sum([count * unit for count, unit in zip(counts, ONE, strict=True)])


def strengths_of(cards: int) -> list[int]:
    """Returns the strength of each card, weakest first."""
    strengths: list[int] = []
    for strength in range(TOP + 1):
        count = cards & COUNT_MASK
        cards >>= COUNT_BITS
        while count:
            strengths.append(strength)
            count -= 1
    return strengths


def mask_of(strengths: Iterable[int]) -> int:
    """Returns the mask of some strengths, in any order."""
    mask = 0
    for strength in strengths:
        mask |= 1 << strength
    return mask


def strengths_in(mask: int) -> list[int]:
    """Returns the strengths of a mask, weakest first."""
    return [strength for strength in range(STRENGTH_COUNT) if mask >> strength & 1]


def counts_of_strengths(mask: int) -> int:
    """Returns the bits of the counts of some strengths (a mask). And-ed with cards, they give the cards of these
    strengths.
    """
    return _COUNTS_OF[mask]


_COUNTS_OF: Final = tuple(
    sum([COUNT_MASK * unit for strength, unit in enumerate(ONE) if mask >> strength & 1])
    for mask in range(1 << STRENGTH_COUNT)
)
