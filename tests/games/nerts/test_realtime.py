"""Nerts in real time, without a clock: docs/rules/nerts.md, NE12."""

from __future__ import annotations

import random

import pytest

from fudaba_games.game import BadOption, Decision, Timer
from fudaba_games.match import DecisionClosed, Match
from fudaba_games.nerts.rules import NERTS
from fudaba_games.nerts.state import NertsState
from fudaba_games.nerts.values import BY_CALL, BY_LIMIT, BY_STANDSTILL, Called, DealEnded, Founded, StocksTurned
from fudaba_games.play import play_out
from tests.support.games.nerts.positions import Cards, holding, names, play


def now(*seats: Cards, foundations: tuple[str, ...] = ("AC",), **options: int) -> NertsState:
    """Returns a position in real time."""
    return holding(*seats, foundations=foundations, pace="realtime", **options)


def matched(state: NertsState) -> Match:  # type: ignore[type-arg]  # of Nerts
    """Returns a match at this position."""
    options = NERTS.resolve_options({"target": 0, "pace": "realtime"})
    return Match(NERTS, state.seats, options, bytes(32), at=state)


@pytest.mark.rule("NE12.1")
def test_everybody_may_move_at_any_time_and_moves_are_made_at_once() -> None:
    state = now(Cards(nerts="9D 2C"), Cards(nerts="3C", waste="2C"))
    assert list(NERTS.decisions(state)) == [Decision(0, False, 1), Decision(1, False, 1)]
    assert [type(event) for event in play(state, 1, "found waste 0")] == [Founded]
    assert [type(event) for event in play(state, 1, "found nerts 0")] == [Founded]
    called, ended = play(state, 1, "nerts")
    assert called == Called(1)
    assert isinstance(ended, DealEnded)
    assert (ended.cause, ended.scores) == (BY_CALL, (-4, 2))


@pytest.mark.rule("NE12.2")
def test_an_answer_to_an_earlier_id_is_an_answer_to_the_decision() -> None:
    match = matched(now(Cards(nerts="9D 2C", stock="3D"), Cards(waste="5H 2C")))
    first, other = match.open(0), match.open(1)
    assert first is not None
    assert other is not None
    match.play(1, NERTS.text.parse_move("found waste 0"))
    second = match.open(0)
    assert second is not None
    assert second.id != first.id
    assert match.decision(0, first.id) is match.find(0, first.id) is first
    assert NERTS.text.parse_move("found nerts 0") in first.legal
    assert NERTS.text.parse_move("found nerts 0") not in second.legal
    match.check(0, first.id, NERTS.text.parse_move("flip"))
    match.play(0, NERTS.text.parse_move("flip"))
    for decision in (first, second):
        assert match.answered(0, decision.id) == NERTS.text.parse_move("flip")
        with pytest.raises(DecisionClosed):
            match.decision(0, decision.id)


@pytest.mark.rule("NE12.2")
def test_an_answer_of_an_earlier_deal_is_none() -> None:
    options = NERTS.resolve_options({"pace": "realtime", "max_deals": 2})
    match = Match(NERTS, 2, options, bytes(32))
    asked = match.open(0)
    assert asked is not None
    match.fire("limit")
    with pytest.raises(DecisionClosed):
        match.decision(0, asked.id)
    assert match.view(0).deal == 1


@pytest.mark.rule("NE12.3")
def test_a_hand_is_busy_for_a_while_with_all_but_waiting() -> None:
    state = now(Cards(), Cards(), hand_ms=200)
    assert NERTS.pause_ms(state, NERTS.text.parse_move("flip")) == 200
    assert NERTS.pause_ms(state, NERTS.text.parse_move("wait")) == 0
    assert NERTS.pause_ms(holding(Cards(), Cards()), NERTS.text.parse_move("flip")) == 0
    assert NERTS.resolve_options({})["hand_ms"] == 150
    with pytest.raises(BadOption):
        NERTS.resolve_options({"hand_ms": 10_001})


@pytest.mark.rule("NE12.4")
def test_who_waits_is_asked_again_when_something_happens() -> None:
    state = now(Cards(stock="3D"), Cards(stock="3D"))
    assert play(state, 0, "wait") == []
    assert [decision.seat for decision in NERTS.decisions(state)] == [1]
    assert NERTS.view(state, 1) == NERTS.view(now(Cards(stock="3D"), Cards(stock="3D")), 1)
    timers = NERTS.timers(state)
    play(state, 1, "wait")
    assert NERTS.timers(state) == timers
    assert list(NERTS.decisions(state)) == []
    NERTS.fire(state, "stuck")
    assert len(NERTS.decisions(state)) == 2
    play(state, 0, "wait")
    play(state, 1, "flip")
    assert len(NERTS.decisions(state)) == 2


@pytest.mark.rule("NE12.5", "NE12.8")
def test_the_referee_turns_the_stocks_when_nobody_moves() -> None:
    state = now(Cards(stock="2D 3D", waste="9S"), Cards(), stuck_ms=700)
    before = NERTS.timers(state)
    assert before[0] == Timer("stuck", 700, 0)
    assert [shown.event for shown in NERTS.fire(state, "stuck")] == [StocksTurned(1)]
    assert names(state.layouts[0].stock) == "3D 9S 2D"
    assert NERTS.timers(state)[0] == Timer("stuck", 700, 1), "its time begins anew"
    NERTS.fire(state, "stuck")
    ended = NERTS.fire(state, "stuck")[-1].event
    assert isinstance(ended, DealEnded)
    assert ended.cause == BY_STANDSTILL
    assert NERTS.resolve_options({})["stuck_ms"] == 5000


@pytest.mark.rule("NE7.3", "NE12.5")
@pytest.mark.parametrize("text", ["found nerts 0", "build nerts 1", "tuck 0"])
def test_a_found_a_build_or_a_tuck_begins_the_row_of_turns_anew(text: str) -> None:
    top, first = {"found nerts 0": ("2C", "KD"), "build nerts 1": ("9D", "KD"), "tuck 0": ("QC", "JD")}[text]
    state = now(Cards(nerts=f"4D {top}", works=f"{first} | - | KH | KS", stock="3D"), Cards(), foundations=("AC",))
    NERTS.fire(state, "stuck")
    assert [shown.event for shown in NERTS.fire(state, "stuck")] == [StocksTurned(2)]
    play(state, 0, text)
    assert [shown.event for shown in NERTS.fire(state, "stuck")] == [StocksTurned(1)]


@pytest.mark.rule("NE12.6")
def test_a_minute_without_a_gain_or_as_many_movements_are_a_turn() -> None:
    state = now(Cards(nerts="9D 2C", stock="2D 3D"), Cards(), stuck_ms=700)
    idle = NERTS.timers(state)[1]
    assert (idle.name, idle.ms) == ("idle", 60_000)
    play(state, 0, "flip")
    assert NERTS.timers(state)[1] == idle
    play(state, 0, "found nerts 0")
    assert NERTS.timers(state)[1] != idle
    assert [shown.event for shown in NERTS.fire(state, "idle")] == [StocksTurned(1)]
    for number in range(799):
        assert StocksTurned(2) not in play(state, 0, ("flip", "recycle")[number % 2])
    assert play(state, 0, "recycle")[-1] == StocksTurned(2)


@pytest.mark.rule("NE12.7")
def test_a_deal_ends_after_ten_minutes() -> None:
    state = now(Cards(), Cards())
    limit = NERTS.timers(state)[2]
    assert (limit.name, limit.ms) == ("limit", 600_000)
    ended = NERTS.fire(state, "limit")[-1].event
    assert isinstance(ended, DealEnded)
    assert ended.cause == BY_LIMIT
    assert NERTS.timers(state) == ()


@pytest.mark.rule("NE12.5", "NE12.6", "NE12.7")
@pytest.mark.parametrize("end", ["nerts", "limit", "stuck"])
def test_all_times_begin_anew_with_a_deal(end: str) -> None:
    state = now(Cards(nerts=""), Cards(), target=100, max_deals=2)
    if end == "stuck":
        NERTS.fire(state, end)
        NERTS.fire(state, end)
    before = NERTS.timers(state)
    if end == "nerts":
        play(state, 0, end)
    else:
        NERTS.fire(state, end)
    assert state.deal == 1
    assert [timer.name for timer in NERTS.timers(state)] == ["stuck", "idle", "limit"]
    assert not set(before) & set(NERTS.timers(state)), "a timer that is the same would go on"


@pytest.mark.rule("NE12.4")
def test_a_redeal_varies_who_waits() -> None:
    state = now(Cards(), Cards(), Cards())
    play(state, 1, "wait")
    chance = random.Random(1)
    assert {NERTS.redeal(state, 0, chance).due for _ in range(60)} == {0b001, 0b011, 0b101, 0b111}
    assert {NERTS.redeal(state, 1, chance).due for _ in range(60)} == {0b000, 0b001, 0b100, 0b101}


def test_play_without_a_clock_ends() -> None:
    for seats in (2, 3, 4):
        options = NERTS.resolve_options({"target": 0, "pace": "realtime"})
        state, _ = NERTS.new_match(seats, options, bytes([seats]) * 32)
        assert play_out(NERTS, state, random.Random(seats)) > 10
        assert state.over
