"""What a match took is put down to the seats that took it, and forgotten after a while."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fudaba.v1 import record_pb2
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.usage.seat_credit import SeatCredit
from fudaba_arena.store.usage.time_use import WINDOW_MS, MatchTime, TimeUse, decided_ms, shared_out

times_ms = st.integers(0, 100_000)


def test_the_time_of_a_match_is_put_down_to_who_thought() -> None:
    assert shared_out(10_000, [9_000, 0], [0, 0]) == (9_500, 500)
    assert shared_out(400, [0, 0], [0, 0]) == (200, 200)


def test_who_computes_while_the_other_thinks_has_used_that() -> None:
    assert shared_out(10_000, [9_000, 0], [0, 12_000]) == (9_500, 12_000)


@given(times_ms, st.lists(times_ms, min_size=2, max_size=6))
def test_seats_have_together_what_the_match_took(took_ms: int, decided: list[int]) -> None:
    seats = shared_out(took_ms, decided, [0] * len(decided))
    assert abs(sum(seats) - took_ms) <= len(decided)
    assert min(seats) >= 1


def test_only_a_bots_own_time_at_its_decisions_counts() -> None:
    spent = record_pb2.Spent(server_us=1_000_000, network_us=2_000_000, bot_us=3_000_000)
    record = record_pb2.MatchRecord()
    record.log.add(seat=1, spent=spent).move.SetInParent()
    record.log.add(seat=1, spent=spent).timeout.SetInParent()
    assert decided_ms(record, 2) == [0, 6_000]


@given(st.booleans(), st.booleans())
def test_a_result_keeps_what_its_seats_took(credited: bool, timed: bool) -> None:
    credits_ = (SeatCredit(0, ((5, 2),)),) if credited else ()
    time = MatchTime((12, 40), 5) if timed else None
    result = MatchResult("t-b1-0", 1, 0, ("a", "b"), (1, -1), ended_ms=3, credited=credits_, time=time)
    assert MatchResult.of_open(1, result.stored().encode()) == result


def test_what_is_older_than_the_window_is_forgotten() -> None:
    use = TimeUse()
    use.add(WINDOW_MS, ("old", "older"), MatchTime((1, 2), 2))
    use.add(2 * WINDOW_MS - 60_000, ("new", "old"), MatchTime((3, 4), 2))
    assert {name for minute in use.minutes.values() for name in minute.by_entry} == {"old", "older", "new"}
    use.add(2 * WINDOW_MS, ("new", "newer"), MatchTime((5, 6), 2))
    use.add(WINDOW_MS, ("late", "later"), MatchTime((7, 8), 2))
    assert {name for minute in use.minutes.values() for name in minute.by_entry} == {"new", "old", "newer"}
