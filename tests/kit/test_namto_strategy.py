"""The sensible way to play Namto."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from fudaba.bots.namto import choose_sensible
from fudaba_games.namto.rules import NAMTO
from fudaba_games.namto.state import NamtoState
from tests.support.games.namto.positions import dealt, do, holding, turn, view


def chosen(state: NamtoState) -> str:
    """Returns the move of the seat to move, as text."""
    seat = turn(state)
    move = choose_sensible(view(state, seat), seat, NAMTO.legal_moves(state, seat))
    NAMTO.check(state, seat, move)
    return NAMTO.text.format_move(move)


def score(number: int, seats: int, seat: int) -> int:
    """Returns what a sensible seat among random ones scores in a deal."""
    chance = random.Random(number)
    options = NAMTO.resolve_options({"deals": 1})
    state, _ = NAMTO.new_match(seats, options, sha256(str(number).encode()).digest())
    while NAMTO.decisions(state):
        if turn(state) == seat:
            do(state, chosen(state))
        else:
            NAMTO.advance(state, turn(state), NAMTO.random_move(state, turn(state), chance))
    outcome = NAMTO.outcome(state)
    assert outcome is not None
    return outcome.scores[seat]


@pytest.mark.parametrize(
    "seats",
    [
        2,
        pytest.param(4, marks=pytest.mark.nightly("the same of two")),
        pytest.param(6, marks=pytest.mark.nightly("the same of two")),
    ],
)
def test_it_plays_legal_moves_and_beats_random_play_over_duplicate_deals(seats: int) -> None:
    scores = [score(deal, seats, seat) for deal in range(120 // seats) for seat in range(seats)]
    assert sum(scores) / len(scores) > 4


def test_it_makes_the_same_move_again_for_the_same_view() -> None:
    state = dealt(4, 3, deals=2)
    while NAMTO.decisions(state):
        text = chosen(state)
        assert text == chosen(state)
        do(state, text)


def test_it_bets_what_a_hand_is_worth() -> None:
    state = holding("rK bT", "r7 b3", "r6 b1")
    assert chosen(state) == "bet 3", "the whole pot"
    state = holding("r0 b2", "r7 b3", "r6 b1", "rK bK")
    assert chosen(state) in {"bet 1", "fold"}


def test_it_pays_no_high_price_for_a_weak_hand() -> None:
    state = holding("rK bT", "r0 b2")
    do(state, "bet 60")
    assert chosen(state) == "fold"
    state = holding("r0 b2", "rK bT")
    do(state, "bet 1", "bet 80")
    assert chosen(state) == "fold"


def test_it_calls_with_a_strong_hand() -> None:
    state = holding("rK bT", "r0 b2")
    do(state, "bet 1", "bet 80")
    assert chosen(state) == "call"


@pytest.mark.parametrize("shared", [0, 5])
def test_it_knows_how_many_cards_are_still_to_be_opened(shared: int) -> None:
    state = dealt(3, 4, shared=shared, deals=1)
    while NAMTO.decisions(state):
        do(state, chosen(state))
    assert NAMTO.outcome(state) is not None
