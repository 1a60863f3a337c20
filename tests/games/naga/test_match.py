"""Naga's match and its scores: docs/rules/naga.md, N10."""

from __future__ import annotations

from collections import Counter

import pytest

from fudaba_games.cards import mask_of
from fudaba_games.game import Outcome
from fudaba_games.naga.cards import ELTAM
from fudaba_games.naga.rules import NAGA
from fudaba_games.naga.values import DealEnded
from fudaba_games.shuffle import shuffled
from tests.support.games.naga.positions import dealt, default_battles, fight, lay, win_singles


@pytest.mark.rule("N10.1", "N10.3", "N10.5", "G1.3")
@pytest.mark.parametrize("deals", [1, 2, 7])
def test_a_match_has_so_many_deals_and_sums_their_scores(deals: int) -> None:
    state = dealt(deals=deals)
    moves = Counter[str]()
    totals, ended = [0, 0], 0
    while due := NAGA.decisions(state):
        move = NAGA.legal_moves(state, due[0].seat)[-1]
        moves[NAGA.text.move_kind(move)] += 1
        for shown in NAGA.apply(state, due[0].seat, move):
            if isinstance(shown.event, DealEnded):
                ended += 1
                totals = [total + score for total, score in zip(totals, shown.event.scores, strict=True)]
                assert NAGA.view(state, None).scores == tuple(totals)
    assert ended == deals
    assert NAGA.outcome(state) == Outcome((totals[0], totals[1]))
    assert moves["designate"] <= 6 * deals
    assert moves["commit"] <= 14 * deals


@pytest.mark.rule("N10.2")
@pytest.mark.parametrize("first_dealer", [0, 1])
@pytest.mark.parametrize(("singles", "winner"), [("00000", 0), ("11111", 1), ("======", None)])
def test_the_winner_deals_next_and_after_a_drawn_deal_the_dealer_stays(
    singles: str, winner: int | None, first_dealer: int
) -> None:
    state = dealt(deals=2, first_dealer=first_dealer)
    win_singles(state, singles)
    if winner is None:
        lay(state, ELTAM, "F5 W5 L4")
        fight(state, "E1 W2", "T1 F2")
    assert state.deal == 1
    assert state.dealer == (first_dealer if winner is None else winner)
    (due,) = NAGA.decisions(state)
    assert due.seat == 1 - state.dealer


@pytest.mark.rule("N10.1", "N3.1", "G2.2")
def test_every_deal_is_a_new_shuffle_of_all_cards() -> None:
    state = dealt(deals=3)
    for deal in range(3):
        deck = shuffled(list(range(51)), bytes(32), deal, 0)
        view = NAGA.view(state, None)
        assert (view.deal, view.battle, view.place, view.discarded, view.won) == (deal, 0, 0, 0, (0, 0))
        assert view.table[1] == 1 << deck[0]
        assert state.hands[1 - state.dealer] == mask_of(deck[9:14])
        while state.deal == deal and not state.over:
            default_battles(state, 1)


@pytest.mark.rule("N10.4")
@pytest.mark.parametrize("seat", [0, 1])
def test_giving_up_loses_the_deal_in_progress_and_those_to_come(seat: int) -> None:
    def signed(lost: int) -> Outcome:
        return Outcome((-lost, lost) if seat == 0 else (lost, -lost))

    state = dealt(deals=5)
    assert NAGA.forfeit(state, seat) == signed(5)
    win_singles(state, str(seat) * 5)
    assert NAGA.forfeit(state, seat) == signed(4 - 1)
    win_singles(state, str(1 - seat) * 5)
    assert NAGA.forfeit(state, seat) == signed(3)


@pytest.mark.rule("N10.4")
def test_a_match_that_is_over_has_nothing_left_to_give_up() -> None:
    state = dealt()
    win_singles(state, "00000")
    assert NAGA.forfeit(state, 0) == NAGA.outcome(state) == Outcome((1, -1))
