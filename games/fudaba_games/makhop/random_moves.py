"""Draws random moves of Makhop: one of the possible kinds, each equally likely, then a move of that kind.

It tries the kinds in random order and takes the first that has a move. Since a seat can always open, it need not search
half of the possible moves. It draws cards with a sum one by one and lists no moves.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final

from fudaba_games.game import Chance
from fudaba_games.kamikisen.cards import CARD_OF_BIT, DECK_SIZE, FIRSTS, KIND_MASKS, NONE, settled
from fudaba_games.kamikisen.random_cards import random_card
from fudaba_games.makhop.moves import CLEAR_OF, UNVALUED
from fudaba_games.makhop.sums import FREE, VALUE_OF_CARD, VALUED, sums_asked_for, totals_of
from fudaba_games.makhop.values import OPEN, Extend, Join, MakhopMove, Road

_OPEN_KIND: Final = 0
_EXTEND_KIND: Final = 1
_JOIN_KIND: Final = 2
_CLEAR_KIND: Final = 3
_ORDERS: Final = tuple(permutations((_OPEN_KIND, _EXTEND_KIND, _JOIN_KIND, _CLEAR_KIND)))
"""The kinds in every order."""
_NONES: Final = KIND_MASKS[NONE]
_VALUE_OF_BIT: Final = tuple(VALUE_OF_CARD[card] for card in CARD_OF_BIT)
"""For each bit of a mask, the value of its card."""


def random_move(hand: int, roads: tuple[Road, ...], chance: Chance) -> MakhopMove:
    """Returns a legal move of a seat with this hand."""
    for kind in _ORDERS[int(chance.random() * len(_ORDERS))]:
        if kind == _OPEN_KIND:
            break
        if kind == _CLEAR_KIND:
            unvalued = hand & UNVALUED
            move: MakhopMove | None = CLEAR_OF[random_card(unvalued, chance)] if unvalued else None
        elif not hand & VALUED:
            continue
        else:
            move = _extend(hand, roads, chance) if kind == _EXTEND_KIND else _join(hand, roads, chance)
        if move is not None:
            return move
    return OPEN


def _extend(hand: int, roads: tuple[Road, ...], chance: Chance) -> MakhopMove | None:
    """Returns a move that lays cards on the first road, from a random one on, that can be extended."""
    valued = hand & VALUED
    totals = totals_of(valued)
    number = int(chance.random() * len(roads))
    for _ in roads:
        asked = VALUE_OF_CARD[roads[number][-1]]
        if asked == FREE:
            card = random_card(valued & FIRSTS, chance)
            return Extend(number, card, CARD_OF_BIT[card.bit_length() - 1])
        if totals >> asked & 1:
            cards = _with_sum(valued, asked, chance)
            return Extend(number, cards, _end(cards, chance))
        number = number + 1 if number + 1 < len(roads) else 0
    return None


def _join(hand: int, roads: tuple[Road, ...], chance: Chance) -> MakhopMove | None:
    """Returns a move that joins the first road, from a random one on, that can be joined, with a random other one."""
    valued = hand & VALUED
    totals = totals_of(valued)
    values = [VALUE_OF_CARD[road[-1]] for road in roads]
    if not totals & sums_asked_for(values)[1]:
        return None
    number = int(chance.random() * len(roads))
    for _ in roads:
        value = values[number]
        if value != FREE:
            others = [
                other
                for other, more in enumerate(values)
                if more != FREE and totals >> value + more & 1 and other != number
            ]
            if others:
                other = others[int(chance.random() * len(others))]
                cards = _with_sum(valued, value + values[other], chance)
                return Join(min(number, other), max(number, other), cards, _end(cards, chance))
        number = number + 1 if number + 1 < len(roads) else 0
    raise AssertionError("two roads ask for a sum that the hand has")


def _with_sum(valued: int, total: int, chance: Chance) -> int:
    """Returns some value cards of this sum. There must be such cards."""
    if not total:
        nones = valued & _NONES
        return settled(nones & chance.getrandbits(DECK_SIZE) or nones & -nones)
    bits: list[int] = []
    sums = [1]  # by number of cards: the sums that so many of them can have, as a mask; without any of them only 0
    rest = valued
    while rest:
        low = rest & -rest
        rest ^= low
        bits.append(low)
        reached = sums[-1]
        sums.append(reached | reached << _VALUE_OF_BIT[low.bit_length() - 1])
    drawn = chance.getrandbits(len(bits))
    cards = 0
    for index in range(len(bits) - 1, -1, -1):
        # Taken or left by chance, where the cards before it can make up for both.
        value = _VALUE_OF_BIT[bits[index].bit_length() - 1]
        if value <= total and sums[index] >> total - value & 1 and (drawn >> index & 1 or not sums[index] >> total & 1):
            cards |= bits[index]
            total -= value
    return settled(cards)


def _end(cards: int, chance: Chance) -> int:
    """Returns the card that is laid last."""
    return CARD_OF_BIT[random_card(cards, chance).bit_length() - 1]
