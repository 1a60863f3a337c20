"""When what a submitted bot missed is put down to the worker, by what others took from its core."""

from __future__ import annotations

import pytest

from fudaba.v1 import matches_pb2, record_pb2
from fudaba_arena.sandbox.waits import Waits
from fudaba_arena.workers.starved import MAX_LOST_SHARE, why_starved

END_MS = 60_000
"""When the match ended, by the service's clock."""
END_SECONDS = 1_000.0
"""The same by the worker's."""


def record(*decisions: tuple[int, int, int, str], bank_ms: int = 0) -> record_pb2.MatchRecord:
    """Returns a match with decisions: seat, when it was over in milliseconds, how many it took, and `move` or
    `timeout`.
    """
    found = record_pb2.MatchRecord()
    found.header.clock.MergeFrom(record_pb2.Clock(move_ms=2_000, bank_ms=bank_ms))
    found.end.end_time.FromMilliseconds(END_MS)
    for number, (seat, at_ms, took_ms, outcome) in enumerate(decisions):
        spent = record_pb2.Spent(bot_us=took_ms * 1000)
        entry = found.log.add(seat=seat, at_ms=at_ms, decision_id=f"{number}.a", spent=spent)
        getattr(entry, outcome).SetInParent()
    return found


def why(match_record: record_pb2.MatchRecord, seat: int, *noted: tuple[float, float, float]) -> str:
    waits = Waits()
    for span in noted:
        waits.note(*span)
    return why_starved(None, match_record, seat, waits.lost, 1.0, 0.0, END_SECONDS)


LATE = record((1, 50_000, 100, "move"), (0, 58_000, 2_000, "timeout"))


def test_a_decision_that_ran_out_of_time_while_others_had_its_core_is_no_loss() -> None:
    reason = why(LATE, 0, (996.0, 998.0, 1.6))
    assert reason == "in decision 1.a it ran out of time, of which others took the core from it for 1.60 s of 2.00 s"
    assert why(LATE, 1, (996.0, 998.0, 1.6)) == "", "the other seat was in time"


def test_who_had_its_core_and_ran_out_of_time_has_lost() -> None:
    assert why(LATE, 0) == ""
    assert why(LATE, 0, (996.0, 998.0, 2.0 * MAX_LOST_SHARE - 0.01)) == ""
    assert why(LATE, 0, (900.0, 990.0, 60.0)) == "", "what others took at another time is no reason"
    in_time = record((0, 58_000, 1_900, "move"))
    assert why(in_time, 0, (996.0, 998.0, 1.6)) == "", "it was in time all the same"


@pytest.mark.parametrize(("bank_ms", "excused"), [(10_000, True), (0, False)])
def test_what_others_took_from_the_time_bank_is_missed_later(bank_ms: int, *, excused: bool) -> None:
    match_record = record((0, 20_000, 8_000, "move"), (0, 58_000, 4_000, "timeout"), bank_ms=bank_ms)
    assert bool(why(match_record, 0, (953.0, 960.0, 6.0))) is excused


def test_who_did_not_come_while_others_had_its_core_is_not_absent() -> None:
    match = matches_pb2.Match()
    match.end.abort_cause = record_pb2.ABORT_CAUSE_NO_SHOW
    match.end.absent_seats.append(1)
    waits = Waits()
    waits.note(990.0, 1_000.0, 7.0)
    reasons = [why_starved(match, None, seat, waits.lost, 4.0, 980.0, END_SECONDS) for seat in (0, 1)]
    assert reasons == [
        "",
        "as it started it ran out of time, of which others took the core from it for 7.00 s of 20.00 s",
    ]
    assert why_starved(match, None, 1, Waits().lost, 4.0, 980.0, END_SECONDS) == ""
    assert why_starved(match, None, 1, waits.lost, 1.0, 980.0, END_SECONDS) == "", (
        "it did not want to run for most of the time"
    )
