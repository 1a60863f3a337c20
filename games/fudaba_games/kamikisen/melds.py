"""Melds (役) of the Kamikisen deck: single, set and run, and the ship that stands for other cards.

These are the common ones: a run has one colour, and a ship stands for a card of its own colour. Cards are masks, see
`fudaba_games.kamikisen.cards`.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.cards import (
    BIT_OF,
    BLACK,
    BLACK_SHIP,
    HALF,
    HALF_BITS,
    INNER,
    KIND_MASKS,
    KING,
    RED,
    RED_SHIP,
    SHIP,
    SHIPS,
    STRENGTH_COUNT,
    STRENGTH_MASKS,
    STRENGTH_OF_BIT,
    TOP,
    places_of,
)

SHORTEST_RUN: Final = 3
LONGEST_RUN: Final = 9
"""All values, 0 to 8."""


@final
class Form(IntEnum):
    """The form of a meld. The numbers are those of the contract; the higher ones belong to single games."""

    SINGLE = 1
    SET = 2
    RUN = 3


SINGLE: Final = int(Form.SINGLE)
SET: Final = int(Form.SET)
RUN: Final = int(Form.RUN)
FORM_NAMES: Final = ("", "single", "set", "run")
"""The name of each form."""


def form_name(form: int) -> str:
    """Returns the name of a form. Raises `ValueError` for a number that is not a form."""
    return FORM_NAMES[Form(form)]


@final
class Meld(NamedTuple):
    """A reading of cards. Two melds are *the same* if they have the same form and size."""

    form: int
    """A `Form`."""
    size: int
    """The number of cards."""
    strength: int
    """The strength of a set's cards, or of a run's highest card: 0-10."""

    def beats(self, other: Meld) -> bool:
        """Returns whether this is the same meld as `other`, and stronger. An equal meld is not stronger."""
        return self.form == other.form and self.size == other.size and self.strength > other.strength


_LONE_SHIP: Final = tuple(Meld(SINGLE, 1, strength) for strength in range(STRENGTH_COUNT))
_ENDLESS: Final = KIND_MASKS[SHIP] | STRENGTH_MASKS[TOP] | INNER
"""Cards that no run has beside its ship: kings, emperors, and a second copy of a value."""


def melds_of(cards: int) -> tuple[Meld, ...]:
    """Returns every meld that exactly these cards can be, the weakest first; empty if they are not a meld.

    Only a ship leaves a choice: alone it is itself or anything (each of the strengths 0-10), and at the end of a run it
    stands above or below the others. Two readings of the same cards differ only in strength.
    """
    size = cards.bit_count()
    ships = cards & SHIPS
    real = cards ^ ships
    if not real:
        return _LONE_SHIP if size == 1 else ()
    low = (real & -real).bit_length() - 1
    strength = STRENGTH_OF_BIT[low]
    if not real & ~STRENGTH_MASKS[strength]:
        return (Meld(SINGLE if size == 1 else SET, size, strength),)
    if size < SHORTEST_RUN or real & _ENDLESS or (cards & RED and cards & BLACK):
        return ()
    high = STRENGTH_OF_BIT[real.bit_length() - 1]
    span = high - strength + 1
    if span == size:  # complete, or a ship in the gap
        return (Meld(RUN, size, high),)
    if not ships or span != size - 1:
        return ()
    below = (Meld(RUN, size, high),) if strength > 1 else ()
    return (*below, Meld(RUN, size, high + 1)) if high < TOP - 1 else below


@final
class HalfRun(NamedTuple):
    """A run within one colour."""

    cards: int
    """A mask of one colour: 24 bits."""
    size: int
    strength: int
    """The strength of its highest card: 3-9."""


def _all_runs() -> tuple[HalfRun, ...]:
    """Returns every run of a colour in deck order, with an entry for each card that its ship can stand for."""
    runs: list[HalfRun] = []
    for low in range(1, KING):
        for high in range(low + SHORTEST_RUN - 1, KING):
            size = high - low + 1
            cards = sum([1 << BIT_OF[kind] for kind in range(low, high + 1)])
            runs.append(HalfRun(cards, size, high))
            runs.extend([HalfRun(cards ^ 1 << BIT_OF[kind] | 1, size, high) for kind in range(low, high + 1)])
    return tuple(sorted(runs, key=lambda run: (places_of(run.cards), run.strength)))


_RUNS: Final = _all_runs()
RUN_CARDS: Final = 1 | sum(1 << BIT_OF[kind] for kind in range(1, KING))
"""The cards of a colour that decide which runs there are: the ship and the first copy of each value."""


@lru_cache(maxsize=1024)
def _runs_of(present: int) -> tuple[HalfRun, ...]:
    return tuple([run for run in _RUNS if not run.cards & ~present])


def runs_in(half: int) -> tuple[HalfRun, ...]:
    """Returns every run in the cards of one colour (24 bits), with and without its ship.

    In deck order, compared as lists; with the readings of the same cards next to each other, weakest first.
    """
    return _runs_of(half & RUN_CARDS)


@lru_cache(maxsize=1 << 14)
def _group(of_strength: int, ships: int) -> tuple[int, ...]:
    red, black = of_strength & HALF, of_strength >> HALF_BITS
    sets: list[int] = []
    for reds in _parts(red):
        for blacks in _parts(black):
            real = reds | blacks << HALF_BITS
            if real:
                sets.extend([real | wild for wild in _WILD[ships] if (real | wild).bit_count() > 1])
    return tuple(sorted(sets, key=places_of))


_WILD: Final = {
    0: (0,),
    RED_SHIP: (0, RED_SHIP),
    BLACK_SHIP: (0, BLACK_SHIP),
    SHIPS: (0, RED_SHIP, BLACK_SHIP, SHIPS),
}
"""Every choice of some ships."""


def _parts(half: int) -> list[int]:
    """Returns every choice of cards of one strength and one colour: a number of copies, or for king and emperor each or
    neither.
    """
    low = half & -half
    if low.bit_length() - 1 >= BIT_OF[KING]:
        return [0, low, half ^ low, half] if half ^ low else [0, low]
    return [half & ((low << count) - low) for count in range(half.bit_count() + 1)]


def sets_in(cards: int, strength: int) -> tuple[int, ...]:
    """Returns every set of two or more cards of a strength (1-10), with and without ships, in deck order."""
    return _group(cards & STRENGTH_MASKS[strength], cards & SHIPS)
