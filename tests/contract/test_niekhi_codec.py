"""Niekhi's moves as messages: what may be left out, and what is refused."""

from __future__ import annotations

import pytest

from fudaba.codec import codec
from fudaba.v1 import game_pb2
from fudaba_games.game import MalformedMove
from fudaba_games.niekhi.rules import NIEKHI
from fudaba_games.niekhi.text import parse_cards


def laid(cards: str, length: int = 0, strength: int = 0) -> game_pb2.Move:
    """Returns the message of a lay; 0 leaves out what the cards count as."""
    message = game_pb2.Move()
    numbers: list[int] = ["S012345678K".index(card_text) + 1 for card_text in cards.split()]
    message.niekhi.lay.cards.extend(numbers)  # type: ignore[arg-type]  # enum values are ints
    message.niekhi.lay.length = length
    message.niekhi.lay.strength = strength  # type: ignore[assignment]  # as above
    return message


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (laid("7"), "single 7"),
        (laid("S"), "single S"),
        (laid("S", 1, 11), "single S as K"),
        (laid("3 3 S"), "set S 3 3"),
        (laid("5 4 3"), "run 3 4 5"),
        (laid("S 3 5"), "run S 3 5"),
        (laid("1 2 3 3 2 1"), "stairs 1 1 2 2 3 3"),
        (laid("S 3 4", 3, 7), "run S 3 4 as 3-5"),
        (laid("4 S S", 1, 6), "set S S 4"),
        (laid("4 S S", 3, 6), "run S S 4 as 2-4"),
    ],
)
def test_what_cards_count_as_may_be_left_out_where_they_can_be_one_thing_only(
    message: game_pb2.Move, text: str
) -> None:
    move = codec("niekhi").move_from_proto(message)
    assert NIEKHI.text.format_move(move) == text
    again = game_pb2.Move()
    codec("niekhi").move_to_proto(move, again)
    assert codec("niekhi").move_from_proto(again) == move


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        (game_pb2.Move(), "Move.game is not set"),
        (laid(""), "no card is not a meld"),
        (laid("3 4"), "3 4 is not a meld"),
        (laid("S 3 4"), "set length and strength: S 3 4 can be run of 3, 2-4; run of 3, 3-5"),
        (laid("S S 4"), "set of 3, tiger; run of 3, 2-4"),
        (laid("S S S"), "the deck has only 2 of S, not 3"),
        (laid("S 3 4", 3), "0 is not a KamikisenStrength"),
        (laid("S 3 4", 3, 12), "12 is not a KamikisenStrength"),
    ],
)
def test_a_message_that_is_no_move_is_refused_with_advice(message: game_pb2.Move, advice: str) -> None:
    with pytest.raises(MalformedMove) as refused:
        codec("niekhi").move_from_proto(message)
    assert advice in str(refused.value)


def test_doubled_and_unknown_strengths_are_refused() -> None:
    message = game_pb2.Move()
    message.niekhi.SetInParent()
    with pytest.raises(MalformedMove, match=r"NiekhiMove\.kind is not set"):
        codec("niekhi").move_from_proto(message)
    message.niekhi.name.strengths.extend([3, 3])  # type: ignore[list-item]  # enum values are ints
    with pytest.raises(MalformedMove, match="a strength is there twice"):
        codec("niekhi").move_from_proto(message)
    message.niekhi.take.cards.append(0)  # type: ignore[arg-type]  # as above
    with pytest.raises(MalformedMove, match="0 is not a KamikisenStrength"):
        codec("niekhi").move_from_proto(message)


def test_a_length_too_large_for_any_meld_reaches_the_rules_as_an_illegal_one() -> None:
    move = codec("niekhi").move_from_proto(laid("3", (1 << 32) - 1, 5))
    assert move.cards == parse_cards(["3"])
    assert move.length > 9
