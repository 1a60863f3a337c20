"""Cards of the Kamikisen deck as messages: what the codecs of its games share.

The enum value of a card, a kind or a strength is its number in the rules plus one; that of a form is its number.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from fudaba.v1 import kamikisen_pb2
from fudaba_games.game import MalformedMove
from fudaba_games.kamikisen.cards import CARDS, KINDS, STRENGTHS, cards_of, mask_of
from fudaba_games.kamikisen.melds import Form
from fudaba_games.kamikisen.text import too_many

_FORMS: Final = tuple(int(form) for form in Form)


@lru_cache(maxsize=1 << 14)
def cards_to_proto(mask: int) -> tuple[Any, ...]:  # enum values are plain ints at run time
    """Enum values of the cards in a mask, in deck order. The same sets come again and again, for each seat and view."""
    return tuple([card + 1 for card in cards_of(mask)])


def cards_from_proto(numbers: Iterable[int]) -> int:
    """The mask of enum values, in any order. Raises `MalformedMove` for unknown ones and for too many copies."""
    cards = [card_from_proto(number) for number in numbers]
    try:
        return mask_of(cards)
    except ValueError:
        raise MalformedMove(too_many(cards)) from None


def card_from_proto(number: int) -> int:
    """The card (0-23) of an enum value. Raises `MalformedMove`."""
    if not 1 <= number <= CARDS:
        raise MalformedMove(f"{number} is no KamikisenCard; send 1 to {CARDS}, see the enum KamikisenCard")
    return number - 1


def kind_from_proto(number: int) -> int:
    """The kind (0-11) of an enum value. Raises `MalformedMove`."""
    if not 1 <= number <= KINDS:
        raise MalformedMove(f"{number} is no KamikisenKind; send 1 to {KINDS}, see the enum KamikisenKind")
    return number - 1


def strength_from_proto(number: int) -> int:
    """The strength (0-10) of an enum value. Raises `MalformedMove`."""
    if not 1 <= number <= STRENGTHS:
        raise MalformedMove(f"{number} is no KamikisenStrength; send 1 to {STRENGTHS}, see the enum KamikisenStrength")
    return number - 1


def form_from_proto(number: int) -> int:
    """The form of an enum value. Raises `MalformedMove`."""
    if number not in _FORMS:
        raise MalformedMove(f"{number} is no KamikisenForm; send one of the enum KamikisenForm")
    return number


def meld_to_proto(cards: int, form: int, strength: int, into: kamikisen_pb2.KamikisenMeld) -> None:
    """Fills an empty message with some cards (a mask) and what they count as."""
    message: Any = into  # enum values are plain ints at run time
    message.cards.extend(cards_to_proto(cards))
    message.form = form
    message.strength = strength + 1
