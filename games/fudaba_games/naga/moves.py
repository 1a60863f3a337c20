"""The legal moves of Naga. Designations are made once; each commitment is made on request."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.lazy import LazySequence
from fudaba_games.naga.cards import SINGLE_PLACES
from fudaba_games.naga.values import Commit, Designate, NagaMove

DESIGNATIONS: Final[tuple[tuple[NagaMove, ...], ...]] = tuple(
    tuple([Designate(place) for place in SINGLE_PLACES if places >> place & 1]) for places in range(256)
)
"""The legal designations, by the mask of the places that hold cards."""
_new: Final = tuple.__new__  # a named tuple's own constructor takes three times as long


@final
class Commitments(LazySequence[Commit]):
    """Choices of three of five cards, or two of three, in deck order and compared as lists. The value is immutable."""

    __slots__ = ("_hand", "_size")

    def __init__(self, hand: int, size: int) -> None:
        self._hand = hand
        self._size = size

    def __len__(self) -> int:
        return 10 if self._size == 3 else 3

    def _at(self, place: int) -> Commit:
        return commitment_of_three(self._hand, place) if self._size == 2 else commitment_of_five(self._hand, place)


def commitment_of_five(hand: int, index: int) -> Commit:
    """Returns the commitment of this number (0-9) of a hand of five cards.

    The two cards that stay in the hand are, by number: 34, 24, 23, 14, 13, 12, 04, 03, 02, 01. The commitment is
    computed from the hand without its first card, without its first two, and so on; a table of the single cards would
    be slower.
    """
    b = hand & hand - 1
    c = b & b - 1
    d = c & c - 1
    if index == 0:
        cards = hand ^ d
    elif index == 5:
        cards = hand ^ b ^ d
    elif index == 8:
        cards = b ^ c ^ d
    elif index == 9:
        cards = c
    else:
        e = d & d - 1
        cards = b ^ e if index > 5 else hand ^ b ^ c ^ e if index > 2 else hand ^ c ^ e
        if index % 3 == 1:
            cards ^= d
    return _new(Commit, (cards,))


def commitment_of_three(hand: int, index: int) -> Commit:
    """Returns the commitment of this number (0-2) of a hand of three cards."""
    b = hand & hand - 1
    c = b & b - 1
    return _new(Commit, (hand ^ (c, b ^ c, hand ^ b)[index],))
