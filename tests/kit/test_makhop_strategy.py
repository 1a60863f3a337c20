"""The sensible way to play Makhop."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from fudaba.bots.makhop import choose_sensible, turns_needed
from fudaba_games.makhop import FREE
from fudaba_games.makhop.rules import MAKHOP
from fudaba_games.makhop.state import MakhopState
from tests.support.games.makhop.positions import cards, dealt, do, table, turn, view


def chosen(state: MakhopState) -> str:
    """Returns the move of the seat to move, as text."""
    seat = turn(state)
    move = choose_sensible(view(state, seat), seat, MAKHOP.legal_moves(state, seat))
    MAKHOP.check(state, seat, move)
    return MAKHOP.text.format_move(move)


def score(number: int, seats: int, seat: int) -> int:
    """Returns what a sensible seat among random ones scores in a deal."""
    chance = random.Random(number)
    options = MAKHOP.resolve_options({"deals": 1})
    state, _ = MAKHOP.new_match(seats, options, sha256(str(number).encode()).digest())
    while MAKHOP.decisions(state):
        if turn(state) == seat:
            do(state, chosen(state))
        else:
            MAKHOP.advance(state, turn(state), MAKHOP.random_move(state, turn(state), chance))
    outcome = MAKHOP.outcome(state)
    assert outcome is not None
    return outcome.scores[seat]


@pytest.mark.parametrize(
    ("seats", "better_than"), [(2, 0.4), pytest.param(4, 0.9, marks=pytest.mark.exhaustive), (6, 1.2)]
)
def test_it_plays_legal_moves_and_beats_random_play_over_duplicate_deals(seats: int, better_than: float) -> None:
    scores = [score(deal, seats, seat) for deal in range(120 // seats) for seat in range(seats)]
    assert sum(scores) / len(scores) > better_than


def test_it_makes_the_same_move_again_for_the_same_view() -> None:
    state = dealt(4, 3, deals=1)
    while MAKHOP.decisions(state):
        text = chosen(state)
        assert text == chosen(state)
        do(state, text)


def test_it_wins_if_it_can() -> None:
    assert chosen(table("r6,b8,rS", "r1 b2 r3", "r1")).startswith("extend 0 ")
    assert chosen(table("r3,b8", "r4 b7", "r1")).startswith("join 0 1 ")
    assert chosen(table("r3,b8", "bK", "r1")) == "clear bK"


def test_it_lays_many_cards_at_a_time_and_leaves_an_end_on_which_the_rest_fits() -> None:
    assert chosen(table("r6", "r1 b2 r3 b8 r8", "r1")) == "extend 0 r3 b2 r1", "three cards"
    assert chosen(table("b8", "r2 b6 r6", "r1")) in {"extend 0 r2 b6", "extend 0 r2 r6"}, "the other six fits on it"


def test_it_keeps_a_king_for_the_end_as_it_needs_no_road() -> None:
    assert chosen(table("r6,b4", "r6 rK", "r1")) == "extend 0 r6"


def test_turns_are_counted_by_what_fits() -> None:
    assert turns_needed(cards("rK bT"), []) == 2
    assert turns_needed(cards("r3 b4"), [7]) == 1
    assert turns_needed(cards("r3 b4"), [3, 4]) == 1, "the roads can be joined"
    assert turns_needed(cards("r3"), [FREE]) == 1
    assert turns_needed(cards("r3 b4"), [FREE, 4]) < turns_needed(cards("r3 b4"), [8])
    assert turns_needed(cards("r3 b4 rS"), [7]) == 2


def test_of_very_many_moves_it_looks_at_some() -> None:
    ends = " ".join([f"{colour}{value}" for colour in "rb" for value in "1234567801234"])
    state = table(",".join(ends.split()), "r1 b1 r5 b5 r6 b6", "r0", max_roads=48)
    assert len(MAKHOP.legal_moves(state, 0)) > 1000
    assert chosen(state) == chosen(state) != "open"
