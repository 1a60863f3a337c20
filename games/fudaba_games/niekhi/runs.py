"""Every run and every run of sets (stairs) in Niekhi, and those that a hand has.

There are two and a half thousand, counting all the ways in which ships stand in them. They are made once, in the
rulebook's order; from then on each is a number, its place in that order. A *window* is what a run counts as: its width
(the number of cards of each value), its length and its lowest value. Cards are vectors of counts; see
`fudaba_games.niekhi.cards`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import combinations
from typing import Final, NamedTuple, final

from fudaba_games.niekhi.cards import (
    COPIES_OF,
    COUNT_BITS,
    COUNT_MASK,
    DECK,
    GUARDS,
    HIGHEST_VALUE,
    LOWEST_VALUE,
    ONE,
    SHIPS,
    UNITS,
    VALUES,
    has,
    strengths_of,
)
from fudaba_games.niekhi.melds import LONGEST_RUN, shortest
from fudaba_games.niekhi.values import Lay

Lays = tuple[Lay, ...]

_MAX_SHIPS: Final = COPIES_OF[0]
_WIDEST: Final = max(COPIES_OF) + _MAX_SHIPS


@final
class _Window(NamedTuple):
    low: int
    by_ships: tuple[tuple[int, ...], ...]
    """For each number of ships, the places of the runs that have at most that many."""


@final
class _Universe(NamedTuple):
    """All runs."""

    lays: Lays
    """The lays, in the rulebook's order."""
    real: tuple[int, ...]
    """For each place, the cards without the ships."""
    windows: dict[tuple[int, int], tuple[_Window, ...]]
    """The windows of values, by width and length, in the order of their lowest values."""


def runs_of(values: int, ships: int) -> Lays:
    """Returns every run, in order, from the counts of the values 0 to 8 and the number of ships."""
    return _runs_of((values + 15 * UNITS) & GUARDS & VALUES, ships)


@lru_cache(maxsize=1 << 11)
def _runs_of(present: int, ships: int) -> Lays:
    """Returns the result of `runs_of`, which depends only on which values are there, not how often: their guards are
    set.
    """
    lays = _universe().lays
    return tuple([lays[place] for place in sorted(_places(present >> 4, ships, 1))])


def runs_over(values: int, ships: int, length: int, above: int) -> Lays:
    """Returns the runs of a length that are stronger than `above`."""
    return _runs_over((values + 15 * UNITS) & GUARDS & VALUES, ships, length, above)


@lru_cache(maxsize=1 << 14)
def _runs_over(present: int, ships: int, length: int, above: int) -> Lays:
    return tuple([run for run in _runs_of(present, ships) if run.length == length and run.strength > above])


@lru_cache(maxsize=1 << 12)
def stairs_of(values: int, ships: int) -> Lays:
    """Returns every run of sets, in order."""
    lays = _universe().lays
    places = _places(values, ships, 2)
    width = 3
    # Wider sets stand on the same values, so that the first width from 3 on without any is the last.
    while more := _places(values, ships, width):
        places += more
        width += 1
    places.sort()
    return tuple([lays[place] for place in places])


def stairs_over(values: int, ships: int, width: int, length: int, above: int) -> Lays:
    """Returns the runs of sets of a width and length that are stronger than `above`, in order."""
    lays = _universe().lays
    stairs = [lays[place] for place in sorted(_places(values, ships, width))]
    return tuple([lay for lay in stairs if lay.length == length and lay.strength > above])


def has_stairs(values: int, ships: int) -> bool:
    """Returns whether there is a run of sets: three sets of two, or two of three."""
    lacking = _lacking(values, 2)
    if _any(lacking + (lacking >> COUNT_BITS) + (lacking >> 2 * COUNT_BITS), ships, 3):
        return True
    lacking = _lacking(values, 3)
    return _any(lacking + (lacking >> COUNT_BITS), ships, 2)


def _any(windows: int, ships: int, length: int) -> bool:
    """Returns whether some window lacks no more cards than there are ships."""
    starts = VALUES & ~(-1 << COUNT_BITS * (HIGHEST_VALUE - length + 2))
    return bool((ships * UNITS + GUARDS - windows) & GUARDS & starts)


def _lacking(values: int, width: int) -> int:
    """Returns the number of cards that a set of `width` would lack, by value."""
    lacking = ((16 + width) * UNITS & VALUES) - values
    enough = lacking & GUARDS
    return lacking & (enough - (enough >> 4))


def _places(values: int, ships: int, width: int) -> list[int]:
    """Returns the places of the runs of sets of `width` cards (1: plain runs), in no particular order."""
    universe = _universe()
    lacking = _lacking(values, width)
    guarded = values | GUARDS
    places: list[int] = []
    together = lacking
    for length in range(2, LONGEST_RUN + 1):
        # By lowest value: what `length` values from there on lack together; 7 stands for more too.
        together += lacking >> COUNT_BITS * (length - 1)
        together = (together & 7 * UNITS) | ((together >> 3 | together >> 4) & UNITS) * 7
        if length < shortest(width):
            continue
        found = False
        for low, by_ships in universe.windows.get((width, length), ()):
            lack = together >> COUNT_BITS * low & COUNT_MASK
            if lack <= ships:
                found = True
                if not lack:
                    places += by_ships[ships]
                else:
                    real = universe.real
                    places += [place for place in by_ships[ships] if (guarded - real[place]) & GUARDS == GUARDS]
        if not found:
            break
    return places


@cache
def _universe() -> _Universe:
    """Returns all runs that the deck allows, made on the first call."""
    made: dict[tuple[int, int, int], list[Lay]] = {}
    for width in range(1, _WIDEST + 1):
        for length in range(shortest(width), LONGEST_RUN + 1):
            for low in range(LOWEST_VALUE, HIGHEST_VALUE - length + 2):
                if lays := _window(width, length, low):
                    made[width, length, low] = lays
    ordered = sorted([lay for lays in made.values() for lay in lays], key=_order)
    place = {lay: number for number, lay in enumerate(ordered)}
    windows: dict[tuple[int, int], tuple[_Window, ...]] = {}
    for (width, length, low), lays in made.items():
        by_ships = tuple([
            tuple([place[lay] for lay in lays if lay.cards & SHIPS <= ships]) for ships in range(_MAX_SHIPS + 1)
        ])  # fmt: skip
        windows[width, length] = (*windows.get((width, length), ()), _Window(low, by_ships))
    return _Universe(tuple(ordered), tuple([lay.cards & ~SHIPS for lay in ordered]), windows)


def _order(lay: Lay) -> tuple[list[int], int, int]:
    """Returns the key by which moves of one kind are sorted: cards in deck order compared as lists, then what they
    count as.
    """
    return strengths_of(lay.cards), lay.strength, lay.length


def _window(width: int, length: int, low: int) -> list[Lay]:
    """Returns every way to lay a window: without ships, and with ships in the place of any cards, as far as the deck
    allows.
    """
    top = low + length - 1
    values = range(low, top + 1)
    full = sum([width * ONE[value] for value in values])
    replaced = [0, *[ONE[value] for value in values]]
    replaced += [card + other for card, other in combinations(replaced[1:], 2)]
    replaced += [2 * card for card in replaced[1 : length + 1]] if width > 1 else []
    lays = [
        Lay(full - part + sum([part >> COUNT_BITS * value & COUNT_MASK for value in values]), length, top)
        for part in replaced
    ]
    return [lay for lay in lays if has(DECK, lay.cards)]
