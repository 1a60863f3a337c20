"""The legal moves of Houniek, in the rulebook's order: passing, then singles, runs and sets.

Singles are cached by the card, and sets by the cards of a kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, final

from fudaba_games.houniek.circle import (
    ALL_PLACES,
    BEATERS,
    PLACE_COUNT,
    PLACE_MASKS,
    PLACE_OF_BIT,
    WILD,
    places_in,
)
from fudaba_games.houniek.order import in_order, sortable
from fudaba_games.houniek.runs import Runs, stretches_to_follow, stretches_to_lead
from fudaba_games.houniek.state import HouniekState
from fudaba_games.houniek.values import PASS, HouniekMove, Lay
from fudaba_games.kamikisen.cards import DECK, DECK_SIZE, FIRSTS, HALF, HALF_BITS, places_of
from fudaba_games.kamikisen.choices import parts_of
from fudaba_games.kamikisen.melds import SET, SINGLE
from fudaba_games.lazy import LazySequence

Lays = tuple[Lay, ...]
Group = tuple[tuple[int, Lay], ...]
"""Sets of one kind, each after the number by which it is sorted."""

_MAX_LISTED_RUNS: Final = 256
"""The largest number of runs that are kept in one tuple. Longer lists of runs are made on request."""


# ---- singles -------------------------------------------------------------------------------------------------------


SINGLE_OF: Final = {1 << bit: Lay(SINGLE, 1 << bit, PLACE_OF_BIT[bit]) for bit in places_of(FIRSTS & ~WILD)}
"""The single of each card, by the bit of its first copy; a wild one is in `WILD_SINGLES`."""
WILD_SINGLES: Final = {
    1 << bit: tuple([Lay(SINGLE, 1 << bit, foot) for foot in range(PLACE_COUNT)]) for bit in places_of(FIRSTS & WILD)
}
"""For each wild card, its singles, by foot."""


def _singles(cards: int, feet: int) -> Lays:
    """Returns the singles of some cards whose foot is one of some places."""
    lays: list[Lay] = []
    firsts = cards & FIRSTS
    while firsts:
        card = firsts & -firsts
        firsts ^= card
        of_card = WILD_SINGLES[card] if card & WILD else (SINGLE_OF[card],)
        lays += [lay for lay in of_card if feet >> lay.foot & 1]
    return tuple(lays)


# ---- sets ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 14)
def _group(real: int, wild: int, foot: int) -> Group:
    """Returns every set of two or more cards of one kind, with and without wild ones."""
    wilds = parts_of(wild)
    sets = [part | some for part in parts_of(real) if part for some in wilds if (part | some).bit_count() > 1]
    return tuple(sorted([(in_order(sortable(cards), foot), Lay(SET, cards, foot)) for cards in sets]))


@lru_cache(maxsize=1 << 16)
def _group_to_follow(real: int, wild: int, foot: int, least: int, most: int, colours: int) -> Group:
    """Returns the sets of `_group` that have this many cards and share a colour."""
    return tuple(
        [
            ranked_lay
            for ranked_lay in _group(real, wild, foot)
            if least <= ranked_lay[1].cards.bit_count() <= most and ranked_lay[1].cards & colours
        ]
    )


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
    """Returns sets of several kinds in deck order, compared as lists."""
    if len(groups) == 1:
        return tuple([lay for _, lay in groups[0]])
    return tuple([lay for _, lay in sorted([ranked_lay for group in groups for ranked_lay in group])])


# ---- all of them ---------------------------------------------------------------------------------------------------


def singles(state: HouniekState, hand: int) -> Lays:
    """Returns the singles that a seat may lay now: to lead, or on a single, which has one colour."""
    if not state.form:
        return _singles(hand, ALL_PLACES)
    return _singles(hand & state.colours, BEATERS[state.foot]) if state.form == SINGLE else ()


def runs(state: HouniekState, hand: int) -> Runs:
    """Returns the runs that a seat may lay now."""
    some, wild = places_in(hand & HALF) | places_in(hand >> HALF_BITS), (hand & WILD).bit_count()
    if not state.form:
        return Runs(hand, stretches_to_lead(some, wild), DECK)
    return Runs(hand, stretches_to_follow(some, wild, state.form, state.size, state.foot), state.colours)


def sets(state: HouniekState, hand: int) -> Lays:
    """Returns the sets that a seat may lay now."""
    return _sets_to_follow(state, hand) if state.form else _sets_to_lead(hand)


def legal_moves(state: HouniekState, seat: int) -> Sequence[HouniekMove]:
    """Returns passing if another seat has laid, then singles, runs and sets."""
    hand = state.hands[seat]
    first: tuple[HouniekMove, ...] = ((PASS,) if state.form else ()) + singles(state, hand)
    middle = runs(state, hand)
    return (
        (*first, *middle, *sets(state, hand))
        if len(middle) <= _MAX_LISTED_RUNS
        else Many(first, middle, sets(state, hand))
    )


@final
class Many(LazySequence[HouniekMove]):
    """Moves, most of which are runs. The value is immutable."""

    __slots__ = ("_first", "_last", "_runs")

    def __init__(self, first: tuple[HouniekMove, ...], middle: Runs, last: Lays) -> None:
        self._first = first
        self._runs = middle
        self._last = last

    def __len__(self) -> int:
        return len(self._first) + len(self._runs) + len(self._last)

    def _at(self, place: int) -> HouniekMove:
        if place < len(self._first):
            return self._first[place]
        place -= len(self._first)
        return self._runs[place] if place < len(self._runs) else self._last[place - len(self._runs)]

    def __iter__(self) -> Iterator[HouniekMove]:
        yield from self._first
        yield from self._runs
        yield from self._last


def legal_kinds(state: HouniekState, seat: int) -> list[tuple[str, int]]:
    """Returns the kinds of the legal moves, with the number of each."""
    hand = state.hands[seat]
    counts = (
        ("pass", 1 if state.form else 0),
        ("single", len(singles(state, hand))),
        ("run", len(runs(state, hand))),
        ("set", len(sets(state, hand))),
    )
    return [count for count in counts if count[1]]
