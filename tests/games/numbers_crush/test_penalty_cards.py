"""Penalty cards in Numbers Crush: docs/rules/numbers_crush.md."""

from __future__ import annotations

import pytest

from fudaba_games.numbers_crush import (
    CARD_TEXTS,
    Penalised,
    Phase,
    cards_of,
)
from tests.support.games.numbers_crush.positions import cards, do, holding, legal, turn, view
from tests.support.games.numbers_crush.stock import BIG, drawn


@pytest.mark.rule("C7.8")
def test_a_penalty_card_that_may_be_set_can_cancel_the_rest() -> None:
    state = holding("8C", "KH QH 2C", "KS QS JS", stock="2D 3S 4D")
    state.bind, state.bind_maker = 1, 1
    events = do(state, "pass")
    assert [CARD_TEXTS[event.card] for event in events if isinstance(event, Penalised)] == ["2D", "3S"]
    assert legal(state) == ["decline", "set 3S"], "only of the cards drawn"
    other = state.clone()
    do(state, "set 3S")
    assert (view(state).bind, turn(state), drawn(state, 0)) == (1, 1, 4)
    assert do(other, "decline")[1:2] == [Penalised(0, cards_of(cards("4D"))[0])]
    assert legal(other) == ["decline", "set 3S"], "asked again after each"
    do(other, "decline")
    assert (view(other).bind, turn(other), drawn(other, 0)) == (0, 1, 6)


@pytest.mark.rule("C7.1", "C7.8")
def test_a_joker_among_the_penalty_cards_answers_the_lock_and_ends_it() -> None:
    state = holding("8C", f"X1 {BIG}", "KS QS JS", "KD JD", stock="X2 3C 4C")
    state.bind, state.bind_maker = 1, 2
    do(state, "set X1=joker", "skip", "pass")
    assert view(state).phase == Phase.PENALTY
    do(state, "set X2=4S")
    assert (view(state).bind, view(state).joker_lock) == (1, False)
    assert (turn(state), drawn(state, 1)) == (2, 3)


@pytest.mark.rule("C7.8", "C7.4")
def test_penalty_cards_can_make_a_sum_together() -> None:
    state = holding("QC", "KH 2H 2C", "KS QS JS", stock="7D 5S 4D")
    state.pending = 3
    do(state, "pass")
    assert legal(state) == ["decline", "set 5S 7D", "set 7D 5S"]
    do(state, "set 5S 7D")
    assert (view(state).pending, view(state).phase) == (0, Phase.GIVE)
