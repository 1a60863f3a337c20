"""Niekhi's melds (役): single, set, run, and run of sets; what cards can count as, and which meld may be laid on
another.

Rules page `docs/rules/niekhi.md`, NI4 to NI6. Cards are vectors of counts, see `fudaba_games.niekhi.cards`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.cards import STRENGTH_COUNT
from fudaba_games.niekhi.cards import COUNT_BITS, COUNT_MASK, HIGHEST_VALUE, LOWEST_VALUE, SHIPS, size_of

SINGLE: Final = "single"
SET: Final = "set"
RUN: Final = "run"
STAIRS: Final = "stairs"
FORMS: Final = (SINGLE, SET, RUN, STAIRS)

MIN_RUN_SETS: Final = 3
"""The least number of sets in a run of single cards, or of sets of two."""
MIN_RUN_LARGE_SETS: Final = 2
"""The least number of sets in a run of sets of three or more."""
LONGEST_RUN: Final = HIGHEST_VALUE
MIN_BOMB_CARDS: Final = 3


@final
class Meld(NamedTuple):
    """A reading of cards. Two melds are *the same* if they have the same size and length."""

    size: int
    """The number of cards."""
    length: int
    """The number of different strengths that the cards count as: 1 for a single or set. Each comes equally often."""
    strength: int
    """The highest of these strengths: 0-10."""

    @property
    def form(self) -> str:
        """One of `FORMS`. Stairs are runs of sets."""
        if self.length == 1:
            return SINGLE if self.size == 1 else SET
        return RUN if self.length == self.size else STAIRS

    @property
    def is_bomb(self) -> bool:
        """Whether it is a set of three or more, which may be laid on anything except such a set (NI6.2)."""
        return self.length == 1 and self.size >= MIN_BOMB_CARDS

    def beats(self, other: Meld) -> bool:
        """Returns whether it may be laid on another meld (NI6). An equal meld is not stronger."""
        if self.size == other.size and self.length == other.length:
            return self.strength > other.strength
        return self.is_bomb and (not other.is_bomb or self.size > other.size)


def shortest(width: int) -> int:
    """Returns the number of different values that a run of sets of `width` cards needs at least (NI4.6). A run of width
    1 is a plain run.
    """
    return MIN_RUN_SETS if width <= 2 else MIN_RUN_LARGE_SETS


_LONE_SHIP: Final = tuple(Meld(1, 1, strength) for strength in range(STRENGTH_COUNT))


@lru_cache(maxsize=1 << 14)
def melds_of(cards: int) -> tuple[Meld, ...]:
    """Returns every meld that exactly these cards can be; empty if they are not a meld.

    Only ships leave a choice. Two readings of the same cards differ in length or strength. They are ordered by form, as
    in `FORMS`, then by strength and length.
    """
    size = size_of(cards)
    ships = cards & SHIPS
    counts = [cards >> COUNT_BITS * strength & COUNT_MASK for strength in range(STRENGTH_COUNT)]
    present = [strength for strength in range(1, STRENGTH_COUNT) if counts[strength]]
    if not present:
        return _LONE_SHIP if size == 1 else ()
    low, high = present[0], present[-1]
    melds = [Meld(size, 1, low)] if low == high else []
    if high > HIGHEST_VALUE or (low == high and not ships):
        return tuple(melds)
    runs: list[Meld] = []
    for width in range(max(counts[1:]), size + 1):
        length = size // width
        if length * width == size and shortest(width) <= length <= LONGEST_RUN and high - low < length:
            tops = range(max(high, LOWEST_VALUE + length - 1), min(HIGHEST_VALUE, low + length - 1) + 1)
            runs += [Meld(size, length, top) for top in tops]
    runs.sort(key=lambda meld: (meld.length != size, meld.strength, meld.length))
    return (*melds, *runs)
