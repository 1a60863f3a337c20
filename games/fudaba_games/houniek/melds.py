"""The melds (役) of Houniek, and the cards that a none stands for (rules page `docs/rules/houniek.md`, HO3, HO4 and
HO6).

Colours do not matter in a meld. Cards are masks, see `fudaba_games.kamikisen.cards`; a foot is a place on the circle,
see `fudaba_games.houniek.circle`.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from fudaba_games.houniek.circle import BEATERS, PLACE_COUNT, PLACE_MASKS, PLACE_OF_BIT, ROW, STRETCHES, WILD, places_in
from fudaba_games.kamikisen.cards import BLACK, HALF, HALF_BITS, RED
from fudaba_games.kamikisen.melds import RUN, SET, SINGLE

FORMS: Final = (SINGLE, RUN, SET)
"""The forms, in the order of the page, and of the legal moves."""


@final
class Meld(NamedTuple):
    """A reading of cards."""

    form: int
    """`SINGLE`, `RUN` or `SET`."""
    size: int
    """The number of cards."""
    foot: int
    """The place of a run's first kind, or of a single's or set's kind."""


def melds_of(cards: int) -> tuple[Meld, ...]:
    """Returns every meld that exactly these cards can be, in the order of legal moves; empty if they are not a meld."""
    size = cards.bit_count()
    real = cards & ~WILD
    if size == 1:
        feet = range(PLACE_COUNT) if not real else (PLACE_OF_BIT[real.bit_length() - 1],)
        return tuple([Meld(SINGLE, 1, foot) for foot in feet])
    if not real:
        return ()
    melds: list[Meld] = []
    places = places_in(real & HALF) | places_in(real >> HALF_BITS)
    if size <= PLACE_COUNT and places.bit_count() == real.bit_count():
        melds += [Meld(RUN, size, foot) for foot, run in enumerate(STRETCHES[size::ROW]) if not places & ~run]
    foot = PLACE_OF_BIT[real.bit_length() - 1]
    if not real & ~PLACE_MASKS[foot]:
        melds.append(Meld(SET, size, foot))
    return tuple(melds)


def colours_of(cards: int) -> int:
    """Returns the mask of all cards that share a colour with some cards: red ones, black ones, or the whole deck."""
    return (RED if cards & RED else 0) | (BLACK if cards & BLACK else 0)


def outdoes(meld: Meld, newest: Meld) -> bool:
    """Returns whether a meld may be laid on the newest one, colours aside (rules page, HO6).

    The meld has the same form and size and a foot that beats the other's, or it has more cards and the same foot.
    """
    if meld.size == newest.size:
        return meld.form == newest.form and bool(BEATERS[newest.foot] >> meld.foot & 1)
    return meld.size > newest.size and meld.foot == newest.foot
