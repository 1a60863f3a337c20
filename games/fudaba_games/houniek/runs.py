"""The runs that a hand of Houniek has: counted, drawn one by one, or listed.

There can be millions of them: every place may have a red card, a black one or a wild one, of either colour. So this
module counts them by the 110 stretches of the circle, and finds the run at an index by counting, card by card in deck
order, how many runs each choice leaves.

A *stretch* is a number, see `fudaba_games.houniek.circle.stretch_of`. The cards of a colour are given as a mask of the
places that have one, and the number of wild cards, 0-3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import comb
from typing import Final, NamedTuple, final

from fudaba_games.houniek.circle import (
    BEATERS,
    KIND_AT,
    PLACE_COUNT,
    ROW,
    SHIP_PLACE,
    STRETCHES,
    WILD,
    places_in,
    stretch_of,
)
from fudaba_games.houniek.order import FOOT, FOOT_BITS, in_order, sortable
from fudaba_games.houniek.values import Lay
from fudaba_games.kamikisen.cards import BIT_OF, BLACK, DECK, HALF, HALF_BITS, NONE, RED
from fudaba_games.kamikisen.melds import RUN
from fudaba_games.lazy import LazySequence

_SIZES: Final = tuple(places.bit_count() for places in STRETCHES)
"""The size of each stretch."""
_MAX_RUNS_LISTED: Final = 4
"""The number of wanted runs from which all are listed at once, which is then faster than counting for each."""
_MIN_PLACES_LISTED: Final = 64
"""The same limit where this many runs are wanted."""

_RED_WILD: Final = WILD & RED
_BLACK_WILD: Final = WILD & BLACK
_PLACE_BITS: Final = tuple(1 << BIT_OF[kind] for kind in KIND_AT)
"""For each place, the first red card."""

# Runs are listed as numbers that can be sorted, see `fudaba_games.houniek.order`.
_RED_PARTS: Final = tuple(sortable(bit) for bit in _PLACE_BITS)
"""For each place, a red card of it."""
_BLACK_PARTS: Final = tuple(sortable(bit << HALF_BITS) for bit in _PLACE_BITS)
_WILD_PARTS: Final = tuple(
    tuple([
        sortable(((1 << reds) - 1) << BIT_OF[NONE] | ((1 << blacks) - 1) << BIT_OF[NONE] + HALF_BITS)
        for blacks in range(4)
    ])
    for reds in range(4)
)  # fmt: skip
"""For each number of red and of black wild cards, a mask of that many."""


# ---- counting ------------------------------------------------------------------------------------------------------

_MAX_WILD_CARDS: Final = 6
_ONES: Final = 2 * _MAX_WILD_CARDS + 1
_WAYS: Final = [-1] * (ROW * ROW * _ONES * 16)
"""The results of `_filled`, by `((both * ROW + single) * 13 + none + 6) * 16 + wild`; -1 for what was never asked."""


def _splits(count: int, wild: int) -> int:
    """Returns the number of ways in which this many wild cards can be red and black. `wild` is four times the number of
    red ones plus the number of black ones.
    """
    reds, blacks = wild >> 2, wild & 3
    return max(0, min(count, reds) - max(0, count - blacks) + 1)


def _filled(both: int, single: int, none: int, wild: int) -> int:
    """Returns the number of ways to fill places with cards.

    `both` places have cards of both colours, `single` of one colour, `none` of neither. Wild cards chosen before fill
    such places or others, so each reduces `none` by one. `wild`, as in `_splits`, counts the wild cards that may still
    be chosen.
    """
    ways = 0
    for more in range(max(0, none), (wild >> 2) + (wild & 3) + 1):
        # So many of the places with a card are filled with wild ones.
        left = more - none
        for of_both in range(max(0, left - single), min(both, left) + 1):
            ways += comb(both, of_both) * (1 << both - of_both) * comb(single, left - of_both) * _splits(more, wild)
    return ways


def _ways(both: int, single: int, none: int, wild: int) -> int:
    """Returns the value of `_filled`, computed once."""
    key = ((both * ROW + single) * _ONES + none + _MAX_WILD_CARDS) * 16 + wild
    ways = _WAYS[key]
    if ways < 0:
        _WAYS[key] = ways = _filled(both, single, none, wild)
    return ways


def _count(stretches: Sequence[int], reds: int, blacks: int, wild: int) -> int:
    """Returns the number of runs on some stretches, with the cards of some places."""
    total = 0
    both, some, most = reds & blacks, reds | blacks, (wild >> 2) + (wild & 3)
    for stretch in stretches:
        places, size = STRETCHES[stretch], _SIZES[stretch]
        real = (places & some).bit_count()
        if real and size - real <= most:
            of_both = (places & both).bit_count()
            total += _ways(of_both, real - of_both, size - real, wild)
            if size <= most:
                total -= _splits(size, wild)  # nothing but wild cards
    return total


# ---- which stretches -----------------------------------------------------------------------------------------------


@final
class Possible(NamedTuple):
    """The runs that are possible with cards at some places and a number of wild cards."""

    feet: tuple[int, ...]
    """For each size, the feet, as a mask."""
    longest: tuple[int, ...]
    """For each foot, the size of the longest run; 0 for none."""


@lru_cache(maxsize=1 << 14)
def possible(some: int, wild: int) -> Possible:
    """Returns the runs that are possible with cards at some places (a mask) and this many wild cards."""
    feet, longest = [0] * ROW, [0] * PLACE_COUNT
    for foot in range(PLACE_COUNT):
        bare, real = 0, False
        for size in range(1, ROW):
            if some >> (foot + size - 1) % PLACE_COUNT & 1:
                real = True
            else:
                bare += 1
            if bare > wild:
                break
            if real and size > 1:
                feet[size] |= 1 << foot
                longest[foot] = size
    return Possible(tuple(feet), tuple(longest))


@lru_cache(maxsize=1 << 14)
def stretches_to_lead(some: int, wild: int) -> tuple[int, ...]:
    """Returns the stretches that have a run with cards at some places and this many wild cards, by size, then foot."""
    feet = possible(some, wild).feet
    return tuple(
        [stretch_of(foot, size) for size in range(2, ROW) for foot in range(PLACE_COUNT) if feet[size] >> foot & 1]
    )


def stretches_to_follow(some: int, wild: int, form: int, size: int, foot: int) -> tuple[int, ...]:
    """Returns those of the stretches that have a run which outdoes the newest meld."""
    feet = possible(some, wild).feet
    stretches: list[int] = []
    if form == RUN and (stronger := feet[size] & BEATERS[foot]):
        stretches += [stretch_of(beater, size) for beater in range(PLACE_COUNT) if stronger >> beater & 1]
    stretches += [stretch_of(foot, more) for more in range(size + 1, ROW) if feet[more] >> foot & 1]
    return tuple(stretches)


# ---- the runs ------------------------------------------------------------------------------------------------------


@final
class Runs(LazySequence[Lay]):
    """Runs in deck order, compared as lists; runs of the same cards by their feet. The value is immutable.

    They lie on `stretches`, consist of cards of `hand`, and share a colour with `colours`: a mask of red, black or all
    cards.
    """

    __slots__ = ("_blacks", "_colours", "_length", "_listed", "_reds", "_stretches", "_wild")

    def __init__(self, hand: int, stretches: tuple[int, ...], colours: int) -> None:
        self._reds = reds = places_in(hand & HALF)
        self._blacks = blacks = places_in(hand >> HALF_BITS)
        self._wild = wild = 4 * (hand & _RED_WILD).bit_count() + (hand & _BLACK_WILD).bit_count()
        self._stretches = stretches
        self._colours = colours
        length = _count(stretches, reds, blacks, wild)
        if length and colours == RED:
            length -= _count(stretches, 0, blacks, wild & 3)
        elif length and colours == BLACK:
            length -= _count(stretches, reds, 0, wild & 12)
        self._length = length
        self._listed: list[Lay] | None = None

    def __len__(self) -> int:
        return self._length

    def _at(self, place: int) -> Lay:
        return self.listed()[place] if self._length <= _MAX_RUNS_LISTED else self.counted(place)

    def _part(self, places: range) -> list[Lay]:
        if len(places) > _MIN_PLACES_LISTED:
            runs = self.listed()
            return [runs[place] for place in places]
        return [self._at(place) for place in places]

    def __iter__(self) -> Iterator[Lay]:
        return iter(self.listed())

    def listed(self) -> list[Lay]:
        """Returns all runs. Callers must not change the list."""
        if self._listed is None:
            self._listed = self._list()
        return self._listed

    def _list(self) -> list[Lay]:
        numbers: list[int] = []
        sizes_of: dict[int, list[int]] = {}
        for stretch in self._stretches:
            sizes_of.setdefault(stretch // ROW, []).append(stretch % ROW)
        for foot, sizes in sizes_of.items():
            self._list_from(foot, sizes, numbers)
        numbers.sort()
        return [Lay(RUN, number >> FOOT_BITS & DECK, number & FOOT) for number in numbers]

    def _list_from(self, foot: int, sizes: list[int], numbers: list[int]) -> None:
        """Adds the runs with one foot, in no order."""
        reds, blacks, wild = self._reds, self._blacks, self._wild
        most = (wild >> 2) + (wild & 3)
        parts: list[list[int]] = [[0]] + [[] for _ in range(most)]
        # By number of wild cards: the choices of the others for the first places.
        for size in range(1, sizes[-1] + 1):
            place = (foot + size - 1) % PLACE_COUNT
            here = [_RED_PARTS[place]] if reds >> place & 1 else []
            if blacks >> place & 1:
                here.append(_BLACK_PARTS[place])
            for wilds in range(most, -1, -1):
                chosen = [part | place_part for part in parts[wilds] for place_part in here]
                parts[wilds] = parts[wilds - 1] + chosen if wilds else chosen
            if size in sizes:
                for wilds, some in enumerate(parts[:size]):
                    if some:
                        self._list_with(some, wilds, foot, numbers)

    def _list_with(self, some: list[int], wilds: int, foot: int, numbers: list[int]) -> None:
        """Adds the runs of these cards and this many wild ones."""
        most, colours = self._wild >> 2, self._colours << FOOT_BITS
        for reds in range(max(0, wilds - (self._wild & 3)), min(wilds, most) + 1):
            wild = _WILD_PARTS[reds][wilds - reds]
            numbers.extend([in_order(part | wild, foot) for part in some if (part | wild) & colours])

    def counted(self, index: int) -> Lay:
        """Returns the run at an index. It is found card by card: a card is taken if the index is among the runs that
        have it next.
        """
        live: Sequence[int] = self._stretches
        cards = covered = taken = 0
        for bit, before, place, reds, blacks, wild in self._steps():
            if covered & place or before & ~cards:
                continue  # a card of the other colour is there; or the copy before this one was not taken
            counts = _counts(live, covered | place, taken + 1, reds, blacks, wild)
            if bit <= HALF and self._colours == BLACK:
                without_black = _counts(live, covered | place, taken + 1, reds, 0, wild & 12)
                counts = [count - other for count, other in zip(counts, without_black, strict=True)]
            total = sum(counts)
            if index >= total:
                index -= total
                continue
            cards, covered, taken = cards | bit, covered | place, taken + 1
            live = [number for number, count in zip(live, counts, strict=True) if count]
            if covered and cards & self._colours:
                complete = [number for number in live if _SIZES[number] == taken]
                if index < len(complete):
                    return Lay(RUN, cards, complete[index] // ROW)
                index -= len(complete)
        raise AssertionError("an index below the length is that of a run")

    def _steps(self) -> Iterator[tuple[int, int, int, int, int, int]]:
        """Yields the cards in deck order, each with the copy that must precede it, its place, and the cards that may
        still follow.

        All of these are masks except the last, a number of wild cards. A wild card has no place.
        """
        reds, blacks, wild = self._reds, self._blacks, self._wild
        for bit, before, place, left, left_wild in _colour_steps(reds, wild >> 2):
            yield bit, before, place, left, blacks, 4 * left_wild + (wild & 3)
        for bit, before, place, left, left_wild in _colour_steps(blacks, wild & 3):
            yield bit << HALF_BITS, before << HALF_BITS, place, 0, left, left_wild


@lru_cache(maxsize=1 << 13)
def _colour_steps(places: int, wild: int) -> tuple[tuple[int, int, int, int, int], ...]:
    """Returns the cards of one colour, in the form of `_steps`."""
    steps: list[tuple[int, int, int, int, int]] = []
    ship = 1 << SHIP_PLACE
    rest = places & ~ship
    if places & ship:
        steps.append((_PLACE_BITS[SHIP_PLACE], 0, ship, rest, wild))
    for copy in range(wild):
        bit = 1 << BIT_OF[NONE] + copy
        steps.append((bit, bit >> 1 if copy else 0, 0, rest, wild - copy - 1))
    while rest:
        low = rest & -rest
        rest ^= low
        steps.append((_PLACE_BITS[low.bit_length() - 1], 0, low, rest, 0))
    return tuple(steps)


def _counts(stretches: Sequence[int], covered: int, taken: int, reds: int, blacks: int, wild: int) -> list[int]:
    """Returns the number of runs on each stretch when some cards, which cover some places, are taken and more may
    follow.

    Taken cards without a place are wild.
    """
    counts: list[int] = []
    both, some, most = reds & blacks, reds | blacks, (wild >> 2) + (wild & 3)
    for stretch in stretches:
        places = STRETCHES[stretch]
        left = _SIZES[stretch] - taken
        count = 0
        if left >= 0 and not covered & ~places:
            bare = places & ~covered
            filled = (bare & some).bit_count()
            none = left - filled  # less by the wild cards that were taken
            if none <= most:
                of_both = (bare & both).bit_count()
                count = _WAYS[((of_both * ROW + filled - of_both) * _ONES + none + _MAX_WILD_CARDS) * 16 + wild]
                if count < 0:
                    count = _ways(of_both, filled - of_both, none, wild)
                if not covered:
                    count -= _splits(left, wild)
        counts.append(count)
    return counts
