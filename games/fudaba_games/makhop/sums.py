"""The sums of cards, and the sums that roads ask for (rules page `docs/rules/makhop.md`, MH2, MH4 and MH5).

Sets of cards are masks; see `fudaba_games.kamikisen.cards`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from fudaba_games.kamikisen.cards import CARD_OF_BIT, CARDS, KIND_MASKS, KIND_OF, VALUE_OF_KIND, cards_of
from fudaba_games.makhop.values import Road

VALUE_OF_CARD: Final = tuple(VALUE_OF_KIND[KIND_OF[card]] for card in range(CARDS))
"""The value of each card: 0-8; -1 for ship, king and emperor, which have none."""
VALUED: Final = sum(KIND_MASKS[kind] for kind in range(len(VALUE_OF_KIND)) if VALUE_OF_KIND[kind] >= 0)
"""The mask of the value cards."""
FREE: Final = -1
"""The demand of a road that a ship, king or emperor has started: any one value card."""


def sum_of(cards: int) -> int:
    """Returns the sum of the values of some value cards."""
    return sum([VALUE_OF_CARD[card] for card in cards_of(cards)])


def wanted(road: Road) -> int:
    """Returns what must be laid on a road: cards with this sum, or `FREE`."""
    return VALUE_OF_CARD[road[-1]]


def wanted_together(road: Road, other: Road) -> int:
    """Returns what must be laid to join two roads: cards with this sum, or `FREE` if they cannot be joined."""
    first_sum, two = wanted(road), wanted(other)
    return FREE if FREE in {first_sum, two} else first_sum + two


def sums_asked_for(values: Sequence[int]) -> tuple[int, int]:
    """Returns the sums that roads ask for, as two masks: those of single roads, and those of two roads together.

    `values` has the result of `wanted` for each road. A road that is `FREE` adds nothing to either mask.
    """
    single = pairs = 0
    for value in values:
        if value != FREE:
            pairs |= single << value
            single |= 1 << value
    return single, pairs


def laid_in_order(cards: int, end: int) -> Road:
    """Returns the cards in the order in which they are laid: deck order, with the new end last."""
    if not cards & cards - 1:
        return (end,)
    laid = cards_of(cards)
    if laid[-1] != end:
        laid.remove(end)
        laid.append(end)
    return tuple(laid)


@lru_cache(maxsize=1 << 16)
def totals_of(valued: int) -> int:
    """Returns the sums of all choices of one or more of some value cards, as a mask: bit `s` for the sum `s`."""
    totals = 0
    while valued:
        low = valued & -valued
        valued ^= low
        value = VALUE_OF_CARD[CARD_OF_BIT[low.bit_length() - 1]]
        totals |= (totals | 1) << value
    return totals
