"""Draws random moves of Mokkaik: one of the possible kinds, each equally likely, then a move of that kind.

The possible moves are computed from the hand's mask, and cards are drawn from it without listing moves.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final

from fudaba_games.game import Chance
from fudaba_games.kamikisen.cards import (
    BLACK,
    BLACK_SHIP,
    FIRSTS,
    KIND_MASKS,
    KING,
    NONE,
    RED,
    RED_SHIP,
    SHIPS,
    STRENGTH_MASKS,
    STRENGTH_OF_BIT,
    TOP,
)
from fudaba_games.kamikisen.melds import RUN, SET, SINGLE
from fudaba_games.kamikisen.random_cards import PLACE_BITS, UP_TO, doubled, random_card, random_part, random_set
from fudaba_games.mokkaik.moves import (
    DISCARD_AT,
    DISCARDS,
    SINGLES_AT,
    STRONGER,
    runs_to_follow,
    runs_to_lead,
    strengths_to_follow,
)
from fudaba_games.mokkaik.state import MokkaikState
from fudaba_games.mokkaik.values import Discard, Lay, MokkaikMove

_TOPS: Final = STRENGTH_MASKS[TOP]
_NONES: Final = KIND_MASKS[NONE] & FIRSTS
_SOLDIERS: Final = KIND_MASKS[NONE + 1] & FIRSTS
_OTHERS: Final = sum(KIND_MASKS[NONE + 2 : KING]) & FIRSTS
"""The first copies of bow to general: each value is two bits above the one before."""


def random_move(state: MokkaikState, seat: int, chance: Chance) -> MokkaikMove:
    """Returns a legal move of the seat to move."""
    hand, form = state.hands[seat], state.form
    if form == SINGLE:
        drawn = chance.getrandbits(PLACE_BITS)  # an odd number lays, if that is possible, an even one discards
        if drawn & 1:
            stronger = hand & STRONGER[state.reds][state.strength]
            if stronger:
                return _single(stronger, drawn, state.strength, chance)
        return DISCARD_AT[(hand & UP_TO[drawn] or hand).bit_length()]
    if not form:
        return _lead(hand, chance)
    if chance.getrandbits(1):
        lay = _follow(hand, state, chance)
        if lay is not None:
            return lay
    cards = random_part(hand, state.size, chance)
    return DISCARDS.get(cards) or Discard(cards)


def _single(cards: int, place: int, above: int, chance: Chance) -> Lay:
    """Returns a single of one of some cards, the last one up to a place; for a ship, something stronger than
    `above`.
    """
    singles = SINGLES_AT[(cards & UP_TO[place] or cards).bit_length()]
    return singles[0] if len(singles) == 1 else singles[above + 1 + int(chance.random() * (TOP - above))]


def _lead(hand: int, chance: Chance) -> Lay:
    """Returns a single, a set or a run: the first in random order that exists, so each is equally likely."""
    for form in _ORDERS[int(chance.random() * len(_ORDERS))]:
        if form == SET:
            in_sets = _in_sets(hand)
            if in_sets:
                return _set_to_lead(hand, in_sets, chance)
        elif form == RUN and _has_run(hand):
            runs = runs_to_lead(hand)
            return runs[int(chance.random() * len(runs))]
        elif form == SINGLE:
            break
    return _single(hand, chance.getrandbits(PLACE_BITS), -1, chance)


_ORDERS: Final = tuple(permutations((SINGLE, SET, RUN)))


def _in_sets(hand: int) -> int:
    """Returns the cards that form sets with others of the hand, so that every set has at least one of them; 0 if there
    is no set.
    """
    ships = hand & SHIPS
    if ships:
        return hand ^ ships  # a ship goes with every other card
    tops = hand & _TOPS
    return doubled(hand) | tops if tops & tops - 1 else doubled(hand)


def _set_to_lead(hand: int, in_sets: int, chance: Chance) -> Lay:
    """Returns a set of one of the cards that are in sets, and any number of those that go with it."""
    card = random_card(in_sets, chance)
    strength = STRENGTH_OF_BIT[card.bit_length() - 1]
    others = hand & (STRENGTH_MASKS[strength] | SHIPS) ^ card
    return Lay(SET, random_set(card, others, chance), strength)


def _has_run(hand: int) -> bool:
    """Returns whether a colour has three consecutive values, or two of three and its ship."""
    row = hand & _OTHERS | (hand & _SOLDIERS) << 2 | (hand & _NONES) << 3  # now each value is two bits above another
    both = row >> 2 & row
    if both & both >> 2:
        return True
    if not hand & SHIPS:
        return False
    gapped = both | row >> 4 & row
    return bool((gapped & RED if hand & RED_SHIP else 0) | (gapped & BLACK if hand & BLACK_SHIP else 0))


def _follow(hand: int, state: MokkaikState, chance: Chance) -> Lay | None:
    """Returns a set or a run that beats another one; None if there is none."""
    size, reds = state.size, state.reds
    if state.form == RUN:
        runs = runs_to_follow(hand, size, reds, state.strength)
        return runs[int(chance.random() * len(runs))] if runs else None
    possible = strengths_to_follow(hand, size, reds, state.strength)
    if not possible:
        return None
    strength = STRENGTH_OF_BIT[random_card(possible, chance).bit_length() - 1]
    real = hand & STRENGTH_MASKS[strength]
    able = real | hand & SHIPS
    cards = random_part(able & RED, reds, chance) | random_part(able & BLACK, size - reds, chance)
    if cards == SHIPS:  # no set: one ship stays, a card of its colour goes in its place
        card = random_card(real & FIRSTS, chance)
        cards = card | (BLACK_SHIP if card & RED else RED_SHIP)
    return Lay(SET, cards, strength)
