"""Who may take a discarded card in Tashot: docs/rules/tashot.md, TA4, sentence by sentence."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from fudaba_games.game import Decision, NoSuchTimer, Timer
from fudaba_games.match import Match
from fudaba_games.play import play_out
from fudaba_games.tashot.moves import takes_of
from fudaba_games.tashot.rules import TASHOT
from fudaba_games.tashot.state import TashotState
from fudaba_games.tashot.values import Discarded, Opened, Phase, Received, TashotEvent, TurnBegan, Won
from tests.support.conformance.dump import dump
from tests.support.games.tashot.positions import asked, card, cards, dealt, do, holding, legal, view

DULL = "b0 r1 r3 b6 r8"


def position(*hands: str, window_ms: int = 0) -> TashotState:
    """Seat 0 is about to discard r5."""
    return holding("r5 b1 r7 b8 r8 bT", *hands, drawn="r5", stock="r6 b3 b6", window_ms=window_ms)


@pytest.mark.rule("TA4.1", "TA4.2")
def test_all_who_can_take_the_card_are_asked_at_once_and_nobody_else() -> None:
    state = position("r6 r7 b0 b2 b4", DULL, "b5 b5 r0 b7 rK", "r2 b2 r4 b4 b5")
    assert do(state, "discard r5") == [Discarded(0, card("r5"))]
    assert list(TASHOT.decisions(state)) == [Decision(1), Decision(3), Decision(4)]
    assert legal(state, 1) == ["decline", "call r5 r6 r7"]
    assert legal(state, 3) == ["decline", "call r5 b5 b5"]
    assert legal(state, 4) == ["decline", "win"]
    assert view(state).phase == Phase.WINDOW
    assert view(state).offered == card("r5")
    assert view(state).turn == 0


@pytest.mark.rule("TA4.1")
def test_who_has_discarded_is_not_asked() -> None:
    state = holding("r5 r5 b5 b5 r8 bT", DULL, stock="r6")
    assert do(state, "discard r5")[1:] == [TurnBegan(1, 0), Received(1, cards("r6"))]


@pytest.mark.rule("TA4.5")
def test_a_card_that_nobody_can_take_opens_no_window() -> None:
    state = position(DULL, DULL)
    do(state, "discard r5")
    assert view(state).phase == Phase.TURN
    assert asked(state) == [1]
    assert view(state).offered == -1


@pytest.mark.rule("TA4.2", "TA4.3")
def test_what_is_said_is_hidden_until_all_have_said_it() -> None:
    state = position("r6 r7 b0 b2 b4", DULL, "b5 b5 r0 b7 rK")
    do(state, "discard r5")
    seen = {seat: view(state, seat) for seat in (None, 0, 2, 3)}
    assert do(state, "1 call r5 r6 r7") == []
    assert {seat: view(state, seat) for seat in seen} == seen
    assert asked(state) == [3]
    assert [type(event) for event in do(state, "3 decline")] == [Opened]


@pytest.mark.rule("TA4.2", "TA4.5")
def test_when_all_decline_the_next_seat_draws_and_nobody_hears_of_it() -> None:
    state = position("r6 r7 b0 b2 b4", "b5 b5 r0 b7 rK")
    do(state, "discard r5")
    assert do(state, "2 decline", "1 decline") == [TurnBegan(1, 2), Received(1, cards("r6"))]
    assert view(state).discards == (cards("r5"), 0, 0)


@pytest.mark.rule("TA4.4")
@pytest.mark.parametrize(
    ("source", "answers", "taker"),
    [
        (0, {1: "call r5 r6 r7", 2: "call r5 b5 b5", 3: "decline"}, 1),
        (0, {1: "decline", 2: "call r5 b5 b5", 3: "decline"}, 2),
        (0, {1: "call r5 r6 r7", 2: "call r5 b5 b5", 3: "win"}, 3),
        (0, {1: "win", 2: "call r5 b5 b5", 3: "win"}, 1),
        (2, {3: "call r5 r6 r7", 0: "call r5 b5 b5", 1: "decline"}, 3),
        (2, {3: "decline", 0: "call r5 b5 b5", 1: "win"}, 1),
        (2, {3: "win", 0: "call r5 b5 b5", 1: "win"}, 3),
        (3, {0: "call r5 r6 r7", 1: "call r5 b5 b5", 2: "call r3 r4 r5"}, 0),
    ],
)
def test_a_win_goes_before_a_call_and_then_the_soonest_seat(source: int, answers: dict[int, str], taker: int) -> None:
    winning, calling = "r2 b2 r4 b4 {}", {"call r5 r6 r7": "r6 r7 b0 b2 b4", "call r5 b5 b5": "b5 b5 r0 b7 rK"}
    calling["call r3 r4 r5"] = "r3 r4 b1 b7 r0"
    for order in permutations(answers):
        hands = [""] * 4
        for seat, text in answers.items():
            hands[seat] = winning.format("rS" if seat % 2 else "bS") if text == "win" else calling.get(text, DULL)
        hands = [hand if answers.get(seat) != "decline" else "b5 r5 r1 b3 b8" for seat, hand in enumerate(hands)]
        hands[source] = "r5 b1 r7 b8 r8 bT"
        state = holding(*hands, turn=source, stock="r6 b3 b6 b0", lights="")
        do(state, "discard r5")
        assert set(asked(state)) == set(answers)
        before = view(state).scores
        events: list[TashotEvent] = []
        for seat in order:
            events += do(state, f"{seat} {answers[seat]}")
        first = events[0]
        assert isinstance(first, Won | Opened)
        assert (first.seat, first.source) == (taker, source)
        if isinstance(first, Opened):
            assert [now - was for now, was in zip(view(state).scores, before, strict=True)] == [
                {taker: -1, source: 1}.get(seat, 0) for seat in range(4)
            ], "those who come later get nothing, and pay nothing"


@pytest.mark.rule("TA4.4", "TA5.3")
def test_a_win_on_a_discard_does_not_cost_the_one_of_a_call() -> None:
    state = position("r2 b2 r4 b4 b5")
    state.lights = False
    do(state, "discard r5", "win")
    assert state.scores == [-4, 4], "two for finishing, twice, from the dealer"


# ---- windows with a time -------------------------------------------------------------------------------------------


@pytest.mark.rule("TA4.6", "TA8.5")
def test_with_window_ms_every_discard_is_followed_by_a_window() -> None:
    for other in (DULL, "r6 r7 b0 b2 b4"):
        state = position(other, DULL, window_ms=250)
        assert list(TASHOT.timers(state)) == []
        do(state, "discard r5")
        assert list(TASHOT.timers(state)) == [Timer("window", 250, closing=True)]
        assert view(state)._replace(offered=0) == view(position_of(state))._replace(offered=0)


def position_of(state: TashotState) -> TashotState:
    """Returns the same state, in which nobody is asked."""
    other = state.clone()
    other.asked = 0
    return other


@pytest.mark.rule("TA4.6")
def test_a_window_with_a_time_lasts_until_its_end_also_when_all_have_answered() -> None:
    state = position("r6 r7 b0 b2 b4", "b5 b5 r0 b7 rK", window_ms=250)
    assert do(state, "discard r5", "2 call r5 b5 b5", "1 decline")[1:] == []
    assert asked(state) == []
    assert TASHOT.outcome(state) is None
    assert [type(shown.event) for shown in TASHOT.fire(state, "window")] == [Opened]
    assert view(state).turn == 2


@pytest.mark.rule("TA4.6")
def test_who_has_not_answered_by_the_end_of_a_window_declines() -> None:
    state = position("r6 r7 b0 b2 b4", "b5 b5 r0 b7 rK", window_ms=250)
    do(state, "discard r5", "2 call r5 b5 b5")
    assert asked(state) == [1]
    (opened,) = [shown.event for shown in TASHOT.fire(state, "window")]
    assert isinstance(opened, Opened)
    assert opened.seat == 2, "seat 1 would have gone first"
    state = position("r6 r7 b0 b2 b4", "b5 b5 r0 b7 rK", window_ms=250)
    do(state, "discard r5")
    assert [type(shown.event) for shown in TASHOT.fire(state, "window")] == [TurnBegan, Received]
    assert list(TASHOT.timers(state)) == []


@pytest.mark.rule("TA4.6")
def test_a_match_knows_the_timer_of_a_window_only_while_one_is_open() -> None:
    options = TASHOT.resolve_options({"window_ms": 100, "deals": 1})
    match = Match(TASHOT, 3, options, bytes(32))
    with pytest.raises(NoSuchTimer):
        match.fire("window")
    due = match.open_decisions()[0]
    match.play(due.seat, due.legal[0])
    assert [timer.name for timer in match.timers()] == ["window"]
    before = dump(match.state)
    with pytest.raises(NoSuchTimer):
        match.fire("door")
    assert dump(match.state) == before
    match.fire("window")
    assert match.timers() == ()


@pytest.mark.rule("TA4.6")
def test_play_goes_the_same_way_with_a_window_or_without() -> None:
    ends = []
    for window_ms in (0, 60_000):
        state = dealt(4, 3, window_ms=window_ms)
        play_out(TASHOT, state, random.Random(3))
        ends.append((state.scores, state.won_with))
    assert ends[0] == ends[1]


@pytest.mark.rule("TA4.1", "TA4.2")
@pytest.mark.parametrize("seats", range(2, 7))
def test_who_is_asked_is_who_has_more_to_say_than_decline(seats: int) -> None:
    state, chance = dealt(seats, seats, deals=6), random.Random(seats)
    windows = 0
    while asked(state):
        if state.phase == Phase.WINDOW and not any(state.answers) and len(asked(state)) > 0:
            windows += 1
        mover = asked(state)[0]
        move = TASHOT.random_move(state, mover, chance)
        if TASHOT.text.move_kind(move) == "discard":
            twin = state.clone()
            TASHOT.apply(twin, mover, move)
            if twin.phase == Phase.WINDOW:
                can = [
                    seat
                    for seat in range(seats)
                    if seat != mover and len(takes_of(twin.hands[seat], twin.melds[seat], twin.offered)) > 1
                ]
                assert asked(twin) == can
        TASHOT.advance(state, mover, move)
    assert windows > 10
