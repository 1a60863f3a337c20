"""The legal moves of Mokkaik, in the rulebook's order: singles, sets and runs, then the discards.

A hand is a mask. Moves that depend on few cards are cached: sets by the cards of a strength, runs by the values in a
colour. Most moves lay or discard single cards; these moves are made once, and all matches share them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, final

from fudaba_games.kamikisen.cards import (
    BIT_OF,
    BLACK,
    COPIES,
    DECK_SIZE,
    FIRSTS,
    HALF,
    HALF_BITS,
    KING,
    RED,
    SHIPS,
    STRENGTH_COUNT,
    STRENGTH_MASKS,
    STRENGTH_OF_BIT,
    TOP,
    is_settled,
    places_of,
)
from fudaba_games.kamikisen.choices import bits_of, picks
from fudaba_games.kamikisen.melds import RUN, RUN_CARDS, SET, SINGLE, melds_of, runs_in, sets_in
from fudaba_games.kamikisen.random_cards import FIRST_COPY
from fudaba_games.lazy import LazySequence
from fudaba_games.mokkaik.values import Discard, Lay, MokkaikMove

Lays = tuple[Lay, ...]

_TOP_BIT: Final = BIT_OF[KING]
_WITH_COPIES: Final = tuple(
    sum([1 << BIT_OF[kind] for kind in range(1, KING) if COPIES[kind] >= count]) for count in range(5)
)
"""For each number, the first copies, in one colour, of the kinds below king that have this many copies."""
_ABOVE: Final = tuple(
    sum([1 << BIT_OF[kind] for kind in range(max(1, strength + 1), KING + 1)]) for strength in range(-1, STRENGTH_COUNT)
)
"""For each strength, plus one, a bit for every greater strength: that of its first copy in a colour; the king's for the
top.
"""


# ---- singles -------------------------------------------------------------------------------------------------------


SINGLES_AT: Final = tuple(tuple([Lay(SINGLE, card, meld.strength) for meld in melds_of(card)]) for card in FIRST_COPY)
"""The singles of the card of each bit, at the number of the bit plus one; for a ship, everything that it can be, by
strength.
"""
_BEATING: Final = tuple(
    FIRSTS & (sum(STRENGTH_MASKS[strength + 1 :]) | (SHIPS if strength < TOP else 0))
    for strength in range(STRENGTH_COUNT)
)
STRONGER: Final = tuple(tuple([colour & beating for beating in _BEATING]) for colour in (BLACK, RED))
"""For each number of red cards (0, 1), then strength, the cards that can beat a single of it, as the bits of first
copies. A ship can beat it unless nothing is stronger.
"""


def _singles(firsts: int, above: int) -> Lays:
    """Returns singles of some different cards; for a ship, everything that is stronger than `above`."""
    lays: list[Lay] = []
    for bit in places_of(firsts):
        lays += [lay for lay in SINGLES_AT[bit + 1] if lay.strength > above]
    return tuple(lays)


# ---- sets ----------------------------------------------------------------------------------------------------------


_CARDS: Final = (1 << DECK_SIZE) - 1


@lru_cache(maxsize=1 << 14)
def _ranked(of_strength: int, ships: int, strength: int) -> tuple[int, ...]:
    """Returns sets of a strength as numbers that sort in deck order, compared as lists. The lowest 48 bits are the
    cards.
    """
    ranked: list[int] = []
    for cards in sets_in(of_strength | ships, strength):
        rank = 0
        for place in places_of(cards):
            rank = rank << 6 | place + 1
        rank <<= 6 * (_MAX_SET_CARDS - cards.bit_count())
        ranked.append(rank << DECK_SIZE + 4 | strength << DECK_SIZE | cards)
    return tuple(ranked)


_MAX_SET_CARDS: Final = 10
"""The size of the largest set: all soldiers and both ships."""


def _set_of(ranked: int) -> Lay:
    return Lay(SET, ranked & _CARDS, ranked >> DECK_SIZE & 15)


def _ranked_sets(hand: int) -> list[int]:
    """Returns every set of a hand, in order, in the form of `_ranked`."""
    ships = hand & SHIPS
    least = 1 if ships else 2
    found: list[int] = []
    for strength in range(1, STRENGTH_COUNT):
        of_strength = hand & STRENGTH_MASKS[strength]
        if of_strength.bit_count() >= least:
            found += _ranked(of_strength, ships, strength)
    found.sort()
    return found


def _sets_to_lead(hand: int) -> Lays:
    """Returns every set of a hand."""
    return tuple([_set_of(ranked) for ranked in _ranked_sets(hand)])


def _strengths_with(half: int, count: int) -> int:
    """Returns the strengths, in the form of `_ABOVE`, of which a colour has this many cards, its ship among them."""
    count -= half & 1
    if count <= 0:
        return _ABOVE[0]
    enough = half >> count - 1 & _WITH_COPIES[count] if count < len(_WITH_COPIES) else 0
    return enough | 1 << _TOP_BIT if (half >> _TOP_BIT).bit_count() >= count else enough


def strengths_to_follow(hand: int, size: int, reds: int, strength: int) -> int:
    """Returns the greater strengths, in the form of `_ABOVE`, of which a hand has a set of `size` cards, `reds` of them
    red.
    """
    possible = _ABOVE[strength + 1] & _strengths_with(hand & HALF, reds)
    if not possible:
        return 0
    black = hand >> HALF_BITS
    possible &= _strengths_with(black, size - reds)
    if reds == 1 and size == 2 and hand & SHIPS == SHIPS:  # the ships alone are not a set
        possible &= _strengths_with(hand & HALF & ~1, 1) | _strengths_with(black & ~1, 1)
    return possible


def _sets_to_follow(hand: int, size: int, reds: int, strength: int) -> Lays:
    """Returns every set of a hand of `size` cards, of which `reds` are red, that is stronger."""
    possible = strengths_to_follow(hand, size, reds, strength)
    found: list[int] = []
    while possible:
        low = possible & -possible
        set_strength = STRENGTH_OF_BIT[low.bit_length() - 1]
        found += [
            ranked
            for ranked in _ranked(hand & STRENGTH_MASKS[set_strength], hand & SHIPS, set_strength)
            if (ranked & _CARDS).bit_count() == size and (ranked & RED).bit_count() == reds
        ]
        possible ^= low
    found.sort()
    return tuple([_set_of(ranked) for ranked in found])


# ---- runs ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 11)
def _runs(present: int, shift: int) -> Lays:
    return tuple([Lay(RUN, run.cards << shift, run.strength) for run in runs_in(present)])


def runs_to_lead(hand: int) -> Lays:
    """Returns every run of a hand."""
    return _runs(hand & RUN_CARDS, 0) + _runs(hand >> HALF_BITS & RUN_CARDS, HALF_BITS)


def runs_to_follow(hand: int, size: int, reds: int, strength: int) -> Lays:
    """Returns every run of a hand of `size` cards, all red or none of them, that is stronger."""
    runs = _runs(hand & RUN_CARDS, 0) if reds else _runs(hand >> HALF_BITS & RUN_CARDS, HALF_BITS)
    return tuple([run for run in runs if run.strength > strength and run.cards.bit_count() == size])


# ---- leading and following -----------------------------------------------------------------------------------------


def lays_to_follow(hand: int, form: int, size: int, reds: int, strength: int) -> Lays:
    """Returns every meld of a hand that may follow (MO3): it has the given form, size and number of red cards, and is
    stronger.
    """
    if form == SINGLE:
        return _singles(hand & STRONGER[reds][strength], strength)
    if form == SET:
        return _sets_to_follow(hand, size, reds, strength)
    return runs_to_follow(hand, size, reds, strength)


def lays_to_lead(hand: int) -> list[Lays]:
    """Returns the melds of a hand that may lead, by form."""
    return [_singles(hand & FIRSTS, -1), _sets_to_lead(hand), runs_to_lead(hand)]


# ---- discarding ----------------------------------------------------------------------------------------------------


DISCARD_AT: Final = tuple([Discard(cards) for cards in FIRST_COPY])
"""The discard of the card of each bit, at the number of the bit plus one."""
DISCARDS: Final = {
    cards: Discard(cards)
    for first_card in range(DECK_SIZE)
    for two in range(first_card + 1, DECK_SIZE)
    if is_settled(cards := 1 << first_card | 1 << two)
}
"""The discards of two cards, by the cards."""


@final
class Answers(LazySequence[MokkaikMove]):
    """The answers of a seat that follows: some melds, then every choice of cards to discard. The value is immutable."""

    __slots__ = ("_bits", "_lays", "_picks")

    def __init__(self, lays: Lays, hand: int, count: int) -> None:
        self._lays = lays
        bits, repeats = bits_of(hand)
        self._bits = bits
        self._picks = picks(len(bits), repeats, count)

    def __len__(self) -> int:
        return len(self._lays) + len(self._picks)

    def _at(self, place: int) -> MokkaikMove:
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
    """Returns the number of ways to discard `count` cards of a hand."""
    bits, repeats = bits_of(hand)
    return len(picks(len(bits), repeats, count))
