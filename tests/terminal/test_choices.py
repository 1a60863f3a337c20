"""How typing narrows the list of legal moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from fudaba.terminal.choices import OfferedMoves, typed_move
from fudaba_games.registry import game

MOVES = ["designate 3", "designate 5", "commit D7 A1 T3", "commit D7 A1 MI", "commit D1 D7 T3", "approve"]


def choices() -> OfferedMoves:
    return OfferedMoves(MOVES, str, lambda move: Text(f"{move} flush" if "MI" in move else move))


def fitting(typed: str) -> list[str]:
    return [choice.text for choice in choices().fitting(typed)]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", MOVES),
        ("  ", MOVES),
        ("3", ["designate 3"]),
        ("des", ["designate 3", "designate 5"]),
        ("d7 a1", ["commit D7 A1 T3", "commit D7 A1 MI"]),
        ("A1 D7", ["commit D7 A1 T3", "commit D7 A1 MI"]),
        ("mi com", ["commit D7 A1 MI"]),
        ("flush", ["commit D7 A1 MI"]),
        ("d d", ["commit D1 D7 T3"]),
        ("d7 d7", []),
        ("approve now", []),
        ("qqq", []),
    ],
)
def test_each_word_typed_begins_a_word_of_its_own_in_the_move(typed: str, expected: list[str]) -> None:
    assert fitting(typed) == expected


def test_the_whole_text_of_a_move_means_that_move_alone() -> None:
    moves = ["play 2", "play 2 3"]
    found = OfferedMoves(moves, str, Text).fitting("PLAY  2")
    assert [choice.text for choice in found] == ["play 2"]


@given(st.sampled_from(MOVES), st.data())
def test_a_moves_own_words_in_any_order_find_it(move: str, data: st.DataObject) -> None:
    words = data.draw(st.permutations(move.split()))
    cut = [word[: data.draw(st.integers(1, len(word)))] for word in words]
    assert move in fitting(" ".join(cut))


def test_advice_speaks_of_what_is_due_and_of_nothing_else() -> None:
    rules = game("napoleon")
    tricks = [rules.text.parse_move("play 3C"), rules.text.parse_move("play AS")]

    def advice(typed: str) -> str:
        choice, why = typed_move(rules, tricks, typed, lambda move: f"not {rules.text.format_move(move)}")
        assert choice is None
        return why

    assert advice("xyzzy") == "it is not a move of Napoleon now; one would be 'play 3C'"
    assert advice("bid x") == "it is not a move of Napoleon now; one would be 'play 3C'"
    assert "bid" not in advice("play")
    assert advice("play 2H") == "not play 2H"


def test_a_legal_move_that_is_written_in_another_way_is_the_move() -> None:
    rules = game("niekhi")
    choice, why = typed_move(rules, [rules.text.parse_move("pass")], "run 5 3 4 as 3-5", lambda _: "")
    assert choice is not None
    assert (choice.move, choice.text, why) == (rules.text.parse_move("run 3 4 5"), "run 3 4 5", "")
