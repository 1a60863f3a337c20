"""The sensible way to play Houniek."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from fudaba.bots.houniek import choose_sensible, fewest_melds
from fudaba_games.houniek.rules import HOUNIEK
from fudaba_games.houniek.state import HouniekState
from tests.support.games.houniek.positions import cards, dealt, do, holding, turn, view


def chosen(state: HouniekState) -> str:
    """Returns the move of the seat to move, as text."""
    seat = turn(state)
    move = choose_sensible(view(state, seat), seat, HOUNIEK.legal_moves(state, seat))
    HOUNIEK.check(state, seat, move)
    return HOUNIEK.text.format_move(move)


def score(number: int, seats: int, seat: int) -> int:
    """Returns what a sensible seat among random ones scores in a deal."""
    chance = random.Random(number)
    options = HOUNIEK.resolve_options({"deals": 1})
    state, _ = HOUNIEK.new_match(seats, options, sha256(str(number).encode()).digest())
    while HOUNIEK.decisions(state):
        if turn(state) == seat:
            do(state, chosen(state))
        else:
            HOUNIEK.advance(state, turn(state), HOUNIEK.random_move(state, turn(state), chance))
    outcome = HOUNIEK.outcome(state)
    assert outcome is not None
    return outcome.scores[seat]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("seats", "better_than"),
    [
        pytest.param(2, 0.7, marks=pytest.mark.nightly("the same of four")),
        pytest.param(3, 0.8, marks=pytest.mark.nightly("the same of four")),
        (4, 0.9),
    ],
)
def test_it_plays_legal_moves_and_beats_random_play_over_duplicate_deals(seats: int, better_than: float) -> None:
    scores = [score(deal, seats, seat) for deal in range(120 // seats) for seat in range(seats)]
    assert sum(scores) / len(scores) > better_than


@pytest.mark.parametrize("hand", ["eight", "twelve"])
def test_it_makes_the_same_legal_move_again_for_the_same_view(hand: str) -> None:
    state = dealt(4, 3, deals=1, hand=hand)
    while HOUNIEK.decisions(state):
        text = chosen(state)
        assert text == chosen(state)
        do(state, text)


def test_it_wins_if_it_can() -> None:
    assert chosen(holding("r1 b2 r0", "b1 b1", stock="b8 b8")).startswith("run r0 r1 b2")
    assert chosen(holding("r7 b7 r0", "b1 b1", stock="b8 b8")).startswith("set r0 r7 b7")
    state = holding("r1 r5", "r3", stock="b8 b8")
    do(state, "single r1")
    assert chosen(state) == "single r3"


def test_it_lays_long_runs_and_keeps_wild_cards() -> None:
    state = holding("r0 b0 r1 r2 b3 r4 b5 b5 b8 bK", "r1 b2 b3 r5 b5 b6 r7 b8 rK rT", stock="b8 b8 r8 r8")
    assert chosen(state) == "run r1 r2 r4 b3 b5"


def test_it_keeps_what_two_drawn_cards_are_likely_to_complete() -> None:
    state = holding("r0 b0 r5 b6 r2 b2", "r1 b2 b3 r5 b5 b6 r7 b8 rK rT", stock="b8 b8 r8 r8")
    assert chosen(state) == "set r2 b2", "with two wild cards most others make a run of five and six"


def test_it_passes_rather_than_lay_a_wild_card_by_itself() -> None:
    state = holding("r8 b1 b2", "r0 b0 r2 b2 b5 b5 bK", stock="b8 b8 r7 r7")
    do(state, "single r8")
    assert chosen(state) == "pass"


def test_melds_are_counted_at_the_best_use_of_the_wild_cards() -> None:
    assert fewest_melds(cards("r1 b2 r3")) == (1,)
    assert fewest_melds(cards("rT bS r1")) == (1,), "around the circle"
    assert fewest_melds(cards("r1 r2 r4")) == (2,)
    assert fewest_melds(cards("r1 r2 r0 r4"))[:2] == (2, 1), "a none fills the gap"
    assert fewest_melds(cards("r1 b1 r5 b5 b5")) == (2,), "two sets"
    assert fewest_melds(cards("r1 b1 r2 b2 r3 b3")) == (2,), "two runs"
    assert fewest_melds(cards("r5 b5 r6 r7")) == (2,)
    assert fewest_melds(cards("r0 b0")) == (2,), "they are not a meld by themselves"
