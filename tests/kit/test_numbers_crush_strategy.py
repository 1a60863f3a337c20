"""The sensible way to play Numbers Crush."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from fudaba.bots.numbers_crush import choose_sensible
from fudaba_games.numbers_crush.rules import NUMBERS_CRUSH
from fudaba_games.numbers_crush.state import NumbersCrushState
from tests.support.games.numbers_crush.positions import do, holding


def chosen(state: NumbersCrushState, seat: int) -> str:
    """Returns the text of the move that it makes, which has to be legal."""
    move = choose_sensible(NUMBERS_CRUSH.view(state, seat), seat, NUMBERS_CRUSH.legal_moves(state, seat))
    NUMBERS_CRUSH.check(state, seat, move)
    return NUMBERS_CRUSH.text.format_move(move)


def score(number: int, seats: int, sensible: int) -> int:
    """Returns the score of the seat that plays sensibly in a deal in which the others play at random."""
    chance, seed = random.Random(number), sha256(str(number).encode()).digest()
    state, _ = NUMBERS_CRUSH.new_match(seats, NUMBERS_CRUSH.resolve_options({}), seed)
    while due := NUMBERS_CRUSH.decisions(state):
        seat = due[0].seat
        if seat == sensible:
            do(state, f"{seat}: {chosen(state, seat)}")
        else:
            NUMBERS_CRUSH.advance(state, seat, NUMBERS_CRUSH.random_move(state, seat, chance))
    outcome = NUMBERS_CRUSH.outcome(state)
    assert outcome is not None
    return outcome.scores[sensible]


@pytest.mark.parametrize(("seats", "least"), [(2, 0.6), pytest.param(4, 1.2, marks=pytest.mark.exhaustive), (5, 1.4)])
def test_it_plays_legal_moves_and_beats_random_play_over_duplicate_deals(seats: int, least: float) -> None:
    won = [score(deal, seats, seat) for deal in range(48 // seats) for seat in range(seats)]
    assert sum(won) / len(won) > least


@pytest.mark.parametrize(
    ("hand", "move"),
    [("4H 5H", "set 5H 4H"), ("8C", "set 8C"), ("2H 2S", "set 2H 2S"), ("X1", "set X1=AH")],
)
def test_it_sets_its_last_cards_at_once(hand: str, move: str) -> None:
    state = holding("8H", hand, "KC KS", "QC QS")
    kind, count = move.split(maxsplit=1)[0], len(move.split())
    text = chosen(state, 0)
    assert (text.split()[0], len(text.split())) == (kind, count)
    do(state, text)
    assert NUMBERS_CRUSH.outcome(state) is not None


def test_it_draws_only_to_answer_a_limit() -> None:
    state = holding("8H", "9S KC", "KH KS", "QC QS")
    state.phase = 1
    assert chosen(state, 0) == "skip"
    state.pending = 3
    assert chosen(state, 0) == "draw"


def test_it_counters_a_zero_out() -> None:
    state = holding("8H", "2H KC KH", "2C QS", "2S")
    do(state, "set 2H", "2: zero_out")
    assert chosen(state, 1) == "counter"
