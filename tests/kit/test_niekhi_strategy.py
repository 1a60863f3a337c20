"""The sensible way to play Niekhi."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from fudaba.bots.niekhi import choose_sensible, lays_needed
from fudaba_games.niekhi.rules import NIEKHI
from fudaba_games.niekhi.state import NiekhiState
from tests.support.games.niekhi.positions import cards, dealt, do, holding, turn


def chosen(state: NiekhiState) -> str:
    """Returns the move of the seat to move, as text."""
    seat = turn(state)
    move = choose_sensible(NIEKHI.view(state, seat), seat, NIEKHI.legal_moves(state, seat))
    NIEKHI.check(state, seat, move)
    return NIEKHI.text.format_move(move)


def scores(number: int, seats: int, sensible: set[int]) -> tuple[int, ...]:
    """Returns the scores of a deal in which some seats play sensibly and the others at random."""
    chance = random.Random(number)
    state, _ = NIEKHI.new_match(seats, NIEKHI.resolve_options({"deals": 1}), sha256(str(number).encode()).digest())
    while NIEKHI.decisions(state):
        seat = turn(state)
        if seat in sensible:
            do(state, chosen(state))
        else:
            NIEKHI.advance(state, seat, NIEKHI.random_move(state, seat, chance))
    outcome = NIEKHI.outcome(state)
    assert outcome is not None
    return outcome.scores


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("seats", "least"),
    [pytest.param(2, 0.7, marks=pytest.mark.nightly("the same of four and six")), (4, 1.3), (6, 1.0)],
)
def test_it_plays_legal_moves_and_beats_random_play_over_duplicate_deals(seats: int, least: float) -> None:
    won = [scores(deal, seats, {seat})[seat] for deal in range(60 // seats) for seat in range(seats)]
    assert sum(won) / len(won) > least


def test_it_makes_the_same_move_again_for_the_same_view() -> None:
    state = dealt(4, seed=3, deals=1)
    while NIEKHI.decisions(state):
        text = chosen(state)
        assert text == chosen(state)
        do(state, text)


@pytest.mark.parametrize(
    ("hand", "pile", "move"),
    [
        ("3 3", "", "set 3 3"),
        ("3 4 5 6", "", "run 3 4 5 6"),
        ("3 3 4 4 5 5", "", "stairs 3 3 4 4 5 5"),
        ("0 S", "", "set S 0"),
    ],
)
def test_it_lays_its_last_cards_at_once(hand: str, pile: str, move: str) -> None:
    assert chosen(holding([hand, "5 5 5 6", "7 7 8 1"], pile=pile)) == move


def test_it_names_what_empties_its_hand() -> None:
    state = holding(["8 1 1", "5 5 5 6 2", "7 7 8 1 2"])
    do(state, "single 8")
    assert chosen(state) == "name 1"


def test_a_run_is_one_lay_and_single_cards_are_many() -> None:
    assert lays_needed(cards("2 3 4 5")) < lays_needed(cards("2 3 5 6"))
    assert lays_needed(cards("2 2 3 3 4 4")) < lays_needed(cards("2 2 3 3 5 5"))
    assert lays_needed(cards("K")) < lays_needed(cards("0"))
