"""Random deals of cards to hands that cannot hold every suit, for a redeal.

Every deal that respects the bars is equally likely. Hands with the same bars are dealt to as one. The number of cards
of each suit that they get is drawn in proportion to the number of deals that it leaves, which is counted without trying
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Final, final

from fudaba_games.game import Chance
from fudaba_games.napoleon.cards import SUIT_MASKS, cards_of

_Counts = tuple[int, int, int, int]
"""A number of cards for each suit."""


def deal_at_random(cards: int, sizes: Sequence[int], barred: Sequence[int], chance: Chance) -> list[int]:
    """Deals a mask of cards to hands of the given sizes, which together take all. Hand `i` gets none of `barred[i]`.

    `barred` are masks of whole suits. Raises `ValueError` if no deal respects the bars.
    """
    if sum(sizes) != cards.bit_count():
        raise ValueError(f"{cards.bit_count()} cards cannot fill hands of {list(sizes)}")
    hands_of: dict[int, list[int]] = {}
    for hand, bars in enumerate(barred):
        if sizes[hand]:
            hands_of.setdefault(bars & cards, []).append(hand)
    # The hands with the most bars first; those with none, if there are any, get what is left.
    groups = sorted(hands_of, key=lambda bars: (-(bars & cards).bit_count(), bars))
    suits = [cards_of(cards & mask) for mask in SUIT_MASKS]
    for suit in suits:
        chance.shuffle(suit)
    counter = _Counter([sum([sizes[hand] for hand in hands_of[bars]]) for bars in groups], groups)
    dealt = [0] * len(sizes)
    for number, bars in enumerate(groups):
        left: _Counts = (len(suits[0]), len(suits[1]), len(suits[2]), len(suits[3]))
        pool: list[int] = []
        for suit, count in zip(suits, counter.draw(number, left, chance), strict=True):
            pool.extend([suit.pop() for _ in range(count)])
        chance.shuffle(pool)
        for hand in hands_of[bars]:
            for _ in range(sizes[hand]):
                dealt[hand] |= 1 << pool.pop()
    return dealt


@final
class _Counter:
    """Counts the ways to deal the rest of the suits to the groups from a given one on."""

    def __init__(self, sizes: list[int], bars: list[int]) -> None:
        self._sizes: Final = sizes
        self._open: Final = [tuple([suit for suit in range(4) if not bar & SUIT_MASKS[suit]]) for bar in bars]
        self._known: Final[dict[tuple[int, _Counts], int]] = {}

    def draw(self, group: int, left: _Counts, chance: Chance) -> _Counts:
        """Returns the number of cards of each suit that a group gets. Raises `ValueError` if there is no way."""
        splits = self._splits(group, left)
        if len(splits) == 1:
            return splits[0]
        weights = [self._ways_with(group, left, split) for split in splits]
        total = sum(weights)
        if not total:
            raise ValueError("no deal keeps to the bars")
        at = chance.randrange(total)
        for split, weight in zip(splits, weights, strict=True):
            at -= weight
            if at < 0:
                return split
        raise AssertionError("a number below the sum of the weights lies in one of them")

    def _ways(self, group: int, left: _Counts) -> int:
        """Returns the number of ways for a group and all that follow. The last one takes all remaining cards."""
        if group == len(self._sizes) - 1:
            return int(sum([left[suit] for suit in self._open[group]]) == self._sizes[group])
        if group == len(self._sizes) - 2 and len(self._open[-1]) == 4:
            return comb(sum([left[suit] for suit in self._open[group]]), self._sizes[group])
        key = (group, left)
        known = self._known.get(key)
        if known is None:
            known = sum([self._ways_with(group, left, split) for split in self._splits(group, left)])
            self._known[key] = known
        return known

    def _ways_with(self, group: int, left: _Counts, split: _Counts) -> int:
        """Returns the number of ways in which a group gets this many cards of each suit, including the ways of the
        groups that follow.
        """
        a, b, c, d = left
        w, x, y, z = split
        ways = comb(a, w) * comb(b, x) * comb(c, y) * comb(d, z)
        if group == len(self._sizes) - 1:
            return ways
        return ways * self._ways(group + 1, (a - w, b - x, c - y, d - z))

    def _splits(self, group: int, left: _Counts) -> list[_Counts]:
        """Returns the numbers of cards of each suit that add up to the group's size."""
        a, b, c, d = [left[suit] if suit in self._open[group] else 0 for suit in range(4)]
        size = self._sizes[group]
        splits: list[_Counts] = []
        for w in range(max(0, size - b - c - d), min(a, size) + 1):
            for x in range(max(0, size - w - c - d), min(b, size - w) + 1):
                rest = size - w - x
                splits.extend([(w, x, y, rest - y) for y in range(max(0, rest - d), min(c, rest) + 1)])
        return splits
