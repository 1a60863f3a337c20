"""The legal commitments of a hand of Naga, made one by one as they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final, overload

from fudaba_games.naga.values import Commit

_KEPT_OF_FIVE: Final = ((3, 4), (2, 4), (2, 3), (1, 4), (1, 3), (1, 2), (0, 4), (0, 3), (0, 2), (0, 1))
"""Which two of five cards stay in the hand, for each choice of three in deck order."""

_new: Final = tuple.__new__  # a named tuple's own constructor takes three times as long


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
        if self._size == 2:
            return commitment_of_three(self._hand, index)
        return commitment_of_five(self._hand, index)


def commitment_of_five(hand: int, index: int) -> Commit:
    """The commitment of this number (0-9) of a hand of five cards."""
    b = hand & hand - 1
    c = b & b - 1
    d = c & c - 1
    e = d & d - 1
    cards = (hand ^ b, b ^ c, c ^ d, d ^ e, e)
    one, other = _KEPT_OF_FIVE[index]
    return _new(Commit, (hand ^ cards[one] ^ cards[other],))


def commitment_of_three(hand: int, index: int) -> Commit:
    """The commitment of this number (0-2) of a hand of three cards."""
    b = hand & hand - 1
    c = b & b - 1
    return _new(Commit, (hand ^ (c, b ^ c, hand ^ b)[index],))
