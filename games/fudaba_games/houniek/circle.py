"""The circle of kinds in Houniek, and which kind beats which (rules page `docs/rules/houniek.md`, HO2).

A *place* is a number 0-10: soldier, bow, chariot, tiger, horse, brush, shaman, general, king, emperor, ship; after the
ship comes the soldier again. The card none is not on the circle; it is wild. A set of places is a mask, bit `p` for
place `p`.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.kamikisen.cards import (
    CARD_OF_BIT,
    HALF_BITS,
    KIND_COUNT,
    KIND_LETTERS,
    KIND_MASKS,
    KIND_NAMES,
    KIND_OF,
    NONE,
    SHIP,
)

PLACE_COUNT: Final = 11
EMPEROR_PLACE: Final = 9
SHIP_PLACE: Final = 10
ALL_PLACES: Final = (1 << PLACE_COUNT) - 1
KIND_AT: Final = (*range(NONE + 1, KIND_COUNT), SHIP)
"""For each place, the kind."""
PLACE_OF_KIND: Final = tuple(KIND_AT.index(kind) if kind in KIND_AT else -1 for kind in range(KIND_COUNT))
"""For each kind, its place; -1 for none."""
PLACE_LETTERS: Final = "".join(KIND_LETTERS[kind] for kind in KIND_AT)
PLACE_NAMES: Final = tuple(KIND_NAMES[kind] for kind in KIND_AT)
PLACE_MASKS: Final = tuple(KIND_MASKS[kind] for kind in KIND_AT)
"""For each place, the mask of its cards, in both colours."""
WILD: Final = KIND_MASKS[NONE]
"""The mask of the wild cards."""
PLACE_OF_BIT: Final = tuple(PLACE_OF_KIND[KIND_OF[card]] for card in CARD_OF_BIT)
"""For each bit of a mask of cards, the place of its card; -1 for a card without a place."""

_PART: Final = HALF_BITS // 2
_LOW: Final = (1 << _PART) - 1


def _part_places(shift: int) -> tuple[int, ...]:
    """Returns the places of every set of cards in a part of a half, which begins at bit `shift`."""
    places = [0]
    for place in PLACE_OF_BIT[shift : shift + _PART]:
        mask = 1 << place if place >= 0 else 0
        places += [earlier | mask for earlier in places]  # the sets with this card, after those without it
    return tuple(places)


_LOW_PLACES: Final = _part_places(0)
_HIGH_PLACES: Final = _part_places(_PART)


def places_in(half: int) -> int:
    """Returns the places of the cards of one colour (24 bits), as a mask. Wild cards have no place."""
    return _LOW_PLACES[half & _LOW] | _HIGH_PLACES[half >> _PART]


def beats(foot: int, other: int) -> bool:
    """Returns whether one place beats another: the later place does, except that the ship beats only the emperor and
    every other place beats the ship.
    """
    if foot == SHIP_PLACE:
        return other == EMPEROR_PLACE
    if other == SHIP_PLACE:
        return foot < EMPEROR_PLACE
    return foot > other


BEATERS: Final = tuple(
    sum(1 << foot for foot in range(PLACE_COUNT) if beats(foot, other)) for other in range(PLACE_COUNT)
)
"""For each place, the mask of the places that beat it."""


ROW: Final = PLACE_COUNT + 1
"""The distance between the stretches of two feet."""


def stretch_of(foot: int, size: int) -> int:
    """Returns the number of a *stretch* of the circle, the `size` places of a run from `foot` on. Rows have one foot
    each.
    """
    return ROW * foot + size


def _places_from(foot: int, size: int) -> int:
    """Returns the places of a stretch, as a mask."""
    mask = (1 << size) - 1 << foot
    return (mask | mask >> PLACE_COUNT) & ALL_PLACES


STRETCHES: Final = tuple(_places_from(foot, size) for foot in range(PLACE_COUNT) for size in range(ROW))
"""For each stretch, its places, as a mask."""
