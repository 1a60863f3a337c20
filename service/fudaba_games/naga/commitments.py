"""The legal commitments of a hand of Naga, made one by one as they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final, overload

from fudaba_games.naga.values import Commit

_KEPT_OF_FIVE: Final = ((3, 4), (2, 4), (2, 3), (1, 4), (1, 3), (1, 2), (0, 4), (0, 3), (0, 2), (0, 1))
"""Which two of five cards stay in the hand, for each choice of three in deck order."""


@final
class Commitments(Sequence[Commit]):
    """Three of five cards, or two of three, in deck order and compared as lists. An immutable value."""

    __slots__ = ("_hand", "_size")

    def __init__(self, hand: int, size: int) -> None:
        self._hand = hand
        self._size = size

    def __len__(self) -> int:
        return 10 if self._size == 3 else 3

    @overload
    def __getitem__(self, index: int) -> Commit: ...
    @overload
    def __getitem__(self, index: slice) -> list[Commit]: ...
    def __getitem__(self, index: int | slice) -> Commit | list[Commit]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        hand = self._hand
        a = hand & -hand
        rest = hand ^ a
        b = rest & -rest
        rest ^= b
        c = rest & -rest
        if self._size == 2:
            return Commit(hand ^ (c, b, a)[index])
        rest ^= c
        d = rest & -rest
        cards = (a, b, c, d, rest ^ d)
        one, other = _KEPT_OF_FIVE[index]
        return Commit(hand ^ cards[one] ^ cards[other])
