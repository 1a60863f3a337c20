"""The texts of Tashot's moves: docs/rules/tashot.md, TA9."""

from __future__ import annotations

import pytest

from fudaba_games.game import MalformedMove
from fudaba_games.tashot.rules import TASHOT
from fudaba_games.tashot.values import Call, Decline, Discard, Four, TashotMove, Win
from tests.support.games.tashot.positions import card, cards, holding, legal


@pytest.mark.rule("TA9.1", "TA9.2")
@pytest.mark.parametrize(
    ("text", "move", "again"),
    [
        ("decline", Decline(), "decline"),
        ("win", Win(), "win"),
        ("discard r7", Discard(card("r7")), "discard r7"),
        ("four b3 r3 b3 r3", Four(cards("r3 r3 b3 b3")), "four r3 r3 b3 b3"),
        ("four bS rK bT rT", Four(cards("rK rT bS bT")), "four rK rT bS bT"),
        ("call r5 r3 r4", Call(cards("r3 r4 r5"), 6), "call r3 r4 r5"),
        ("call r3 r4 r5 as 5", Call(cards("r3 r4 r5"), 6), "call r3 r4 r5"),
        ("call b3 r3 r3", Call(cards("r3 r3 b3"), 4), "call r3 r3 b3"),
        ("call b3 r3 r3 bS", Call(cards("r3 r3 bS b3"), 4), "call r3 r3 bS b3"),
        ("call rS r3 r4 as 5", Call(cards("rS r3 r4"), 6), "call rS r3 r4 as 5"),
        ("call rS r3 r4 as 4", Call(cards("rS r3 r4"), 5), "call rS r3 r4 as 4"),
        ("call r3 rS r5", Call(cards("rS r3 r5"), 6), "call rS r3 r5"),
        ("call rS r0 r1", Call(cards("rS r0 r1"), 3), "call rS r0 r1"),
        ("  call   rS r7 r8  ", Call(cards("rS r7 r8"), 9), "call rS r7 r8"),
    ],
)
def test_a_text_is_a_move_and_a_move_has_one_text(text: str, move: TashotMove, again: str) -> None:
    assert TASHOT.text.parse_move(text) == move
    assert TASHOT.text.format_move(move) == again


@pytest.mark.rule("TA9.4")
@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "the move is empty; write `decline`"),
        ("pass", "'pass' is not a move of Tashot"),
        ("win r7", "`win` stands alone"),
        ("decline it", "`decline` stands alone"),
        ("discard", "`discard` takes cards"),
        ("discard r7 r8", "discard one card, not 2"),
        ("discard r9", "'r9' is not a card"),
        ("four r3 r3 r3 b3", "the deck has only 2 of r3, not 3"),
        ("four r3 r3 b3", "r3 r3 b3 is not a set of four"),
        ("four r3 r3 b3 b4", "r3 r3 b3 b4 is not a set of four"),
        ("four r1 r1 r1 r1 b1", "is not a set of four"),
        ("four as 3", "'as' is not a card"),
        ("call", "`call` takes cards"),
        ("call r3 r3", "r3 r3 is not a meld to call"),
        ("call r3 r4 b5", "r3 r4 b5 is not a meld to call"),
        ("call r3 r4 r5 r6", "is not a meld to call"),
        ("call r8 rK rT", "is not a meld to call"),
        ("call rS bS r3 r3 b3", "is not a meld to call"),
        ("call rS rS r3", "the deck has only 1 of rS, not 2"),
        ("call rS r3 r4", "rS r3 r4 can have two strengths; add `as 4` or `as 5`"),
        ("call rS r3 r4 as 7", "cannot have strength 7; it can have `as 4` or `as 5`"),
        ("call r3 r3 b3 as 4", "r3 r3 b3 cannot have strength 4; it can have `as 3`"),
        ("call rS r3 r4 as T", "'T' is not a strength"),
        ("call as 4", "`call` takes cards"),
    ],
)
def test_a_text_that_is_no_move_is_refused_with_advice(text: str, advice: str) -> None:
    with pytest.raises(MalformedMove) as refused:
        TASHOT.text.parse_move(text)
    assert advice in str(refused.value)


@pytest.mark.rule("TA9.3")
def test_calls_come_in_deck_order_of_their_cards() -> None:
    state = holding("r5 b0 b0", "rS r4 r5 r6 b5", melds=["b6 b7 b8", ""])
    TASHOT.apply(state, 0, TASHOT.text.parse_move("discard r5"))
    assert legal(state, 1) == [
        "decline", "win", "call rS r4 r5 as 5", "call rS r4 r5 as 6", "call rS r5 r5", "call rS r5 r5 b5",
        "call rS r5 r6 as 6", "call rS r5 r6 as 7", "call rS r5 b5", "call r4 r5 r6", "call r5 r5 b5",
    ]  # fmt: skip


@pytest.mark.rule("TA9.3")
def test_winning_comes_before_calls() -> None:
    state = holding("r5 b0 b0", "r4 r6 b6 b7 b8", melds=["b1 b2 b3", ""])
    TASHOT.apply(state, 0, TASHOT.text.parse_move("discard r5"))
    assert legal(state, 1) == ["decline", "win", "call r4 r5 r6"]
