"""Choosing some of one's cards: which cards to discard, to keep, to lay for a sum.

Equal cards make no difference, so a choice is a settled mask (see `fudaba_games.kamikisen.cards`), and each comes once.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Final, final

from fudaba_games.kamikisen.cards import BLACK, CARD_MASKS, CARD_OF_BIT, HALF, INNER
from fudaba_games.lazy import LazySequence


@final
class Choices(LazySequence[int]):
    """Every choice of `count` of some cards, as masks, in deck order and compared as lists. An immutable value.

    None of them is made before it is asked for: the length, and the choice at an index, are counted.
    """

    __slots__ = ("_copies", "_count", "_ways")

    def __init__(self, cards: int, count: int) -> None:
        copies = _copies_of(cards)
        self._copies: Final = copies
        self._count: Final = count
        # By place in `copies`: in how many ways the cards from there on give 0, 1, … `count` cards.
        row = [1] + [0] * count
        ways = [row]
        for _, most in reversed(copies):
            row = [sum(row[max(0, size - most) : size + 1]) for size in range(count + 1)]
            ways.append(row)
        ways.reverse()
        self._ways: Final = ways

    def __len__(self) -> int:
        return self._ways[0][self._count]

    def _at(self, place: int) -> int:
        left = self._count
        chosen = 0
        for number, (low, most) in enumerate(self._copies):
            row = self._ways[number + 1]
            # More copies of an early card come first: its second place is before any other card's.
            for taken in range(min(most, left), -1, -1):
                ways = row[left - taken]
                if place < ways:
                    chosen |= (low << taken) - low
                    left -= taken
                    break
                place -= ways
        return chosen


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
    """Returns every choice of any number of some cards, none and all of them included, in no order that matters.

    At most 2 to the number of cards; for a hand of eight different cards 256.
    """
    parts = [0]
    for low, most in _copies_of(cards):
        parts += [part | (low << taken) - low for taken in range(1, most + 1) for part in parts]
    return parts


def bits_of(cards: int) -> tuple[tuple[int, ...], int]:
    """Returns the single bits of some cards, lowest first, and which of them (bits 0, 1, …) repeat the card before."""
    red, red_repeats = _bits_of_colour(cards & HALF)
    black, black_repeats = _bits_of_colour(cards & BLACK)
    return red + black, red_repeats | black_repeats << len(red)


@lru_cache(maxsize=1 << 15)
def _bits_of_colour(cards: int) -> tuple[tuple[int, ...], int]:
    """Returns the same as `bits_of`, from a cache: there are few hands of one colour, so that the same ones recur."""
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
    """Returns what `Choices` has, for up to ten cards: every choice of `count` of `size` cards, as indices of
    `bits_of`.

    `repeats` as `bits_of` gives it. A repeated card is chosen only together with the one before it, so that equal
    choices come once. All are made at once and kept: there are some thousands of answers, if all are asked for.
    """
    key = repeats << 8 | size << 4 | count
    known = _known_picks.get(key)
    if known is None:
        if size > MAX_CARDS_PICKED:
            raise ValueError(f"{size} cards are too many; take Choices")
        known = _known_picks[key] = tuple([
            some
            for some in combinations(range(size), count)
            if all(not repeats >> index & 1 or index - 1 in some for index in some)
        ])  # fmt: skip
    return known
