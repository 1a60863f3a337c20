"""Choices of some of a seat's cards: to discard, to keep, or to lay for a sum.

Equal cards are interchangeable, so a choice is a settled mask (see `fudaba_games.kamikisen.cards`), and each choice
comes once.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Final

from fudaba_games.kamikisen.cards import BLACK, CARD_MASKS, CARD_OF_BIT, HALF, INNER


def _copies_of(cards: int) -> list[tuple[int, int]]:
    """Returns the first bit and the number of copies of each different card, in deck order."""
    copies: list[tuple[int, int]] = []
    while cards:
        low = cards & -cards
        same = cards & CARD_MASKS[CARD_OF_BIT[low.bit_length() - 1]]
        copies.append((low, same.bit_count()))
        cards ^= same
    return copies


def parts_of(cards: int) -> list[int]:
    """Returns every choice of some cards, including none and all of them, in no particular order.

    There are at most 2 to the power of the number of cards; 256 for a hand of eight different cards.
    """
    parts = [0]
    for low, most in _copies_of(cards):
        parts += [part | (low << taken) - low for taken in range(1, most + 1) for part in parts]
    return parts


def bits_of(cards: int) -> tuple[tuple[int, ...], int]:
    """Returns the single bits of some cards, lowest first, and a mask of those (bits 0, 1, …) that repeat the card
    before.
    """
    red, red_repeats = _bits_of_colour(cards & HALF)
    black, black_repeats = _bits_of_colour(cards & BLACK)
    return red + black, red_repeats | black_repeats << len(red)


@lru_cache(maxsize=1 << 15)
def _bits_of_colour(cards: int) -> tuple[tuple[int, ...], int]:
    """Returns the same as `bits_of`, from a cache: a colour has few hands, so the same ones recur."""
    bits: list[int] = []
    repeats = 0
    while cards:
        low = cards & -cards
        if low & INNER:
            repeats |= 1 << len(bits)
        bits.append(low)
        cards ^= low
    return tuple(bits), repeats


Picks = tuple[tuple[int, ...], ...]
"""Choices of some cards, as indices."""

_known_picks: Final[dict[int, Picks]] = {}
MAX_CARDS_PICKED: Final = 10


def picks(size: int, repeats: int, count: int) -> Picks:
    """Returns every choice of `count` of `size` cards, at most ten, as indices of `bits_of`, in deck order.

    `repeats` has the form that `bits_of` returns. A repeated card is chosen only together with the one before it, so
    equal choices come once. All choices are made at once and cached; there are only some thousands of results.
    """
    key = repeats << 8 | size << 4 | count
    known = _known_picks.get(key)
    if known is None:
        if size > MAX_CARDS_PICKED:
            raise ValueError(f"{size} cards are too many: at most {MAX_CARDS_PICKED} can be picked from")
        known = _known_picks[key] = tuple([
            some
            for some in combinations(range(size), count)
            if all(not repeats >> index & 1 or index - 1 in some for index in some)
        ])  # fmt: skip
    return known
