"""The legal moves of Mokkaik, in the rulebook's order: singles, sets and runs, then what can be discarded.

A hand is a mask. What depends on few cards is kept once made: singles by the different cards of a colour, runs by the
values in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, final, overload

from fudaba_games.game import Chance
from fudaba_games.kamikisen.cards import (
    BIT_OF,
    COPIES,
    DECK_SIZE,
    FIRSTS,
    HALF,
    HALF_BITS,
    INNER,
    KING,
    RED,
    RED_SHIP,
    SHIPS,
    STRENGTH_MASKS,
    STRENGTH_OF_BIT,
    STRENGTHS,
    TOP,
    places_of,
)
from fudaba_games.kamikisen.choices import bits_of, picks
from fudaba_games.kamikisen.melds import RUN, RUN_CARDS, SET, SINGLE, runs_in, sets_in
from fudaba_games.mokkaik.values import Discard, Lay, MokkaikMove

Lays = tuple[Lay, ...]

_HALF_FIRSTS: Final = FIRSTS & HALF
_TOP_BIT: Final = BIT_OF[KING]
_STRONGER: Final = tuple(
    sum([1 << bit for bit in range(HALF_BITS) if STRENGTH_OF_BIT[bit] > strength]) & _HALF_FIRSTS | RED_SHIP
    for strength in range(STRENGTHS)
)
"""By strength: the first copies, in a colour, of what can beat a single of it; the ship always."""
_WITH_COPIES: Final = tuple(
    sum([1 << BIT_OF[kind] for kind in range(1, KING) if COPIES[kind] >= count]) for count in range(5)
)
"""By a number: the first copies, in a colour, of the kinds below king that have so many."""
_ABOVE: Final = tuple(
    sum([1 << BIT_OF[kind] for kind in range(max(1, strength + 1), KING + 1)]) for strength in range(-1, STRENGTHS)
)
"""By strength, shifted by one: a bit, that of the first copy in a colour, for every greater strength; the top is the
king's."""


# ---- singles -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def _singles(firsts: int, shift: int, above: int) -> Lays:
    """Singles of a colour, of the first copies in it; a ship as everything that is stronger than `above`."""
    lays: list[Lay] = []
    for bit in places_of(firsts):
        cards = 1 << bit + shift
        if bit:
            lays.append(Lay(SINGLE, cards, STRENGTH_OF_BIT[bit]))
        else:
            lays.extend([Lay(SINGLE, cards, strength) for strength in range(above + 1, STRENGTHS)])
    return tuple(lays)


def singles_to_lead(hand: int) -> Lays:
    """Every single of a hand."""
    return _singles(hand & _HALF_FIRSTS, 0, -1) + _singles(hand >> HALF_BITS & _HALF_FIRSTS, HALF_BITS, -1)


# ---- sets ----------------------------------------------------------------------------------------------------------


_CARDS: Final = (1 << DECK_SIZE) - 1


@lru_cache(maxsize=1 << 14)
def _ranked(of_strength: int, ships: int, strength: int) -> tuple[int, ...]:
    """Sets of a strength as numbers that sort in deck order, compared as lists; the lowest 48 bits are the cards."""
    ranked: list[int] = []
    for cards in sets_in(of_strength | ships, strength):
        rank = 0
        for place in places_of(cards):
            rank = rank << 6 | place + 1
        rank <<= 6 * (_LONGEST - cards.bit_count())
        ranked.append(rank << DECK_SIZE + 4 | strength << DECK_SIZE | cards)
    return tuple(ranked)


_LONGEST: Final = 10
"""The longest set: all soldiers and both ships."""


def _set_of(ranked: int) -> Lay:
    return Lay(SET, ranked & _CARDS, ranked >> DECK_SIZE & 15)


def _ranked_sets(hand: int) -> list[int]:
    """Every set of a hand, in order, as `_ranked` has them."""
    ships = hand & SHIPS
    least = 1 if ships else 2
    found: list[int] = []
    for strength in range(1, STRENGTHS):
        of_strength = hand & STRENGTH_MASKS[strength]
        if of_strength.bit_count() >= least:
            found += _ranked(of_strength, ships, strength)
    found.sort()
    return found


def has_set(hand: int) -> bool:
    """Whether a hand has a set."""
    if hand & INNER or hand & hand >> HALF_BITS & _HALF_FIRSTS & ~1:
        return True
    return (hand & STRENGTH_MASKS[TOP]).bit_count() > 1 or bool(hand & SHIPS and hand & ~SHIPS)


def sets_to_lead(hand: int) -> Lays:
    """Every set of a hand."""
    return tuple([_set_of(ranked) for ranked in _ranked_sets(hand)])


@lru_cache(maxsize=1 << 15)
def _strengths_with(half: int, count: int) -> int:
    """The strengths, as in `_ABOVE`, of which a colour has so many cards, its ship among them."""
    ship = half & 1
    if count <= ship:
        return _ABOVE[0]
    count -= ship
    enough = half >> count - 1 & _WITH_COPIES[count] if count < len(_WITH_COPIES) else 0
    return enough | 1 << _TOP_BIT if (half >> _TOP_BIT).bit_count() >= count else enough


def sets_to_follow(hand: int, size: int, reds: int, strength: int) -> Lays:
    """Every set of a hand of `size` cards, of which `reds` are red, that is stronger."""
    possible = _ABOVE[strength + 1] & _strengths_with(hand & HALF, reds)
    if not possible:
        return ()
    possible &= _strengths_with(hand >> HALF_BITS, size - reds)
    if not possible:
        return ()
    ships = hand & SHIPS
    low = possible & -possible
    if low == possible:
        of = STRENGTH_OF_BIT[low.bit_length() - 1]
        return _sets_of(hand & STRENGTH_MASKS[of], ships, of, size, reds)
    found: list[int] = []
    while possible:
        low = possible & -possible
        of = STRENGTH_OF_BIT[low.bit_length() - 1]
        found += [
            ranked
            for ranked in _ranked(hand & STRENGTH_MASKS[of], ships, of)
            if (ranked & _CARDS).bit_count() == size and (ranked & RED).bit_count() == reds
        ]
        possible ^= low
    found.sort()
    return tuple([_set_of(ranked) for ranked in found])


@lru_cache(maxsize=1 << 14)
def _sets_of(of_strength: int, ships: int, strength: int, size: int, reds: int) -> Lays:
    """The sets of one strength that have this size and so many reds."""
    return tuple([
        _set_of(ranked)
        for ranked in _ranked(of_strength, ships, strength)
        if (ranked & _CARDS).bit_count() == size and (ranked & RED).bit_count() == reds
    ])  # fmt: skip


# ---- runs ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 11)
def _runs(present: int, shift: int) -> Lays:
    return tuple([Lay(RUN, run.cards << shift, run.strength) for run in runs_in(present)])


@lru_cache(maxsize=1 << 14)
def _runs_above(present: int, shift: int, size: int, strength: int) -> Lays:
    return tuple([
        Lay(RUN, run.cards << shift, run.strength)
        for run in runs_in(present)
        if run.size == size and run.strength > strength
    ])  # fmt: skip


def runs_to_lead(hand: int) -> Lays:
    """Every run of a hand."""
    return _runs(hand & RUN_CARDS, 0) + _runs(hand >> HALF_BITS & RUN_CARDS, HALF_BITS)


# ---- leading and following -----------------------------------------------------------------------------------------


def lays_to_follow(hand: int, form: int, size: int, reds: int, strength: int) -> Lays:
    """Every meld of a hand that may follow (MO3): form, size and number of reds as given, and stronger."""
    if form == SINGLE:
        if reds:
            return _singles(hand & _STRONGER[strength], 0, strength)
        return _singles(hand >> HALF_BITS & _STRONGER[strength], HALF_BITS, strength)
    if form == SET:
        return sets_to_follow(hand, size, reds, strength)
    if reds:
        return _runs_above(hand & RUN_CARDS, 0, size, strength)
    return _runs_above(hand >> HALF_BITS & RUN_CARDS, HALF_BITS, size, strength)


def lays_to_lead(hand: int) -> list[Lays]:
    """The melds of a hand that may lead, by form."""
    return [singles_to_lead(hand), sets_to_lead(hand), runs_to_lead(hand)]


@final
class Answers(Sequence[MokkaikMove]):
    """What a seat that follows may do: some melds, then every choice of cards to discard. An immutable value."""

    __slots__ = ("_bits", "_lays", "_picks")

    def __init__(self, lays: Lays, hand: int, count: int) -> None:
        self._lays = lays
        bits, repeats = bits_of(hand)
        self._bits = bits
        self._picks = picks(len(bits), repeats, count)

    def __len__(self) -> int:
        return len(self._lays) + len(self._picks)

    @overload
    def __getitem__(self, index: int) -> MokkaikMove: ...
    @overload
    def __getitem__(self, index: slice) -> list[MokkaikMove]: ...
    def __getitem__(self, index: int | slice) -> MokkaikMove | list[MokkaikMove]:
        if isinstance(index, slice):
            return list(self)[index]
        place = range(len(self))[index]
        lays = len(self._lays)
        return self._lays[place] if place < lays else self._discard(self._picks[place - lays])

    def __iter__(self) -> Iterator[MokkaikMove]:
        yield from self._lays
        for some in self._picks:
            yield self._discard(some)

    def _discard(self, some: tuple[int, ...]) -> Discard:
        cards = 0
        for index in some:
            cards |= self._bits[index]
        return Discard(cards)


def discards(hand: int, count: int) -> int:
    """In how many ways `count` cards of a hand can be discarded."""
    bits, repeats = bits_of(hand)
    return len(picks(len(bits), repeats, count))


@lru_cache(maxsize=1 << 13)
def _discards_of_one(firsts: int) -> tuple[Discard, ...]:
    return tuple([Discard(1 << bit) for bit in places_of(firsts)])


_RED_FIRSTS: Final = FIRSTS & RED
_BLACK_FIRSTS: Final = FIRSTS & ~RED


def random_discard(hand: int, count: int, chance: Chance) -> Discard:
    """One of the discards of `count` cards, each as likely as the others."""
    if count == 1:
        red, black = _discards_of_one(hand & _RED_FIRSTS), _discards_of_one(hand & _BLACK_FIRSTS)
        reds = len(red)
        place = int(chance.random() * (reds + len(black)))
        return red[place] if place < reds else black[place - reds]
    bits, repeats = bits_of(hand)
    ways = picks(len(bits), repeats, count)
    some = ways[int(chance.random() * len(ways))]
    cards = 0
    for index in some:
        cards |= bits[index]
    return Discard(cards)


def random_lead(hand: int, chance: Chance) -> Lay:
    """A meld to lead: its form is drawn first, then one of the melds of that form."""
    red, black = _runs(hand & RUN_CARDS, 0), _runs(hand >> HALF_BITS & RUN_CARDS, HALF_BITS)
    sets = has_set(hand)
    forms = 1 + sets + (1 if red or black else 0)
    form = int(chance.random() * forms) if forms > 1 else 0
    if not form:
        lays = singles_to_lead(hand)
    elif form == 1 and sets:
        ranked = _ranked_sets(hand)
        return _set_of(ranked[int(chance.random() * len(ranked))])
    else:
        lays = red + black
    return lays[int(chance.random() * len(lays))]
