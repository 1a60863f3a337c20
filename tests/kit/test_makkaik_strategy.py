"""The sensible way to play Makkaik."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from fudaba.bots.makkaik import choose_sensible
from fudaba_games.makkaik.rules import MAKKAIK
from fudaba_games.makkaik.state import MakkaikState
from tests.support.games.makkaik.positions import betting, dealt, do, holding, turn, view


def chosen(state: MakkaikState) -> str:
    """Returns the move of the seat to move, as text."""
    seat = turn(state)
    move = choose_sensible(view(state, seat), seat, MAKKAIK.legal_moves(state, seat))
    MAKKAIK.check(state, seat, move)
    return MAKKAIK.text.format_move(move)


def score(number: int, seats: int, seat: int) -> int:
    """Returns what a sensible seat among random ones scores in a deal."""
    chance = random.Random(number)
    options = MAKKAIK.resolve_options({"deals": 1})
    state, _ = MAKKAIK.new_match(seats, options, sha256(str(number).encode()).digest())
    while MAKKAIK.decisions(state):
        if turn(state) == seat:
            do(state, chosen(state))
        else:
            MAKKAIK.advance(state, turn(state), MAKKAIK.random_move(state, turn(state), chance))
    outcome = MAKKAIK.outcome(state)
    assert outcome is not None
    return outcome.scores[seat]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "seats",
    [
        2,
        pytest.param(4, marks=pytest.mark.nightly("the same of two")),
        pytest.param(6, marks=pytest.mark.nightly("the same of two")),
    ],
)
def test_it_plays_legal_moves_and_beats_random_play_over_duplicate_deals(seats: int) -> None:
    scores = [score(deal, seats, seat) for deal in range(60 // seats) for seat in range(seats)]
    assert sum(scores) / len(scores) > 1.5


def test_it_makes_the_same_move_again_for_the_same_view() -> None:
    state = dealt(4, 3, deals=1)
    while MAKKAIK.decisions(state):
        text = chosen(state)
        assert text == chosen(state)
        do(state, text)


def test_it_takes_the_public_card_that_makes_a_set_of_three() -> None:
    state = holding("rK bT b0", "b1 b2 b6", "r3 r5 b7", public="bK r4 b8")
    assert chosen(state) == "swap b0 bK", "the set is its own then, and there is no pair of kings for others"


def test_it_draws_where_nothing_that_lies_there_helps() -> None:
    state = holding("r0 r2 b4", "b1 b2 b6", public="r0 r0 b0")
    assert chosen(state) != "draw"
    state = holding("r0 r2 b4", "b1 b2 b6", public="r6 b8 b1")
    assert chosen(state) == "draw"


def test_it_keeps_the_better_of_two_drawn_cards() -> None:
    state = holding("r7 b7 b0", "b1 b2 b6", public="r3 r5 b4", stock="r7 r1")
    do(state, "draw")
    assert chosen(state) == "keep r7 b0"


def test_a_sure_hand_is_worth_the_highest_base_and_a_hopeless_one_nothing() -> None:
    state = betting("rK bK bT", "b1 b2 b6", "r3 r5 b7")
    assert chosen(state) == "stay 5"
    state = betting("r1 b2 b6", "b1 r2 b7", "r3 r5 r7", "b0 b5 r0", public="rS rK bT b8", dealer=1)
    do(state, "stay 5", "stay", "stay")
    assert chosen(state) == "fold"
    do(state, "stay")
    assert chosen(state) in {"stay 1", "fold"}
