"""Cards of the Kamikisen deck as messages: the common part of the codecs of its games.

The enum value of a card, a kind or a strength is its number in the rules plus one; that of a form is its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from fudaba.v1 import kamikisen_pb2
from fudaba_games.game import MalformedMove
from fudaba_games.kamikisen.cards import CARDS, KIND_COUNT, STRENGTH_COUNT, cards_of, mask_of
from fudaba_games.kamikisen.melds import Form
from fudaba_games.kamikisen.text import too_many

_FORMS: Final = tuple(int(form) for form in Form)


@lru_cache(maxsize=1 << 14)
def cards_to_proto(mask: int) -> tuple[Any, ...]:  # enum values are plain ints at run time
    """Returns enum values of the cards in a mask, in deck order. They are cached, since each seat and view repeats the
    same sets.
    """
    return tuple([card + 1 for card in cards_of(mask)])


def cards_from_proto(numbers: Iterable[int]) -> int:
    """Returns the mask of enum values, in any order. Raises `MalformedMove` for unknown ones and for too many
    copies.
    """
    cards = [card_from_proto(number) for number in numbers]
    try:
        return mask_of(cards)
    except ValueError:
        raise MalformedMove(too_many(cards)) from None


def card_from_proto(number: int) -> int:
    """Returns the card (0-23) of an enum value. Raises `MalformedMove`."""
    if not 1 <= number <= CARDS:
        raise MalformedMove(f"{number} is not a KamikisenCard; send 1 to {CARDS}, see the enum KamikisenCard")
    return number - 1


def kind_from_proto(number: int) -> int:
    """Returns the kind (0-11) of an enum value. Raises `MalformedMove`."""
    if not 1 <= number <= KIND_COUNT:
        raise MalformedMove(f"{number} is not a KamikisenKind; send 1 to {KIND_COUNT}, see the enum KamikisenKind")
    return number - 1


def strength_from_proto(number: int) -> int:
    """Returns the strength (0-10) of an enum value. Raises `MalformedMove`."""
    if not 1 <= number <= STRENGTH_COUNT:
        raise MalformedMove(
            f"{number} is not a KamikisenStrength; send 1 to {STRENGTH_COUNT}, see the enum KamikisenStrength"
        )
    return number - 1


def form_from_proto(number: int) -> int:
    """Returns the form of an enum value. Raises `MalformedMove`."""
    if number not in _FORMS:
        raise MalformedMove(f"{number} is not a KamikisenForm; send one of the enum KamikisenForm")
    return number


def hands_to_proto(hands: Sequence[int], seats: Any, cards: Any) -> None:
    """Fills two repeated fields with the hands (masks) that are not empty: the seats, and their cards in the same
    order.
    """
    for seat, hand in enumerate(hands):
        if hand:
            seats.append(seat)
            cards.extend(cards_to_proto(hand))


def hands_from_proto(by: Sequence[int], cards: Sequence[int], seats: int) -> tuple[int, ...]:
    """Returns the hands of `hands_to_proto`, all of which have the same number of cards, with one entry for each
    seat.
    """
    hands = [0] * seats
    size = len(cards) // len(by) if by else 0
    for place, seat in enumerate(by):
        hands[seat] = cards_from_proto(cards[place * size : (place + 1) * size])
    return tuple(hands)


def meld_to_proto(cards: int, form: int, strength: int, into: kamikisen_pb2.KamikisenMeld) -> None:
    """Fills an empty message with some cards (a mask) and their reading."""
    message: Any = into  # enum values are plain ints at run time
    message.cards.extend(cards_to_proto(cards))
    message.form = form
    message.strength = strength + 1
