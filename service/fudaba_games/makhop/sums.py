"""What cards add up to, and what roads ask for (rules page `docs/rules/makhop.md`, MH2, MH4 and MH5).

Cards in any number are masks, see `fudaba_games.kamikisen.cards`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.cards import CARD_OF_BIT, CARDS, KIND_MASKS, KIND_OF, VALUE_OF_KIND, cards_of
from fudaba_games.kamikisen.choices import bits_of
from fudaba_games.makhop.values import Road

VALUE_OF_CARD: Final = tuple(VALUE_OF_KIND[KIND_OF[card]] for card in range(CARDS))
"""By card: 0-8; -1 for ship, king and emperor, which have no value."""
VALUED: Final = sum(KIND_MASKS[kind] for kind in range(len(VALUE_OF_KIND)) if VALUE_OF_KIND[kind] >= 0)
"""The mask of the value cards."""
FREE: Final = -1
"""What a road asks for that a ship, king or emperor has started: any one value card."""


def sum_of(cards: int) -> int:
    """The sum of the values of some value cards."""
    return sum([VALUE_OF_CARD[card] for card in cards_of(cards)])


def wanted(road: Road) -> int:
    """What has to be laid on a road: cards with this sum, or `FREE`."""
    return VALUE_OF_CARD[road[-1]]


def wanted_together(road: Road, other: Road) -> int:
    """What has to be laid to join two roads: cards with this sum, or `FREE` where they can not be joined."""
    one, two = wanted(road), wanted(other)
    return FREE if FREE in {one, two} else one + two


@final
class Lays(NamedTuple):
    """Every choice of one or more of some value cards, each once, with its sum.

    A choice is a mask of indices of `bits`. The choices come in deck order, compared as lists.
    """

    bits: tuple[int, ...]
    """The cards, lowest first, as single bits of a mask of cards."""
    repeats: int
    """Which indices repeat the card before: such a card is chosen only together with that one."""
    choices: tuple[int, ...]
    totals: tuple[int, ...]
    """By place in `choices`: the sum."""

    def cards(self, choice: int) -> int:
        """The cards of a choice, as a mask of the deck."""
        bits, cards = self.bits, 0
        while choice:
            low = choice & -choice
            cards |= bits[low.bit_length() - 1]
            choice ^= low
        return cards

    def ends(self, choice: int) -> list[int]:
        """The different cards (0-23) of a choice, in deck order: each can be laid last."""
        rest, ends = choice & ~self.repeats, []
        while rest:
            low = rest & -rest
            ends.append(CARD_OF_BIT[self.bits[low.bit_length() - 1].bit_length() - 1])
            rest ^= low
        return ends


@lru_cache(maxsize=1 << 13)
def lays_of(valued: int) -> Lays:
    """What can be laid of some value cards, each choice with its sum."""
    bits, repeats = bits_of(valued)
    totals = [0]
    for bit in bits:
        value = VALUE_OF_CARD[CARD_OF_BIT[bit.bit_length() - 1]]
        totals += [total + value for total in totals]
    choices = _choices(len(bits), repeats)
    return Lays(bits, repeats, choices, tuple(map(totals.__getitem__, choices)))


@lru_cache(maxsize=1 << 10)
def _choices(size: int, repeats: int) -> tuple[int, ...]:
    """The choices of one or more of `size` cards, in the order of lists: after each come those that begin with it."""
    found: list[int] = []

    def grow(choice: int, last: int) -> None:
        for index in range(last + 1, size):
            if not repeats >> index & 1 or (index and index - 1 == last):
                found.append(choice | 1 << index)
                grow(choice | 1 << index, index)

    grow(0, -1)
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def totals_of(valued: int) -> int:
    """The sums of all choices of one or more of some value cards, as a mask: bit `s` for the sum `s`."""
    totals = 0
    while valued:
        low = valued & -valued
        valued ^= low
        value = VALUE_OF_CARD[CARD_OF_BIT[low.bit_length() - 1]]
        totals |= (totals | 1) << value
    return totals
