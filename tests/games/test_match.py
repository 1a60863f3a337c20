"""The match: decisions and their ids, what seats are shown, refusals, giving up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fudaba_games.cards import mask_of
from fudaba_games.game import BadSeats, Decision, GameError, IllegalMove, NoSuchTimer, Outcome
from fudaba_games.match import DecisionClosed, Match, MatchOver, NotYourDecision
from fudaba_games.naga.cards import cards_of
from fudaba_games.naga.rules import NAGA
from fudaba_games.naga.values import Commit, Dealt, Designate, NagaEvent, NagaMove, NagaView, Received
from tests.support.conformance.dump import dump
from tests.support.games.bell import Bell
from tests.support.games.bell import State as BellState

NagaMatch = Match[Any, NagaMove, NagaView, NagaEvent]


def naga(**options: int) -> NagaMatch:
    return Match(NAGA, 2, NAGA.resolve_options(options), bytes(32))


def bell() -> Match[BellState, str, int, str]:
    return Match(Bell(), 2, {}, bytes(32))


def ids(match: Match[Any, Any, Any, Any]) -> list[str]:
    return [decision.id for decision in match.open_decisions()]


def play_default(match: NagaMatch, seat: int) -> None:
    due = match.open(seat)
    assert due is not None
    match.play(seat, due.legal[0])


def default_battle(match: NagaMatch) -> None:
    (due,) = match.open_decisions()
    play_default(match, due.seat)
    play_default(match, 0)
    play_default(match, 1)


# ---- beginning -----------------------------------------------------------------------------------------------------


def test_a_new_match_shows_the_deal_and_asks_the_child() -> None:
    match = naga()
    assert [type(event) for event in match.shown(None)] == [Dealt]
    assert [type(event) for event in match.shown(0)] == [Dealt, Received]
    assert match.shown(0)[1] == Received(0, match.view(0).hand)
    assert [(decision.seat, decision.id, decision.required) for decision in match.open_decisions()] == [
        (1, "1.0", True)
    ]
    assert match.open(0) is None
    assert not match.over


def test_a_match_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(BadSeats):
        Match(NAGA, 3, NAGA.resolve_options({}), bytes(32))


def test_a_match_can_go_on_from_a_state() -> None:
    match = naga()
    default_battle(match)
    later = Match(NAGA, 2, match.options, bytes(32), at=match.state.clone())
    assert later.view(0) == match.view(0)
    assert later.shown(0) == later.shown(None) == []
    assert ids(later) == ["0.0"]


def test_a_match_can_go_on_from_a_state_that_is_over() -> None:
    match = naga()
    while not match.over:
        play_default(match, match.open_decisions()[0].seat)
    later = Match(NAGA, 2, match.options, bytes(32), at=match.state.clone())
    assert later.outcome == match.outcome
    assert ids(later) == []


# ---- decisions -----------------------------------------------------------------------------------------------------


def test_ids_count_the_decisions_of_their_own_seat_only() -> None:
    match = naga()
    assert ids(match) == ["1.0"]
    match.play(1, Designate(3))
    assert ids(match) == ["0.0", "1.1"]
    play_default(match, 0)
    assert ids(match) == ["1.1"]
    play_default(match, 1)
    assert ids(match) == ["0.1"]


@pytest.mark.rule("N12.3", "G4.3")
def test_a_simultaneous_decision_stays_the_same_when_the_other_seat_has_made_its_own() -> None:
    match = naga()
    match.play(1, Designate(3))
    before = (match.open(1), list(match.shown(1)), match.view(1), list(match.shown(None)))
    play_default(match, 0)
    assert (match.open(1), list(match.shown(1)), match.view(1), list(match.shown(None))) == before


@pytest.mark.rule("G4.1")
def test_an_open_decision_has_its_legal_moves_the_default_first() -> None:
    match = naga()
    due = match.open(1)
    assert due is not None
    assert match.decision(1, "1.0") is due
    assert list(due.legal) == list(NAGA.legal_moves(match.state, 1))
    assert due.legal[0] == Designate(1)


def test_a_move_of_a_seat_that_is_not_asked_is_refused() -> None:
    with pytest.raises(NotYourDecision, match="seat 0 has no open decision"):
        naga().play(0, Designate(1))


def test_an_answered_decision_is_closed_and_its_first_answer_stands() -> None:
    match = naga()
    match.play(1, Designate(3))
    assert match.answered(1, "1.0") == Designate(3)
    with pytest.raises(DecisionClosed, match=r"decision 1\.0 is closed"):
        match.check(1, "1.0", Designate(5))
    assert match.answered(1, "1.0") == Designate(3)
    assert match.answered(1, "1.1") is None


@pytest.mark.parametrize(("seat", "decision_id"), [(0, "0.0"), (0, "1.0"), (1, "1.1"), (1, "0.0"), (1, ""), (1, "札")])
def test_a_decision_that_was_never_put_to_the_seat_is_refused(seat: int, decision_id: str) -> None:
    match = naga()
    with pytest.raises(NotYourDecision, match="answer with the id of the decision"):
        match.check(seat, decision_id, Designate(3))


def test_playing_for_a_seat_that_is_not_asked_is_refused() -> None:
    match = naga()
    before = dump(match.state)
    with pytest.raises(NotYourDecision):
        match.play(0, Designate(3))
    assert dump(match.state) == before


@pytest.mark.rule("G5.2")
def test_a_refused_move_leaves_the_decision_open() -> None:
    match = naga()
    before = dump(match.state)
    for move in (Designate(4), Designate(99), Commit(7)):
        with pytest.raises(IllegalMove):
            match.check(1, "1.0", move)
    assert dump(match.state) == before
    assert ids(match) == ["1.0"]
    assert match.answered(1, "1.0") is None
    match.check(1, "1.0", Designate(3))


def test_a_move_that_is_legal_for_the_other_seat_is_refused() -> None:
    match = naga()
    match.play(1, Designate(3))
    with pytest.raises(IllegalMove):
        match.check(0, "0.0", Commit(mask_of(cards_of(match.view(1).hand)[:3])))


# ---- withdrawn decisions -------------------------------------------------------------------------------------------


def test_a_decision_is_renewed_when_its_seat_is_told_something() -> None:
    match = bell()
    assert ids(match) == ["0.0", "1.0"]
    match.play(0, "play")
    assert ids(match) == ["0.1", "1.1"]
    assert match.answered(1, "1.0") is None
    with pytest.raises(DecisionClosed, match="withdrawn"):
        match.check(1, "1.0", "ring")
    match.check(1, "1.1", "ring")


def test_a_decision_stays_when_its_seat_is_told_nothing() -> None:
    match = bell()
    due = match.open(1)
    match.play(0, "whisper")
    assert match.open(1) is due
    assert match.shown(1) == ["begun"]
    assert match.shown(0) == ["begun", "whisper"]
    match.check(1, "1.0", "ring")


def test_the_end_of_the_match_withdraws_what_is_open() -> None:
    match = bell()
    match.play(1, "ring")
    assert match.outcome == Outcome((-1, 1))
    assert ids(match) == []
    with pytest.raises(DecisionClosed):
        match.decision(0, "0.0")


def test_an_optional_decision_says_so() -> None:
    assert [(decision.seat, decision.required) for decision in bell().open_decisions()] == [(0, True), (1, False)]
    assert Decision(1).required


def test_all_decisions_can_be_withdrawn() -> None:
    match = bell()
    match.close()
    assert ids(match) == []
    for seat in (0, 1):
        with pytest.raises(DecisionClosed):
            match.decision(seat, f"{seat}.0")


# ---- timers --------------------------------------------------------------------------------------------------------


def timed_bell() -> Match[BellState, str, int, str]:
    return Match(Bell(hourglass=True), 2, {}, bytes(32))


def test_most_games_have_no_timers() -> None:
    assert list(bell().timers()) == []
    assert list(naga().timers()) == []
    with pytest.raises(NoSuchTimer, match="no timer 'window' runs now"):
        NAGA.fire(naga().state, "window")


def test_the_referee_does_what_a_timer_is_for() -> None:
    match = timed_bell()
    assert [(timer.name, timer.ms, timer.mark, timer.closing) for timer in match.timers()] == [
        ("hour", 3_600_000, 0, False),
        ("hourglass", 1000, 0, True),
    ]
    assert [shown_event.event for shown_event in match.fire("hourglass")] == ["play"]
    assert match.timers()[1].mark == 1, "its time begins anew"
    assert match.shown(1) == match.shown(None) == ["begun", "play"]
    assert ids(match) == ["0.1", "1.1"], "everybody was told something, so everybody is asked again"
    with pytest.raises(DecisionClosed):
        match.check(0, "0.0", "play")


def test_a_timer_that_does_not_run_can_not_ring() -> None:
    match = timed_bell()
    before = dump(match.state)
    with pytest.raises(NoSuchTimer, match="no timer 'bell' runs now"):
        match.fire("bell")
    assert dump(match.state) == before
    match.fire("hour")
    assert match.outcome == Outcome((-1, 1))
    assert list(match.timers()) == []
    with pytest.raises(NoSuchTimer):
        match.fire("hourglass")
    with pytest.raises(NoSuchTimer, match="no timer runs now"):
        match.pass_time()


def test_without_a_clock_the_timer_that_ends_first_rings() -> None:
    match = timed_bell()
    assert [match.pass_time() for _ in range(3)] == ["hourglass"] * 3
    assert match.outcome == Outcome((1, -1))


# ---- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("N10.4")
def test_giving_up_ends_the_match_and_closes_its_decisions() -> None:
    match = naga(deals=3)
    match.forfeit(0)
    assert match.over
    assert match.outcome == Outcome((-3, 3))
    with pytest.raises(DecisionClosed):
        match.check(1, "1.0", Designate(3))


@pytest.mark.parametrize(
    "late",
    [
        lambda match: match.check(1, "1.9", "ring"),
        lambda match: match.decision(0, "0.7"),
        lambda match: match.forfeit(0),
    ],
    ids=["a move", "a decision", "giving up"],
)
def test_what_comes_after_the_end_is_told_so(late: Callable[[Match[Any, Any, Any, Any]], object]) -> None:
    match = bell()
    match.forfeit(1)
    with pytest.raises(MatchOver, match="the match is over"):
        late(match)
    assert match.outcome == Outcome((1, -1))


def test_the_errors_of_a_match_are_the_callers_errors() -> None:
    for error in (NotYourDecision, DecisionClosed, MatchOver):
        assert issubclass(error, GameError)


def test_a_whole_match_can_be_played_by_default_moves() -> None:
    match = naga(deals=2)
    answers = 0
    while not match.over:
        due = match.open_decisions()[-1]
        match.check(due.seat, due.id, due.legal[0])
        match.play(due.seat, due.legal[0])
        assert match.answered(due.seat, due.id) == due.legal[0]
        answers += 1
    assert answers >= 30
    assert match.outcome == NAGA.outcome(match.state)
    assert match.open_decisions() == []
