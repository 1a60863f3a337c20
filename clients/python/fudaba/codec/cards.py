"""Cards of decks without repeated cards as messages: the common part of the codecs of such games.

The enum value of a card is its number in the rules plus one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, final

from fudaba_games.cards import cards_in
from fudaba_games.game import MalformedMove

_PART_BITS: Final = 13
_PART_MASK: Final = (1 << _PART_BITS) - 1


@lru_cache(maxsize=1 << 15)
def numbers_of(mask: int) -> tuple[Any, ...]:  # enum values are plain ints at run time
    """Returns enum values of the cards in a mask, in deck order. They are cached, since each seat and view repeats the
    same sets. Large sets seldom recur, so they are joined from parts that do.
    """
    numbers, first = _part_numbers(mask & _PART_MASK, 1), 1
    while mask := mask >> _PART_BITS:
        first += _PART_BITS
        numbers += _part_numbers(mask & _PART_MASK, first)
    return numbers


@lru_cache(maxsize=1 << 15)
def _part_numbers(part: int, first: int) -> tuple[Any, ...]:
    """Returns enum values of the cards in a part of a mask; `first` is the value for its lowest bit."""
    return tuple([card + first for card in cards_in(part)])


@lru_cache(maxsize=1 << 14)
def to_enum(cards: tuple[int, ...]) -> tuple[Any, ...]:
    """Returns enum values of cards, or of other values numbered from 0, in their order. They are cached, since every
    seat's view repeats the same ones.
    """
    return tuple([card + 1 for card in cards])


def from_enum(numbers: Iterable[int]) -> tuple[int, ...]:
    """Returns the cards of enum values: the inverse of `to_enum`. It checks nothing."""
    return tuple([number - 1 for number in numbers])


@final
class Deck:
    """The cards that an enum of the contract names. They come from outside and are checked here."""

    def __init__(self, enum: Any) -> None:
        self._enum: Final = enum
        self._size: Final[int] = len(enum.keys()) - 1  # the first one is not a card

    def card(self, number: int) -> int:
        """Returns the card of an enum value. Raises `MalformedMove`."""
        if not 1 <= number <= self._size:
            name = self._enum.DESCRIPTOR.name
            raise MalformedMove(f"{number} is not a {name}; send 1 to {self._size}, see the enum {name}")
        return number - 1

    def mask(self, numbers: Iterable[int]) -> int:
        """Returns the mask of enum values. Raises `MalformedMove` for unknown or repeated ones."""
        mask = 0
        for number in numbers:
            bit = 1 << self.card(number)
            if mask & bit:
                raise MalformedMove(f"{self._enum.Name(number)} is there twice; name each card once")
            mask |= bit
        return mask
