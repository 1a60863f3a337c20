"""The legal moves of Houniek, in the rulebook's order: passing, then singles, runs and sets.

What depends on few cards is kept once made: singles by the different cards of a colour, sets by the cards of a kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, final, overload

from fudaba_games.game import Chance
from fudaba_games.houniek.circle import (
    ALL_PLACES,
    BEATERS,
    PLACE_MASKS,
    PLACE_OF_BIT,
    PLACES,
    STRETCHES,
    WILD,
    places_in,
)
from fudaba_games.houniek.order import in_order, sortable
from fudaba_games.houniek.runs import Runs, possible, stretches_to_follow, stretches_to_lead
from fudaba_games.houniek.state import HouniekState
from fudaba_games.houniek.values import HouniekMove, Lay, Pass
from fudaba_games.kamikisen.cards import BIT_OF, DECK, DECK_SIZE, FIRSTS, HALF, HALF_BITS, INNER, NONE, RED, places_of
from fudaba_games.kamikisen.choices import parts_of
from fudaba_games.kamikisen.melds import RUN, SET, SINGLE

Lays = tuple[Lay, ...]
Group = tuple[tuple[int, Lay], ...]
"""Sets of one kind, each after the number by which it is sorted."""

PASS: Final = Pass()
_HALF_FIRSTS: Final = FIRSTS & HALF
_WILD_BIT: Final = BIT_OF[NONE]
_FEW: Final = 256
"""So many moves are one tuple; more runs than that are made when they are asked for."""


# ---- singles -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def _singles(firsts: int, shift: int, feet: int) -> Lays:
    """Singles of a colour, of the first copies in it, whose foot is one of some places."""
    lays: list[Lay] = []
    for bit in places_of(firsts):
        own = ALL_PLACES if bit == _WILD_BIT else 1 << PLACE_OF_BIT[bit]
        lays.extend([Lay(SINGLE, 1 << bit + shift, foot) for foot in range(PLACES) if own & feet & 1 << foot])
    return tuple(lays)


def _singles_to_lead(hand: int) -> Lays:
    return _singles(hand & _HALF_FIRSTS, 0, ALL_PLACES) + _singles(
        hand >> HALF_BITS & _HALF_FIRSTS, HALF_BITS, ALL_PLACES
    )


def _singles_to_follow(hand: int, foot: int, colours: int) -> Lays:
    """On a single, which has one colour."""
    if colours == RED:
        return _singles(hand & _HALF_FIRSTS, 0, BEATERS[foot])
    return _singles(hand >> HALF_BITS & _HALF_FIRSTS, HALF_BITS, BEATERS[foot])


# ---- sets ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 14)
def _group(real: int, wild: int, foot: int) -> Group:
    """Every set of two or more cards of one kind, with and without wild ones."""
    wilds = parts_of(wild)
    sets = [part | some for part in parts_of(real) if part for some in wilds if (part | some).bit_count() > 1]
    return tuple(sorted([(in_order(sortable(cards), foot), Lay(SET, cards, foot)) for cards in sets]))


@lru_cache(maxsize=1 << 16)
def _group_to_follow(real: int, wild: int, foot: int, least: int, most: int, colours: int) -> Group:
    """Those of them that have so many cards, and share a colour."""
    return tuple([
        one for one in _group(real, wild, foot) if least <= one[1].cards.bit_count() <= most and one[1].cards & colours
    ])  # fmt: skip


def _sets_to_lead(hand: int) -> Lays:
    wild = hand & WILD
    least = 1 if wild else 2
    return _together([
        _group(real, wild, foot)
        for foot, mask in enumerate(PLACE_MASKS)
        if (real := hand & mask) and real.bit_count() >= least
    ])  # fmt: skip


def _sets_to_follow(state: HouniekState, hand: int) -> Lays:
    wild, size, colours = hand & WILD, state.size, state.colours
    wilds = wild.bit_count()
    groups: list[Group] = []
    real = hand & PLACE_MASKS[state.foot]
    if real and real.bit_count() + wilds > size:
        groups.append(_group_to_follow(real, wild, state.foot, size + 1, DECK_SIZE, colours))
    if state.form == SET:
        feet = BEATERS[state.foot]
        for foot, mask in enumerate(PLACE_MASKS):
            if feet >> foot & 1 and (real := hand & mask) and real.bit_count() + wilds >= size:
                groups.append(_group_to_follow(real, wild, foot, size, size, colours))
    return _together(groups)


def _together(groups: list[Group]) -> Lays:
    """Sets of several kinds in deck order, compared as lists."""
    if len(groups) == 1:
        return tuple([lay for _, lay in groups[0]])
    return tuple([lay for _, lay in sorted([one for group in groups for one in group])])


# ---- all of them ---------------------------------------------------------------------------------------------------


def singles(state: HouniekState, hand: int) -> Lays:
    """The singles that may be laid now."""
    if not state.form:
        return _singles_to_lead(hand)
    return _singles_to_follow(hand, state.foot, state.colours) if state.form == SINGLE else ()


def runs(state: HouniekState, hand: int) -> Runs:
    """The runs that may be laid now."""
    some, wild = places_in(hand & HALF) | places_in(hand >> HALF_BITS), (hand & WILD).bit_count()
    if not state.form:
        return Runs(hand, stretches_to_lead(some, wild), DECK)
    return Runs(hand, stretches_to_follow(some, wild, state.form, state.size, state.foot), state.colours)


def sets(state: HouniekState, hand: int) -> Lays:
    """The sets that may be laid now."""
    return _sets_to_follow(state, hand) if state.form else _sets_to_lead(hand)


def legal_moves(state: HouniekState, seat: int) -> Sequence[HouniekMove]:
    """Passing where another seat has laid, then singles, runs and sets."""
    hand = state.hands[seat]
    first: tuple[HouniekMove, ...] = ((PASS,) if state.form else ()) + singles(state, hand)
    middle = runs(state, hand)
    return (*first, *middle, *sets(state, hand)) if len(middle) <= _FEW else Many(first, middle, sets(state, hand))


@final
class Many(Sequence[HouniekMove]):
    """Moves of which most are runs. An immutable value."""

    __slots__ = ("_first", "_last", "_runs")

    def __init__(self, first: tuple[HouniekMove, ...], middle: Runs, last: Lays) -> None:
        self._first = first
        self._runs = middle
        self._last = last

    def __len__(self) -> int:
        return len(self._first) + len(self._runs) + len(self._last)

    @overload
    def __getitem__(self, index: int) -> HouniekMove: ...
    @overload
    def __getitem__(self, index: slice) -> list[HouniekMove]: ...
    def __getitem__(self, index: int | slice) -> HouniekMove | list[HouniekMove]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        place = range(len(self))[index]
        if place < len(self._first):
            return self._first[place]
        place -= len(self._first)
        return self._runs[place] if place < len(self._runs) else self._last[place - len(self._runs)]

    def __iter__(self) -> Iterator[HouniekMove]:
        yield from self._first
        yield from self._runs
        yield from self._last


def legal_kinds(state: HouniekState, seat: int) -> list[tuple[str, int]]:
    """The kinds of the legal moves, with how many there are of each."""
    hand = state.hands[seat]
    counts = (
        ("pass", 1 if state.form else 0),
        ("single", len(singles(state, hand))),
        ("run", len(runs(state, hand))),
        ("set", len(sets(state, hand))),
    )
    return [count for count in counts if count[1]]


# ---- one of them ---------------------------------------------------------------------------------------------------


def random_move(state: HouniekState, seat: int, chance: Chance) -> HouniekMove:
    """A legal move: its kind is drawn first, then one of the moves of that kind. Only that kind is worked out."""
    hand, form = state.hands[seat], state.form
    reds, blacks, wilds = places_in(hand & HALF), places_in(hand >> HALF_BITS), (hand & WILD).bit_count()
    if form:
        kinds = _kinds_to_follow(state, hand, reds, blacks, wilds)
    else:
        kinds = [SINGLE]
        if possible(reds | blacks, wilds).feet[2]:
            kinds.append(RUN)
        if reds | blacks if wilds else reds & blacks or hand & INNER:
            kinds.append(SET)
    kind = kinds[int(chance.random() * len(kinds))] if len(kinds) > 1 else kinds[0]
    if kind == _PASS_KIND:
        chance.random()  # which of the one
        return PASS
    some = singles(state, hand) if kind == SINGLE else runs(state, hand) if kind == RUN else sets(state, hand)
    return some[int(chance.random() * len(some))]


_PASS_KIND: Final = 0


def _kinds_to_follow(state: HouniekState, hand: int, reds: int, blacks: int, wilds: int) -> list[int]:
    """The kinds of move that a seat has that follows."""
    kinds = [_PASS_KIND]
    colours = state.colours
    if not hand & colours:
        return kinds
    form, size, foot = state.form, state.size, state.foot
    if form == SINGLE and _singles_to_follow(hand, foot, colours):
        kinds.append(SINGLE)
    feet, longest = possible(reds | blacks, wilds)
    stronger = feet[size] & BEATERS[foot] if form == RUN else 0
    if (stronger or longest[foot] > size) and (
        colours == DECK
        or hand & WILD & colours  # a wild card can be in any run of two or more
        or _has_colour(stronger, size, foot, longest[foot], reds if colours == RED else blacks)
    ):
        kinds.append(RUN)
    if _has_set(state, hand, reds | blacks, wilds):
        kinds.append(SET)
    return kinds


def _has_colour(stronger: int, size: int, foot: int, longest: int, places: int) -> bool:
    """Whether a run of a size from some feet (a mask), or the longest of another foot, has one of some places."""
    if longest > size and STRETCHES[12 * foot + longest] & places:
        return True
    return any(stronger >> one & 1 and STRETCHES[12 * one + size] & places for one in range(PLACES))


def _has_set(state: HouniekState, hand: int, places: int, wilds: int) -> bool:
    """Whether there is a set to follow with. `places`: those of which the hand has a card."""
    size, foot = state.size, state.foot
    wild = hand & WILD
    colours = state.colours
    real = hand & PLACE_MASKS[foot]
    if real and real.bit_count() + wilds > size and (real | wild) & colours:
        return True
    if state.form != SET:
        return False
    places &= BEATERS[foot]
    while places:
        low = places & -places
        places ^= low
        real = hand & PLACE_MASKS[low.bit_length() - 1]
        if real.bit_count() + wilds >= size and (real | wild) & colours:
            return True
    return False
