"""Binds, locks, draw three and King Time in Numbers Crush: docs/rules/numbers_crush.md."""

from __future__ import annotations

import pytest

from fudaba_games.numbers_crush import (
    CARD_TEXTS,
    Penalised,
    Phase,
)
from tests.support.games.numbers_crush.positions import do, holding, legal, sets, turn, view
from tests.support.games.numbers_crush.stock import BIG, STOCK, drawn


@pytest.mark.rule("C6.10", "C7.3")
@pytest.mark.parametrize(
    ("move", "colour"), [("set JH", 1), ("set JH JS", 2), ("set X1=JD AH", 1), ("set AH X1=JC", 2)]
)
def test_a_jack_binds_to_the_opposite_colour(move: str, colour: int) -> None:
    state = holding("QH", f"JH JS AH X1 {BIG}", "KS KH QS")
    do(state, move)
    assert (view(state).bind, view(state).bind_maker) == (colour, 0)


@pytest.mark.rule("C7.3")
def test_a_pass_in_a_bind_draws_three_and_ends_it() -> None:
    state = holding("8C", "KH QH", "KS QS JS", stock="2D 3D 4D")
    state.bind, state.bind_maker = 1, 1
    events = do(state, "pass")
    assert [CARD_TEXTS[event.card] for event in events if isinstance(event, Penalised)] == ["2D", "3D", "4D"]
    assert (view(state).bind, turn(state)) == (0, 1)


@pytest.mark.rule("C6.13", "C7.1")
def test_a_declared_joker_locks_the_next_seat_only() -> None:
    state = holding("8C", f"X1 {BIG}", "KS QS JS", "X2 KD JD", stock=STOCK)
    do(state, "set X1=joker", "skip")
    assert view(state).joker_lock
    assert legal(state) == ["pass"]
    do(state, "pass", "skip")
    assert not view(state).joker_lock
    assert drawn(state, 1) == 3
    assert {"KD", "JD", "X2=joker"} <= sets(state)


@pytest.mark.rule("C7.1", "C7.3")
def test_a_pass_under_lock_and_bind_draws_three() -> None:
    state = holding("8C", f"X1 {BIG}", "KS QS JS", "X2 KD JD", stock="2C 3C 4C")
    state.bind, state.bind_maker = 1, 2
    do(state, "set X1=joker", "skip")
    assert (view(state).bind, view(state).joker_lock) == (1, True)
    do(state, "pass")
    assert drawn(state, 1) == 6
    assert (view(state).bind, view(state).joker_lock) == (0, False)


@pytest.mark.rule("C6.11", "C7.4", "C7.5")
def test_draw_three_grows_is_answered_or_drawn() -> None:
    state = holding("8C", "QC KH KD", "QS QD KS 3S", "7C 5C KC", stock=STOCK)
    do(state, "set QC", "skip")
    assert view(state).pending == 3
    do(state, "set QD QS", "skip")
    assert view(state).pending == 9
    answered = state.clone()
    do(answered, "set 7C 5C")
    assert (view(answered).pending, turn(answered)) == (0, 1)
    do(state, "pass", *["decline"] * 4)
    assert view(state).pending == 0 or view(state).phase == Phase.PENALTY


@pytest.mark.rule("C7.6")
def test_a_queen_in_a_bind_keeps_both_and_a_pass_draws_the_pending_cards_only() -> None:
    state = holding("8C", "QC KH KD", "QD 7S 5H KS", "KC JC", stock="2D 3D 4D AD")
    state.bind, state.bind_maker = 1, 2
    do(state, "set QC", "skip")
    assert (view(state).bind, view(state).pending) == (1, 3)
    assert legal(state) == ["pass"]
    do(state, "pass")
    assert drawn(state, 1) == 7
    assert (view(state).bind, view(state).pending, turn(state)) == (0, 0, 2)


@pytest.mark.rule("C6.12", "C7.9", "C7.10", "C7.11")
def test_king_time_from_its_first_king_to_a_pass() -> None:
    state = holding("8C", "KC 2H 3H 4S", "QS QD JS 9S", "X1 KH 7C 9C", stock="2D 3D 4D 5D 6D 7D 8D 9D AD")
    state.bind, state.bind_maker = 1, 2
    do(state, "set KC", "skip")
    assert turn(state) == 1
    assert (view(state).king_penalty, view(state).king_starter, view(state).bind) == (3, 0, 0)
    do(state, "set QD QS", "skip")
    assert (view(state).king_penalty, view(state).pending) == (9, 0)
    do(state, "set KH", "skip")
    assert (view(state).king_penalty, view(state).king_starter) == (9, 0)
    do(state, "pass")
    assert drawn(state, 0) == 12
    assert (view(state).king_penalty, turn(state)) == (0, 0), "it started king time itself"


@pytest.mark.rule("C7.10")
@pytest.mark.parametrize("lifting", ["set KH", "set X1=joker"])
def test_a_jack_in_king_time_binds_and_a_king_or_joker_lifts_it(lifting: str) -> None:
    state = holding("KC", "JS 2H 3H 4S", "KH JD X1 AS", "KS 3C 4C")
    state.king_penalty, state.king_starter = 6, 2
    do(state, "set JS", "skip")
    assert (view(state).bind, view(state).king_penalty) == (2, 6)
    assert {"KH", "JD"} <= sets(state)
    do(state, lifting)
    assert (view(state).bind, view(state).king_penalty, view(state).king_starter) == (0, 6, 2)
    assert not view(state).joker_lock


@pytest.mark.rule("C7.9")
def test_a_king_on_a_pending_draw_three_adds_it() -> None:
    state = holding("8C", f"8D 8S QH KD {BIG}", "KS QS JS")
    do(state, "set 8D 8S", "set QH")
    assert view(state).pending == 3
    do(state, "set KD")
    assert (view(state).king_penalty, view(state).pending) == (6, 0)


@pytest.mark.rule("C7.12")
@pytest.mark.parametrize(
    ("second", "limits"),
    [("set JC", (2, 0, False)), ("set X1=joker", (0, 0, True)), ("set 2D", (0, 3, False))],
)
def test_a_newer_limit_takes_the_place_of_an_older_one(second: str, limits: tuple[int, int, bool]) -> None:
    state = holding("8C", "8D 8S QH JC X1 2D 4D KH", "KS QS JS")
    do(state, "set 8D 8S", "set QH", second)
    seen = view(state)
    assert (seen.bind, seen.pending, seen.joker_lock) == limits


@pytest.mark.rule("C7.12")
@pytest.mark.parametrize(("second", "limits"), [("JC", (2, 0, 0)), ("QH", (0, 3, 0)), ("KH", (0, 0, 3))])
def test_a_newer_limit_takes_the_place_of_a_lock(second: str, limits: tuple[int, int, int]) -> None:
    state = holding("8C", f"8D 8S {second} X1 2D 4D", "KS QS JS")
    do(state, "set 8D 8S", "set X1=joker")
    assert view(state).joker_lock
    do(state, f"set {second}")
    seen = view(state)
    assert (seen.bind, seen.pending, seen.king_penalty, seen.joker_lock) == (*limits, False)
