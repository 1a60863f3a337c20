"""The legal moves of Niekhi, in the rulebook's order.

The melds that may be laid depend on the seat's hand and the newest meld only, and mostly on small parts of the hand,
which recur and are cached. Cards are vectors of counts; see `fudaba_games.niekhi.cards`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Final

from fudaba_games.kamikisen.cards import STRENGTH_COUNT
from fudaba_games.niekhi.cards import (
    COPIES_OF,
    COUNT_BITS,
    COUNT_MASK,
    GUARDS,
    ONE,
    SHIPS,
    UNITS,
    VALUES,
    mask_of,
    size_of,
)
from fudaba_games.niekhi.melds import MIN_BOMB_CARDS
from fudaba_games.niekhi.runs import Lays, runs_of, runs_over, stairs_of, stairs_over
from fudaba_games.niekhi.values import DECLINE, PASS, Lay, Name, NiekhiMove, Take

PASSING: Final[tuple[NiekhiMove, ...]] = (PASS,)
DECLINING: Final[tuple[NiekhiMove, ...]] = (DECLINE,)
MAX_GENERALS: Final = 4

NAMES: Final[tuple[tuple[NiekhiMove, ...], ...]] = tuple(
    tuple([Name(mask_of(strengths)) for strengths in combinations(range(STRENGTH_COUNT), number)])
    for number in range(MAX_GENERALS + 1)
)
"""For each number of generals, every choice of that many strengths."""

_MAX_SHIPS: Final = COPIES_OF[0]
_SHIP_AS: Final = tuple(Lay(ONE[0], 1, strength) for strength in range(STRENGTH_COUNT))
"""For each strength, a ship alone that stands for it; the first stands for itself."""
_SINGLES: Final = tuple(Lay(unit, 1, strength) for strength, unit in enumerate(ONE))
_SETS: Final = tuple(
    tuple(
        tuple(
            [Lay(max(size - ships, 0) * unit + ships, 1, strength) for size in range(COPIES_OF[strength] + ships + 1)]
        )
        for ships in range(_MAX_SHIPS + 1)
    )
    for strength, unit in enumerate(ONE)
)
"""For each strength, number of ships, and size, the set."""
_STRENGTH_AT: Final = tuple(bit // COUNT_BITS for bit in range(COUNT_BITS * STRENGTH_COUNT))
"""For each bit of a vector, the strength that it belongs to."""
_AT_LEAST: Final = tuple((16 - count) * UNITS for count in range(17))
"""For each count, the number to add to cards so that it sets the guards of the strengths with that many cards."""
_REAL: Final = GUARDS & ~SHIPS
"""The guards of all strengths but the ship."""


def lays_on(hand: int, size: int, length: int, strength: int) -> tuple[Lays, Lays, Lays, Lays]:
    """Returns the melds that a hand can lay on a meld, or with size 0 to lead: singles, sets, runs and stairs.

    Each is in deck order, compared as lists; readings of the same cards are ordered by strength, then length.
    """
    if not size:
        ships, values = hand & SHIPS, hand & VALUES
        return (leading_singles(hand), leading_sets(hand), runs_of(values, ships), stairs_of(values, ships))
    if length == 1:
        if size == 1:
            singles = _singles((hand + _AT_LEAST[1]) & GUARDS, strength)
            return (singles, _sets(hand, MIN_BOMB_CARDS, -1), (), ())
        return ((), _sets(hand, size, strength), (), ())
    ships, values = hand & SHIPS, hand & VALUES
    bombs = _sets(hand, MIN_BOMB_CARDS, -1)
    if length == size:
        return ((), bombs, runs_over(values, ships, length, strength), ())
    return ((), bombs, (), stairs_over(values, ships, size // length, length, strength))


def leading_singles(hand: int) -> Lays:
    """Returns every single of a hand."""
    return _singles((hand + _AT_LEAST[1]) & GUARDS, -1)


def leading_sets(hand: int) -> Lays:
    """Returns every set of a hand."""
    return _sets(hand, 2, -1)


def has_sets(hand: int) -> bool:
    """Returns whether a hand has any set: two cards of a strength, or a ship and another card."""
    return bool((hand + _AT_LEAST[2]) & _REAL) or bool(hand & SHIPS and hand & ~SHIPS)


@lru_cache(maxsize=1 << 14)
def _singles(present: int, above: int) -> Lays:
    """Returns singles stronger than `above`, of the strengths whose guards are set."""
    ships = _SHIP_AS[above + 1 :] if present & SHIPS else ()
    real = [_SINGLES[strength] for strength in _strengths_at(present & _REAL) if strength > above]
    return (*ships, *real)


def _strengths_at(guards: int) -> list[int]:
    """Returns the strengths whose guards are set, weakest first."""
    strengths: list[int] = []
    while guards:
        low = guards & -guards
        strengths.append(_STRENGTH_AT[low.bit_length() - 1])
        guards ^= low
    return strengths


@lru_cache(maxsize=1 << 14)
def _sets(hand: int, smallest: int, above: int) -> Lays:
    """Returns sets of `smallest` cards stronger than `above`, and larger sets of any strength."""
    sets: Lays = ()
    for ships in range(hand & SHIPS, -1, -1):
        fewest = max(smallest - ships, 1)
        for strength in _strengths_at((hand + _AT_LEAST[fewest]) & _REAL):
            low = fewest + ships + (strength <= above and fewest + ships == smallest)
            sets += _SETS[strength][ships][low : ships + (hand >> COUNT_BITS * strength & COUNT_MASK) + 1]
    return sets


def takes_of(pile: int, number: int) -> tuple[NiekhiMove, ...]:
    """Returns every choice of this many cards of the discard pile, or all of it if it has fewer; none from an empty
    pile.
    """
    return tuple([Take(cards) for cards in choices_of(pile, number)])


@lru_cache(maxsize=1 << 8)
def choices_of(pile: int, number: int) -> tuple[int, ...]:
    """Returns the cards of `takes_of`, in its order."""
    if not pile:
        return ()
    number = min(number, size_of(pile))
    # By number of cards: the choices among the strengths so far, from the strongest on.
    choices: list[list[int]] = [[0], *[[] for _ in range(number)]]
    for strength in range(STRENGTH_COUNT - 1, -1, -1):
        count = pile >> COUNT_BITS * strength & COUNT_MASK
        if count:
            unit = ONE[strength]
            choices = [
                [cards + taken * unit for taken in range(min(size, count), -1, -1) for cards in choices[size - taken]]
                for size in range(number + 1)
            ]
    return tuple(choices[number])
