"""The sensible way to play Mokkaik."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from fudaba.bots.mokkaik import choose_sensible
from fudaba_games.mokkaik.rules import MOKKAIK
from fudaba_games.mokkaik.state import MokkaikState
from tests.support.games.mokkaik.positions import dealt, do, holding, turn, view


def chosen(state: MokkaikState) -> str:
    """Returns the move of the seat to move, as text."""
    seat = turn(state)
    move = choose_sensible(view(state, seat), seat, MOKKAIK.legal_moves(state, seat))
    MOKKAIK.check(state, seat, move)
    return MOKKAIK.text.format_move(move)


def score(number: int, seats: int, seat: int) -> int:
    """Returns what a sensible seat among random ones scores in a deal."""
    chance = random.Random(number)
    options = MOKKAIK.resolve_options({"deals": 1})
    state, _ = MOKKAIK.new_match(seats, options, sha256(str(number).encode()).digest())
    while MOKKAIK.decisions(state):
        if turn(state) == seat:
            do(state, chosen(state))
        else:
            MOKKAIK.advance(state, turn(state), MOKKAIK.random_move(state, turn(state), chance))
    outcome = MOKKAIK.outcome(state)
    assert outcome is not None
    return outcome.scores[seat]


@pytest.mark.parametrize("seats", [2, pytest.param(4, marks=pytest.mark.exhaustive), 6])
def test_it_plays_legal_moves_and_beats_random_play_over_duplicate_deals(seats: int) -> None:
    scores = [score(deal, seats, seat) for deal in range(12) for seat in range(seats)]
    assert sum(scores) / len(scores) > 3


def test_it_makes_the_same_move_again_for_the_same_view() -> None:
    state = dealt(4, 3, deals=1)
    while MOKKAIK.decisions(state):
        text = chosen(state)
        assert text == chosen(state)
        do(state, text)


def test_it_leads_what_nobody_can_beat_and_keeps_such_a_card_for_the_last_round() -> None:
    # The kings and emperors of the other colour cannot follow red.
    state = holding("r0 rK rT", "b1 b2 b3", "b4 b5 b6", public=["r8 r8", "b8", "b8"])
    assert chosen(state) in {"single rK", "single rT", "set rK rT"}
    state = holding("r0 r0 rK", "r1 b1 b2", "b4 b5 b6")
    assert chosen(state) == "set r0 r0", "the pair holds, and the king wins the last round"


def test_it_wins_the_last_round_if_it_can() -> None:
    state = holding("r3 r3", "r5 r5", "b0 b1")
    do(state, "set r3 r3")
    assert chosen(state) == "set r5 r5"


def test_it_discards_what_it_misses_least() -> None:
    state = holding("r8 b0 b1", "r3 b5 b5", "r0 b4 b6")
    do(state, "single r8")
    assert chosen(state) == "discard r3"
    state = holding("r8 b0", "rS bK b0", "r0 b4")
    do(state, "single r8")
    assert chosen(state) in {"single rS as K", "discard b0"}
