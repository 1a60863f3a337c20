"""The checker can fail: each thing that may be wrong with a match is found, and counted as what it is."""

from __future__ import annotations

import pytest

from fudaba import records
from fudaba.v1 import game_pb2, play_pb2, record_pb2
from fudaba_games.registry import GAMES
from soak.chaos.checker import check
from soak.chaos.evidence import Count
from soak.chaos.invented import invented, record_in
from soak.chaos.journal import Decided, SeatJournal
from tests.support.faults.changed_evidence import a_decided, counts, entry_of, put_back


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=[pytest.mark.nightly("the same of all other games")] * (game == "nerts"))
        for game in GAMES
    ],
)
def test_nothing_is_found_where_nothing_is_wrong(game: str) -> None:
    assert check(invented(game)) == []


# --- lost


def test_an_accepted_move_that_is_not_in_the_record_is_lost() -> None:
    evidence = invented()
    evidence.journals[0].decided["0.99"] = [Decided("0.99", 100.5, 0, ready=100.6, written=100.6, accepted=100.7)]
    assert counts(evidence) == {Count.LOST: 1}


def test_what_a_failover_was_allowed_to_lose_is_lost_unless_the_seat_was_told() -> None:
    evidence = invented()
    evidence.journals[0].decided["0.99"] = [Decided("0.99", 100.5, 0, ready=100.6, written=100.6, accepted=100.7)]
    evidence.lossy = [100.8]
    assert counts(evidence) == {Count.LOST: 1}
    evidence.journals[0].rewound = [100.9]
    assert counts(evidence) == {Count.ALLOWED: 1}


def test_that_a_move_was_stored_may_be_said_after_that_it_was_lost() -> None:
    evidence = invented()
    evidence.journals[0].decided["0.99"] = [Decided("0.99", 100.5, 0, ready=100.6, written=100.6, accepted=100.9)]
    evidence.journals[0].rewound = [100.8]
    evidence.lossy = [100.7]
    assert counts(evidence) == {Count.ALLOWED: 1}
    evidence.lossy = [100.5]
    assert counts(evidence) == {Count.LOST: 1}


def test_a_seat_that_was_told_before_the_loss_was_not_told_of_it() -> None:
    evidence = invented()
    evidence.journals[0].decided["0.99"] = [Decided("0.99", 100.5, 0, ready=100.6, written=100.6, accepted=100.7)]
    evidence.lossy, evidence.journals[0].rewound = [100.1], [100.3]
    assert counts(evidence) == {Count.LOST: 1}


@pytest.mark.parametrize(("lossy", "count"), [([100.8], Count.ALLOWED), ([99.0], Count.STUCK), ([], Count.STUCK)])
def test_a_match_that_waits_again_for_a_seat_that_was_taken_may_be_so_after_a_loss_and_only_then(
    lossy: list[float], count: Count
) -> None:
    evidence = invented()
    evidence.journals.clear()
    evidence.records = {"replica-0": "MATCH_OPEN: it waits", "archive": "the match is in state MATCH_STATE_OPEN"}
    evidence.seats, evidence.joining, evidence.lossy = 2, 100.0, lossy
    evidence.stood_still = 50.0
    assert counts(evidence) == {count: 5}


def test_rewound_without_need_is_a_loss() -> None:
    evidence = invented()
    evidence.journals[0].rewound = [100.2]
    assert counts(evidence) == {Count.LOST: 1}


def test_an_answer_that_is_refused_though_its_decision_was_put_is_lost() -> None:
    evidence = invented()
    a_decided(evidence).refused = "NOT_YOUR_DECISION: seat 0 was never asked"
    assert counts(evidence) == {Count.LOST: 1}


@pytest.mark.parametrize(
    "refused",
    [
        "MATCH_NOT_FOUND: there is no match",
        "NOT_YOUR_DECISION: the match has not begun; wait for an update",
        "NOT_YOUR_MATCH: p6/1 has no seat in a match 'm'",
    ],
)
@pytest.mark.parametrize(("after", "count"), [(0.0, Count.ALLOWED), (-5.0, Count.LOST)])
def test_a_match_that_is_gone_or_has_not_begun_may_have_been_lost_while_its_decision_was_open(
    after: float, count: Count, refused: str
) -> None:
    evidence = invented()
    decided = a_decided(evidence)
    decided.refused = refused
    evidence.lossy = [decided.received + after]
    assert counts(evidence) == {count: 1}


@pytest.mark.parametrize(("lossy", "expected"), [([100.0], {}), ([], {Count.LOST: 1})])
def test_a_match_that_comes_from_its_start_to_a_bot_that_knew_the_end_was_put_back(
    lossy: list[float], expected: dict[Count, int]
) -> None:
    evidence = invented()
    journal = evidence.journals[0]
    events = [game_pb2.Event.FromString(event) for event in journal.events]
    update = play_pb2.SeatUpdate(match_id=journal.match_id, seat=journal.seat, events=events[:3], seen=3)
    update.started.game = evidence.game
    journal.take(update, 200.0, 0)
    rest = play_pb2.SeatUpdate(match_id=journal.match_id, seat=journal.seat, events=events[3:], seen=len(events))
    rest.over.CopyFrom(record_in(evidence).end)
    journal.take(rest, 201.0, 0)
    evidence.lossy = lossy
    assert counts(evidence) == expected


def test_an_end_that_comes_without_the_last_events_is_a_loss() -> None:
    evidence = invented()
    evidence.journals[1].events.pop()
    assert counts(evidence) == {Count.LOST: 1}


# --- doubled


def test_a_decision_with_two_moves_is_doubled() -> None:
    evidence, record = invented(), record_in(invented())
    record.log.insert(len(record.log) // 2, record.log[len(record.log) // 2])
    put_back(evidence, record)
    assert Count.DOUBLED in counts(evidence)
    assert any("has 2 moves" in finding.text for finding in check(evidence))


def test_a_move_that_was_not_the_one_that_was_sent_is_doubled() -> None:
    evidence = invented()
    a_decided(evidence).choices[:] = [play_pb2.Answer(index=0).SerializeToString()]
    assert counts(evidence) == {Count.DOUBLED: 1}


def test_submit_move_that_named_another_move_than_stands_is_doubled() -> None:
    evidence = invented()
    a_decided(evidence).stands = b"another"
    assert counts(evidence) == {Count.DOUBLED: 1}


@pytest.mark.parametrize(("lossy", "expected"), [([100.0], {}), ([], {Count.DOUBLED: 1})])
def test_submit_move_may_say_of_two_moves_that_they_stand_only_after_a_loss(
    lossy: list[float], expected: dict[Count, int]
) -> None:
    evidence = invented()
    journal, decided = evidence.journals[0], a_decided(evidence)
    stands = record_in(evidence)
    move = entry_of(stands, decided).move.SerializeToString(deterministic=True)
    # The store lost it, the decision was put again, and answered anew.
    decided.stands, decided.closed = b"another", 0.0
    journal.accepted(decided.decision_id, 200.0, "accepted", move)
    evidence.lossy = lossy
    assert counts(evidence) == expected


def test_a_decision_that_is_put_again_after_it_was_put_with_the_news_of_a_loss_is_the_same_one() -> None:
    journal = SeatJournal("m-1", "bot")
    decision = play_pb2.Decision(decision_id="0.1")
    journal.take(play_pb2.SeatUpdate(match_id="m-1", decision=decision), 1.0, 0)
    put = journal.take(play_pb2.SeatUpdate(match_id="m-1", decision=decision, rewound=True), 2.0, 0)
    assert journal.take(play_pb2.SeatUpdate(match_id="m-1", decision=decision), 3.0, 0) is put
    assert len(journal.decided["0.1"]) == 2


def test_a_decision_that_is_put_again_after_its_answer_was_refused_for_good_is_to_be_answered() -> None:
    journal = SeatJournal("m-1", "bot")
    update = play_pb2.SeatUpdate(match_id="m-1", decision=play_pb2.Decision(decision_id="0.1"))
    first = journal.take(update, 1.0, 0)
    assert first is not None
    first.ready = 1.5
    journal.closed("0.1", 2.0, "NOT_YOUR_DECISION: the match has not begun; wait for an update with a decision")
    put = journal.take(update, 3.0, 0)
    assert put is first
    assert put.again
    assert not put.closed
    assert journal.open is put


def test_a_move_for_a_decision_that_was_never_put_is_doubled() -> None:
    evidence = invented()
    del evidence.journals[0].decided[a_decided(evidence).decision_id]
    found = counts(evidence)
    assert found[Count.DOUBLED] == 1


def test_another_record_from_one_replica_is_doubled() -> None:
    evidence, record = invented(), record_in(invented())
    record.log[-1].spent.server_us += 1
    put_back(evidence, record, "replica-1")
    assert counts(evidence) == {Count.DOUBLED: 1}


def test_another_history_than_the_records_is_doubled() -> None:
    evidence = invented()
    evidence.journals[0].events[3] = evidence.journals[0].events[2]
    assert counts(evidence) == {Count.DOUBLED: 1}


def test_another_end_than_the_records_is_doubled() -> None:
    evidence = invented()
    evidence.journals[0].over = record_pb2.MatchEnd().SerializeToString()
    assert counts(evidence) == {Count.DOUBLED: 1}


def test_events_that_were_told_otherwise_before_are_doubled() -> None:
    evidence = invented()
    journal = evidence.journals[0]
    again = play_pb2.SeatUpdate(match_id=journal.match_id, seat=0, seen=1)
    again.events.add().naga.designated.seat = 1
    journal.take(again, 101.0, 1)
    assert Count.DOUBLED in counts(evidence)


def test_a_log_in_which_time_goes_back_is_doubled() -> None:
    evidence, record = invented(), record_in(invented())
    record.log[-2].at_ms, record.log[-1].at_ms = record.log[-2].at_ms + 100, record.log[-1].at_ms
    put_back(evidence, record)
    assert Count.DOUBLED in counts(evidence)
    assert any("before the one before it" in finding.text for finding in check(evidence))


def test_a_history_that_becomes_shorter_without_a_word_is_doubled() -> None:
    evidence = invented()
    journal = evidence.journals[0]
    journal.take(play_pb2.SeatUpdate(match_id=journal.match_id, seat=0, seen=journal.seen - 2), 101.0, 1)
    assert counts(evidence) == {Count.DOUBLED: 1}


def test_an_end_that_is_told_once_more_and_alone_is_no_other_history() -> None:
    evidence = invented()
    again = play_pb2.SeatUpdate(match_id="m-1", seat=0, over=record_in(evidence).end)
    evidence.journals[0].take(again, 101.0, 1)
    assert check(evidence) == []


# --- stuck


@pytest.mark.parametrize("heard_nothing", [True, False])
def test_a_bot_that_never_heard_of_a_match_before_it_was_over_may_be_told_only_its_end(heard_nothing: bool) -> None:
    evidence = invented()
    record = record_in(evidence)
    del record.log[len(evidence.journals) :]  # it began, and was lost at once
    abort = record_pb2.Abort(cause=record_pb2.ABORT_CAUSE_LOST, message="the store lost the match")
    record.log.append(record_pb2.LogEntry(abort=abort, at_ms=record.log[-1].at_ms))
    replay = records.replay(record)
    for entry in record.log:
        replay.apply(entry)
    record.end.CopyFrom(replay.end())
    put_back(evidence, record)
    evidence.lossy = [100.0]
    for seat in range(len(evidence.journals)):
        journal = evidence.journals[seat] = SeatJournal(evidence.match_id, f"p{seat}")
        if not heard_nothing:
            begun = play_pb2.SeatUpdate(match_id=evidence.match_id, seat=seat)
            begun.started.game = evidence.game
            journal.take(begun, 199.0, 0)
        journal.take(play_pb2.SeatUpdate(match_id=evidence.match_id, seat=seat, over=record.end), 200.0, 0)
    lost: dict[Count, int] = {} if heard_nothing else {Count.LOST: len(evidence.journals)}
    assert counts(evidence) == {Count.ALLOWED: 1} | lost


def test_a_bot_that_was_not_told_the_end_is_stuck() -> None:
    evidence = invented()
    evidence.journals[1].over = None
    assert counts(evidence) == {Count.STUCK: 1}


def test_a_match_without_a_record_is_stuck_wherever_it_is_missing() -> None:
    evidence = invented()
    evidence.records = {"replica-0": "MATCH_NOT_OVER: not yet", "archive": "no such file"}
    assert counts(evidence) == {Count.STUCK: 2}


def test_a_match_that_stood_still_is_stuck() -> None:
    evidence = invented()
    evidence.stood_still = 50.0
    assert counts(evidence) == {Count.STUCK: 1}


def test_a_match_that_was_lost_altogether_may_have_stood_still() -> None:
    evidence = invented()
    evidence.stood_still = 50.0
    evidence.lossy = [evidence.created]
    evidence.records = dict.fromkeys(evidence.records, "MATCH_NOT_FOUND: there is no match")
    assert Count.STUCK not in counts(evidence)


def test_a_bot_that_never_heard_of_its_match_is_stuck() -> None:
    evidence = invented()
    del evidence.journals[1]
    assert counts(evidence) == {Count.STUCK: 1}


def test_a_match_that_could_not_be_made_is_stuck_and_may_be_lost_by_a_failover() -> None:
    evidence = invented()
    evidence.acknowledged, evidence.refused = False, "MATCH_NOT_FOUND: there is no match"
    assert counts(evidence) == {Count.STUCK: 1}
    evidence.lossy = [99.0]
    assert counts(evidence) == {Count.ALLOWED: 1}


@pytest.mark.parametrize(
    ("lossy", "known", "count"),
    [
        ([100.8], False, Count.ALLOWED),
        ([100.8], True, Count.STUCK),
        ([99.0], False, Count.STUCK),
        ([], False, Count.STUCK),
    ],
)
def test_a_bot_may_never_hear_of_a_match_that_was_lost_as_soon_as_it_was_created_and_of_no_other(
    lossy: list[float], known: bool, count: Count
) -> None:
    evidence = invented()
    evidence.journals.pop()
    if not known:
        evidence.records = dict.fromkeys(evidence.records, "MATCH_NOT_FOUND: there is no match")
    evidence.created, evidence.lossy = 100.0, lossy
    [finding] = [finding for finding in check(evidence) if "never told of the match" in finding.text]
    assert finding.counts_as is count
