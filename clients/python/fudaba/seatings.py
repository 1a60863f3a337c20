"""Orders the bots of a group in seats: few orders, so that they can be played, and fair ones.

The seatings of n bots are a group of permutations that carries every ordered pair of seats to every other one, equally
often. So over all of them every bot sits in each seat equally often, and of any two bots the second is found in each
seat beside, behind or opposite the first equally often: nobody always plays after a friend or before a foe.

- n prime (2, 3, 5): i → a·i + b mod n, with a from 1 and b from 0. These are n·(n - 1), the fewest that can do it: each
  ordered pair of bots is in each ordered pair of seats once. For two seats they are the two ways round.
- n - 1 prime otherwise (4, 6): i → (a·i + b) / (c·i + d) on the numbers modulo n - 1 and infinity, with a·d - b·c a
  square other than 0. These are 12 for four seats, and 60 for six: each ordered pair of bots is in
  each ordered pair of seats twice. (Once is impossible for six: it would make an affine plane of order 6.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Final

__all__ = ["MAX_SEATS", "seating_count", "seatings"]

MAX_SEATS: Final = 6
"""The largest number of seats. No game of the rulebook has more, and more would need other seatings."""


def seatings(bots: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Returns every seating of the bots: the bots of seats 0, 1, … The first is the given order."""
    return tuple(tuple(bots[place] for place in seating) for seating in _permutations(len(bots)))


def seating_count(seats: int) -> int:
    """Returns the number of seatings of this many bots: 2, 6, 12, 20, 60 for 2 to 6."""
    return len(_permutations(seats))


@cache
def _permutations(seats: int) -> tuple[tuple[int, ...], ...]:
    """Returns for each seating the index of the bot in each seat."""
    if not 2 <= seats <= MAX_SEATS:
        raise ValueError(f"there are no seatings for {seats} seats, only for 2 to {MAX_SEATS}")
    if _prime(seats):
        return tuple(tuple((a * i + b) % seats for i in range(seats)) for a in range(1, seats) for b in range(seats))
    return _moebius(seats - 1)


def _moebius(p: int) -> tuple[tuple[int, ...], ...]:
    """Returns the maps of the numbers modulo p and infinity (here p) to themselves, the identity first, each once."""
    squares = {i * i % p for i in range(1, p)}
    maps = {
        tuple(_image(a, b, c, d, i, p) for i in range(p + 1))
        for a, b, c, d in product(range(p), repeat=4)
        if (a * d - b * c) % p in squares
    }
    return tuple(sorted(maps))


def _image(a: int, b: int, c: int, d: int, i: int, p: int) -> int:
    above, below = (a, c) if i == p else ((a * i + b) % p, (c * i + d) % p)
    return above * pow(below, -1, p) % p if below else p


def _prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, number))
