"""Sums of numbers: whole hands for a zero-out, some cards for a counter (rules page, C8), and whether a set exists.

An ace is 1, a 10 is 10 or 1, and a joker is any number from 1 to 13.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.numbers_crush.cards import CARDS_AS, JOKERS, NUMBER_MASKS, NUMBER_OF, TENS, cards_of
from fudaba_games.numbers_crush.limits import Limits

_FIXED: Final = tuple((number, NUMBER_MASKS[number]) for number in range(1, 14) if number != 10)
MAX_NUMBER: Final = 13
"""The highest number, which is also the largest number of cards that can add up to one."""


def can_zero_out(hand: int, number: int) -> bool:
    """Returns whether a whole hand (a mask) adds up to the base's number (C8.2)."""
    if hand & TOO_HIGH[number] or not hand:
        return False
    jokers = (hand & JOKERS).bit_count()
    tens = (hand & TENS).bit_count()
    total = 0
    rest = hand & ~(JOKERS | TENS)
    while rest and total <= number:
        low = rest & -rest
        total += NUMBER_OF[low.bit_length() - 1]
        rest ^= low
    return adds_up(total, tens, jokers, number)


TOO_HIGH: Final = tuple([sum(CARDS_AS[higher] & ~TENS for higher in range(number + 1, 14)) for number in range(14)])
"""For each number, the cards that no hand that adds up to it contains."""


def adds_up(total: int, tens: int, jokers: int, number: int) -> bool:
    """Returns whether cards that count `total`, with this many 10s and jokers beside them, can add up to a number."""
    for _ in range(tens + 1):
        if total + tens + jokers <= number <= total + tens + MAX_NUMBER * jokers:
            return True
        total += 9
    return False


def can_make(cards: int, number: int) -> bool:
    """Returns whether some of the cards (a mask) add up to a number, one card alone included (C8.5)."""
    if cards & (NUMBER_MASKS[number] | JOKERS):
        return True
    sums = 1
    for value, mask in _FIXED:
        if value > number:
            break
        for _ in range((cards & mask).bit_count()):
            sums |= sums << value
    for _ in range((cards & TENS).bit_count()):
        sums |= sums << 1 | sums << 10
    return bool(sums >> number & 1)


def counter_cards(hand: int, number: int) -> int:
    """Returns the first cards of a hand that add up to a number: fewest first, then in deck order; 0 if none do
    (C8.6).
    """
    for size in range(1, MAX_NUMBER + 1):
        found = _first(cards_of(hand), 0, size, number)
        if found:
            return found
    return 0


def _first(cards: list[int], start: int, size: int, number: int) -> int:
    if not size:
        return 0
    for index in range(start, len(cards) - size + 1):
        bit = 1 << cards[index]
        for value in values_of(cards[index]):
            if size == 1 and value == number:
                return bit
            if size > 1 and value < number:
                rest = _first(cards, index + 1, size - 1, number - value)
                if rest:
                    return bit | rest
    return 0


def values_of(card: int) -> tuple[int, ...]:
    """Returns the numbers that a card may count as in a sum."""
    return _VALUES[card]


_VALUES: Final = tuple(
    tuple(range(1, 14)) if JOKERS >> card & 1 else (1, 10) if TENS >> card & 1 else (NUMBER_OF[card],)
    for card in range(54)
)


def can_set(limits: Limits, cards: int) -> bool:
    """Returns whether some of the cards (a mask) may be set."""
    if cards & limits.singles:
        return True
    addends = cards & limits.addends
    return addends & addends - 1 != 0 and can_make(addends, limits.target)
