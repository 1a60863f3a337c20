"""The sensible way to play Naga."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import pytest

from fudaba.bots.naga import choose_sensible
from fudaba_games.match import Match
from fudaba_games.naga.rules import NAGA
from fudaba_games.naga.values import Commit, Designate, NagaMove, NagaView
from tests.support.games.naga.positions import cards, dealt, designate, give, lay

Player = Callable[[NagaView, int, Sequence[NagaMove]], NagaMove]


def score(players: Sequence[Player], number: int) -> int:
    """Returns the score of seat 0."""
    seed = sha256(str(number).encode()).digest()
    match: Match[Any, NagaMove, NagaView, Any] = Match(NAGA, 2, NAGA.resolve_options({}), seed)
    while match.outcome is None:
        due = match.open_decisions()[0]
        move = players[due.seat](match.view(due.seat), due.seat, due.legal)
        match.check(due.seat, due.id, move)
        match.play(due.seat, move)
    return match.outcome.scores[0]


@pytest.mark.exhaustive
def test_it_plays_legal_moves_and_beats_random_play_over_duplicate_deals() -> None:
    chance = random.Random(1)

    def by_chance(_view: NagaView, _seat: int, legal: Sequence[NagaMove]) -> NagaMove:
        return legal[chance.randrange(len(legal))]

    deals = range(15)
    won = sum(score([choose_sensible, by_chance], deal) - score([by_chance, choose_sensible], deal) for deal in deals)
    assert won > 15, "in 30 matches it should win far more than it loses"


def test_it_makes_the_same_move_again_for_the_same_view() -> None:
    for number in range(3):
        state = dealt(number)
        for _ in range(6):
            due = NAGA.decisions(state)[0]
            view, legal = NAGA.view(state, due.seat), NAGA.legal_moves(state, due.seat)
            move = choose_sensible(view, due.seat, legal)
            assert move == choose_sensible(view, due.seat, legal)
            NAGA.apply(state, due.seat, move)


def test_it_designates_the_place_of_its_trumps() -> None:
    state = dealt()
    give(state, 1, cards("W7 W6 W5 F1 A2"))
    lay(state, 7, "W1")
    assert choose_sensible(NAGA.view(state, 1), 1, NAGA.legal_moves(state, 1)) == Designate(7)


def test_it_does_not_waste_moons_on_a_battle_that_is_won_without_them() -> None:
    state = dealt()
    designate(state, 1)
    lay(state, 1, "D1")
    give(state, 0, cards("D7 D6 D5 MI MC"))
    move = choose_sensible(NAGA.view(state, 0), 0, NAGA.legal_moves(state, 0))
    assert move == Commit(cards("D7 D6 D5"))
