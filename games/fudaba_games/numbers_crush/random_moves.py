"""Draws random sets of Numbers Crush, by looking at the cards in random order, for random play (C4).

Every legal set can come up, but not with equal probability. Nothing is listed or counted: every set that is not a sum
begins with a card that fits alone, and sums are found from what the cards before each card can add up to.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import Chance
from fudaba_games.numbers_crush.cards import CARDS_AS, JOKER, JOKERS, NUMBER_OF, TEN, as_ace, cards_of, nth_card
from fudaba_games.numbers_crush.limits import ALL_SUITS_MASK, Limits
from fudaba_games.numbers_crush.sets import ANY_ORDER, arrangements, ways
from fudaba_games.numbers_crush.sums import values_of
from fudaba_games.numbers_crush.values import Set

_RUN_PROBABILITY: Final = 0.6
"""The probability that a run continues when it can."""


def random_card(cards: int, chance: Chance) -> int:
    """Returns one of some cards (a mask), each equally likely."""
    return nth_card(cards, int(chance.random() * cards.bit_count()))


def random_set(limits: Limits, cards: int, chance: Chance) -> Set:
    """Returns one of the sets that some cards (a mask) allow. There must be at least one."""
    singles, addends = cards & limits.singles, cards & limits.addends
    if addends & addends - 1 and (not singles or chance.random() < 0.5):
        added = _sum(limits, cards_of(addends), chance)
        if added is not None:
            return added
    card = random_card(singles, chance)
    number = NUMBER_OF[card]
    if card >= JOKER:
        place = int(chance.random() * (len(limits.joker_numbers) + limits.joker))
        if place == len(limits.joker_numbers):
            return Set((card,), (card,))
        number = limits.joker_numbers[place]
    elif number == TEN:
        number = 1 if chance.random() < 0.5 else TEN
        if not ways(limits, (card,), (number,))[0]:
            number = 1 + TEN - number
    several = _several(limits, card, number, cards & (limits.cards | JOKERS), chance)
    if several is not None:
        return several
    if card >= JOKER:
        way, suits = ways(limits, (card,), (number,))
        return _one_of(arrangements(limits, (card,), (number,), way, suits), chance)
    return _one_of(_ALONE[card] if number == NUMBER_OF[card] else _TENS_AS_ACES[card], chance)


_ALONE: Final = tuple([
    [Set((card,), (card,), suit) for suit in (range(4) if NUMBER_OF[card] == 9 else (-1,))] for card in range(JOKER)
])  # fmt: skip
_TENS_AS_ACES: Final = {card: [Set((card,), (as_ace(card),))] for card in range(JOKER) if NUMBER_OF[card] == TEN}


def _one_of(sets: list[Set], chance: Chance) -> Set:
    return sets[int(chance.random() * len(sets))] if len(sets) > 1 else sets[0]


def _laid(limits: Limits, meant: list[tuple[int, int]], chance: Chance, *, added: bool) -> Set | None:
    """Returns a set of cards that count as some numbers, which may be known to be a sum; None if they do not form a
    set.
    """
    meant.sort()
    cards, numbers = [card for card, _ in meant], [number for _, number in meant]
    if cards[-2] >= JOKER and numbers[-2] > numbers[-1]:
        numbers[-2:] = numbers[-1], numbers[-2]
    way, suits = (ANY_ORDER, ALL_SUITS_MASK) if added else ways(limits, cards, numbers)
    if not way:
        return None
    first = int(chance.random() * len(cards))
    for place in range(len(cards)):
        found = arrangements(limits, cards, numbers, way, suits, (first + place) % len(cards))
        if found:
            return _one_of(found, chance)
    return None


# ---- cards of one number, and runs ---------------------------------------------------------------------------------


def _several(limits: Limits, card: int, number: int, usable: int, chance: Chance) -> Set | None:
    """Returns a set of this card and others: of its number, or in a run. Returns None if the card is to be set
    alone.
    """
    rest = usable & ~(1 << card)
    alike = rest & (CARDS_AS[number] | JOKERS) if limits.suit >= 0 or limits.groups >> number & 1 else 0
    lane = _lane(limits, card, chance)
    near = rest & (lane & _NEXT_TO[number] | JOKERS) if lane else 0
    if not (alike or near):
        return None
    shape = int(chance.random() * (1 + (alike != 0) + (near != 0)))
    if not shape:
        return None
    meant = [(card, number)]
    if alike and shape == 1:
        others = cards_of(alike)
        some = 1 + int(chance.random() * ((1 << len(others)) - 1))
        meant += [(other, number) for place, other in enumerate(others) if some >> place & 1]
    else:
        rest = rest & (lane | JOKERS)
        for step in (1, -1) if chance.random() < 0.5 else (-1, 1):
            rest = _go_on(meant, number, step, rest, chance)
    return _laid(limits, meant, chance, added=False) if len(meant) > 1 else None


_NEXT_TO: Final = tuple(
    [sum(CARDS_AS[neighbour] for neighbour in (number - 1, number + 1) if 0 < neighbour < 14) for number in range(14)]
)
"""For each number, the cards that may come before or after it in a run."""


def _lane(limits: Limits, card: int, chance: Chance) -> int:
    """Returns the cards that a run with this card may have; 0 if there are no runs."""
    lanes = limits.lanes
    if card >= JOKER:
        return lanes[int(chance.random() * len(lanes))] if lanes else 0
    for lane in lanes:
        if lane >> card & 1:
            return lane
    return 0


def _go_on(meant: list[tuple[int, int]], number: int, step: int, rest: int, chance: Chance) -> int:
    """Adds cards of `rest` to one end of a run, and returns the cards that are left."""
    while 1 <= number + step <= 13:
        number += step
        fitting = rest & (CARDS_AS[number] | JOKERS)
        if not fitting or chance.random() >= _RUN_PROBABILITY:
            break
        card = random_card(fitting, chance)
        rest ^= 1 << card
        meant.append((card, number))
    return rest


# ---- sums ----------------------------------------------------------------------------------------------------------


def _sum(limits: Limits, cards: list[int], chance: Chance) -> Set | None:
    """Returns a set of some of these cards that is a sum; None if there is none.

    It takes or leaves each card, from the last one to the first, at random if both lead to the target.
    """
    target = left = limits.target
    before = _sums_before(cards, target)
    if not before.pop() >> target & 1:
        return None
    coins = chance.getrandbits(len(cards))
    meant: list[tuple[int, int]] = []
    while left:
        card, sums = cards.pop(), before.pop()
        leave = coins & 1
        coins >>= 1
        if leave and sums >> left & 1:
            continue
        number = NUMBER_OF[card]
        if card >= JOKER or number == TEN:
            values = [
                addend for addend in values_of(card) if addend <= left and addend < target and sums >> left - addend & 1
            ]
            number = values[int(chance.random() * len(values))] if values else 0
        elif number > left or not sums >> left - number & 1:
            continue
        if number:
            meant.append((card, number))
            left -= number
    return _laid(limits, meant, chance, added=True)


def _sums_before(cards: list[int], target: int) -> list[int]:
    """Returns, for each card, the sums that the cards before it can have, as a mask of numbers, and finally those of
    all cards.
    """
    sums = 1
    found = [sums]
    for card in cards:
        more = sums
        for value in values_of(card):
            if value < target:
                more |= sums << value
        sums = more & _NUMBERS_MASK
        found.append(sums)
    return found


_NUMBERS_MASK: Final = (1 << 14) - 1
"""The mask of the numbers that count, up to the highest."""
