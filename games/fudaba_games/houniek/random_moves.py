"""Draws random moves of Houniek: one of the possible kinds, each equally likely, then a move of that kind.

It tries the kinds in random order and takes the first that has a move. Since a seat that follows can always pass, it
need not search half of the possible moves. It draws cards from the hand and lists no moves.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final

from fudaba_games.game import Chance
from fudaba_games.houniek.circle import (
    BEATERS,
    KIND_AT,
    PLACE_COUNT,
    PLACE_MASKS,
    PLACE_OF_BIT,
    STRETCHES,
    WILD,
    places_in,
    stretch_of,
)
from fudaba_games.houniek.moves import SINGLE_OF, WILD_SINGLES, runs
from fudaba_games.houniek.runs import Possible, possible
from fudaba_games.houniek.state import HouniekState
from fudaba_games.houniek.values import PASS, HouniekMove, Lay
from fudaba_games.kamikisen.cards import BIT_OF, DECK, FIRSTS, HALF, HALF_BITS, RED, settled
from fudaba_games.kamikisen.melds import RUN, SET, SINGLE
from fudaba_games.kamikisen.random_cards import doubled, random_card, random_part, random_set

_PASS_KIND: Final = 0
_TO_LEAD: Final = tuple(permutations((SINGLE, RUN, SET)))
_TO_FOLLOW: Final = tuple(permutations((_PASS_KIND, RUN, SET)))
_TO_FOLLOW_A_SINGLE: Final = tuple(permutations((_PASS_KIND, SINGLE, RUN, SET)))
"""The kinds that can follow a single, in every order."""
_BEATING: Final = tuple(
    FIRSTS & (WILD | sum([mask for place, mask in enumerate(PLACE_MASKS) if beaters >> place & 1]))
    for beaters in BEATERS
)
"""For each foot, the first copies of the cards that can be a single that beats it."""
_FEET: Final = tuple(tuple([foot for foot in range(PLACE_COUNT) if beaters >> foot & 1]) for beaters in BEATERS)
"""For each foot, the feet that beat it."""


def _firsts_at() -> tuple[int, ...]:
    firsts = [0]
    for kind in KIND_AT:
        firsts += [cards | 1 << BIT_OF[kind] for cards in firsts]
    return tuple(firsts)


_FIRSTS_AT: Final = _firsts_at()
"""For each mask of places, the mask of a red card at each of them."""
_MAX_TRIES: Final = 8
"""The number of runs that are drawn before the runs with a wanted colour are counted."""


def random_lead(hand: int, chance: Chance) -> Lay:
    """Returns a meld to lead."""
    for kind in _TO_LEAD[int(chance.random() * len(_TO_LEAD))]:
        if kind == SET:
            in_sets = _in_sets(hand)
            if in_sets:
                return _set_to_lead(hand, in_sets, chance)
        elif kind == SINGLE:
            break
        else:
            run = _run_to_lead(hand, chance)
            if run is not None:
                return run
    card = random_card(hand & FIRSTS, chance)
    return WILD_SINGLES[card][int(chance.random() * PLACE_COUNT)] if card & WILD else SINGLE_OF[card]


def random_answer(state: HouniekState, hand: int, chance: Chance) -> HouniekMove:
    """Returns a pass, or a meld on the newest one."""
    orders = _TO_FOLLOW_A_SINGLE if state.form == SINGLE else _TO_FOLLOW
    kinds = orders[int(chance.random() * len(orders))]
    if kinds[0] == _PASS_KIND or not hand & state.colours:
        return PASS
    for kind in kinds:
        if kind == _PASS_KIND:
            break
        if kind == SINGLE:
            lay = _single_to_follow(state, hand, chance)
        elif kind == RUN:
            lay = _run_to_follow(state, hand, chance)
        else:
            lay = _set_to_follow(state, hand, chance)
        if lay is not None:
            return lay
    return PASS


def _single_to_follow(state: HouniekState, hand: int, chance: Chance) -> Lay | None:
    """Returns a single on a single, which has one colour."""
    stronger = hand & state.colours & _BEATING[state.foot]
    if not stronger:
        return None
    card = random_card(stronger, chance)
    if not card & WILD:
        return SINGLE_OF[card]
    feet = _FEET[state.foot]
    return WILD_SINGLES[card][feet[int(chance.random() * len(feet))]]


# ---- sets ----------------------------------------------------------------------------------------------------------


def _in_sets(hand: int) -> int:
    """Returns cards, none of them wild, at least one of which is in every set of a hand; 0 if there is no set."""
    wild = hand & WILD
    return hand ^ wild if wild else doubled(hand)


def _set_to_lead(hand: int, in_sets: int, chance: Chance) -> Lay:
    """Returns a set of one of the cards that are in sets, and any number of those that go with it."""
    card = random_card(in_sets, chance)
    foot = PLACE_OF_BIT[card.bit_length() - 1]
    others = hand & (PLACE_MASKS[foot] | WILD) ^ card
    return Lay(SET, random_set(card, others, chance), foot)


def _set_to_follow(state: HouniekState, hand: int, chance: Chance) -> Lay | None:
    """Returns a set on a set, or a set of more cards on any meld with the same foot."""
    size, colours, foot = state.size, state.colours, state.foot
    wild = hand & WILD
    wilds = wild.bit_count()
    feet: list[int] = []
    real = hand & PLACE_MASKS[foot]
    most = real.bit_count() + wilds
    if real and most > size and (real | wild) & colours:
        feet.append(foot)
    if state.form == SET:
        for beater in _FEET[foot]:
            other = hand & PLACE_MASKS[beater]
            if other and other.bit_count() + wilds >= size and (other | wild) & colours:
                feet.append(beater)
    if not feet:
        return None
    drawn = feet[int(chance.random() * len(feet))]
    if drawn == foot:
        size += 1 + int(chance.random() * (most - size))
    else:
        real = hand & PLACE_MASKS[drawn]
    cards = random_card((real | wild) & colours, chance)  # it has the colour
    if cards & WILD:
        cards |= random_card(real, chance)  # not all can be wild
    return Lay(SET, settled(cards | random_part((real | wild) ^ cards, size - cards.bit_count(), chance)), drawn)


# ---- runs ----------------------------------------------------------------------------------------------------------


def _run_to_lead(hand: int, chance: Chance) -> Lay | None:
    """Returns a run of any size."""
    reds, blacks, wild = places_in(hand & HALF), places_in(hand >> HALF_BITS), hand & WILD
    found = possible(reds | blacks, wild.bit_count())
    if not found.feet[2]:
        return None
    feet = [foot for foot, size in enumerate(found.longest) if size]
    foot = feet[int(chance.random() * len(feet))]
    sizes = _sizes(found, foot, 2)
    return Lay(RUN, _run(reds, blacks, wild, foot, sizes[int(chance.random() * len(sizes))], chance), foot)


def _sizes(found: Possible, foot: int, least: int) -> list[int]:
    """Returns the sizes, from a minimum on, of the runs that begin at a foot."""
    return [size for size in range(least, found.longest[foot] + 1) if found.feet[size] >> foot & 1]


def _run_to_follow(state: HouniekState, hand: int, chance: Chance) -> Lay | None:
    """Returns a run on a run, or a run of more cards on any meld with the same foot."""
    size, colours, foot = state.size, state.colours, state.foot
    reds, blacks, wild = places_in(hand & HALF), places_in(hand >> HALF_BITS), hand & WILD
    found = possible(reds | blacks, wild.bit_count())
    stretches = [(foot, more) for more in _sizes(found, foot, size + 1)] if found.longest[foot] > size else []
    stronger = found.feet[size] & BEATERS[foot] if state.form == RUN else 0
    if stronger:
        stretches += [(beater, size) for beater in _FEET[foot] if stronger >> beater & 1]
    if not stretches:
        return None
    if colours != DECK and not wild & colours:  # a wild card of the colour could be in any of them
        places = reds if colours == RED else blacks
        stretches = [stretch for stretch in stretches if STRETCHES[stretch_of(stretch[0], stretch[1])] & places]
        if not stretches:
            return None
    for _ in range(_MAX_TRIES):
        foot, size = stretches[int(chance.random() * len(stretches))]
        cards = _run(reds, blacks, wild, foot, size, chance)
        if cards & colours:
            return Lay(RUN, cards, foot)
    counted = runs(state, hand)
    return counted[int(chance.random() * len(counted))]


def _run(reds: int, blacks: int, wild: int, foot: int, size: int, chance: Chance) -> int:
    """Returns cards for a run, from places that have red and black cards and from wild cards. There must be such a
    run.
    """
    real = STRETCHES[stretch_of(foot, size)] & (reds | blacks)
    wilds = size - real.bit_count()
    spare = wild.bit_count() - wilds
    if spare:
        for _ in range(int(chance.random() * (1 + min(spare, size - wilds - 1)))):
            real ^= _random_place(real, chance)
            wilds += 1
    red = real & reds & (chance.getrandbits(PLACE_COUNT) | ~blacks)  # where there are both, either
    cards = _FIRSTS_AT[red] | _FIRSTS_AT[real ^ red] << HALF_BITS
    return cards | random_part(wild, wilds, chance) if wilds else cards


def _random_place(places: int, chance: Chance) -> int:
    """Returns one of some places, as a mask."""
    start = int(chance.random() * PLACE_COUNT)
    some = places >> start << start or places
    return some & -some
