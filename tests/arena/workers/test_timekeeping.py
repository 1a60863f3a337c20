"""When a worker counts as slow, and when it may play again."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from fudaba_arena.workers.timekeeping import LATE_SECONDS, LatenessVerdict, Timekeeping

IN_TIME_SECONDS = 0.004


def kept(took: Iterable[float], every: float = 1.0) -> Timekeeping:
    """Returns what is known after decisions that took so long, one after the other."""
    keeping, now = Timekeeping(), 0.0
    for seconds in took:
        now += every + seconds
        keeping.note(now, seconds)
    return keeping


def verdicts(took: list[float]) -> list[LatenessVerdict]:
    """Returns what is said after each of these decisions, of which one is made a second."""
    keeping, said, now = Timekeeping(), [], 0.0
    for seconds in took:
        now += 1.0 + seconds
        keeping.note(now, seconds)
        said.append(keeping.verdict(now))
    return said


def test_a_worker_whose_bots_are_late_again_and_again_is_slow_within_seconds() -> None:
    said = verdicts([IN_TIME_SECONDS] * 30 + [1.5, IN_TIME_SECONDS] * 10)
    assert not any(verdict.slow for verdict in said[:30])
    assert said[-1].slow
    assert said[-1].longest == 1.5


@pytest.mark.parametrize("took", [1.0, 3.0, 9.0])
def test_a_worker_on_which_each_decision_is_late_is_slow_within_a_minute(took: float) -> None:
    assert any(verdict.slow for verdict in verdicts([took] * int(60 / (1 + took))))


@pytest.mark.parametrize("stalls", [1, 2, 4])
def test_a_machine_that_was_asleep_a_few_times_is_not_slow(stalls: int) -> None:
    """All bots are late then, with many decisions at once, but in few seconds."""
    keeping, now = Timekeeping(), 0.0
    for second in range(120):
        now += 1.0
        keeping.note(now, IN_TIME_SECONDS)
        if second % (60 // stalls) == 0:
            now += 30.0
            for place in range(500):
                keeping.note(now + place / 1000, 30.0)
        assert not keeping.verdict(now).slow


def test_bots_that_are_slower_than_elsewhere_but_hurt_by_no_clock_are_in_time() -> None:
    assert not any(verdict.slow for verdict in verdicts([0.9 * LATE_SECONDS] * 200))


def test_one_second_in_twenty_is_no_reason_and_one_in_five_is() -> None:
    rarely = [1.2 if second % 20 == 0 else IN_TIME_SECONDS for second in range(300)]
    often = [1.2 if second % 5 == 0 else IN_TIME_SECONDS for second in range(300)]
    assert not any(verdict.slow for verdict in verdicts(rarely))
    assert any(verdict.slow for verdict in verdicts(often))


def test_how_often_bots_were_late_in_one_second_does_not_count() -> None:
    many, few = Timekeeping(), Timekeeping()
    for second in range(60):
        late = second in {10, 20, 30}
        for keeping, times in ((many, 1000), (few, 1)):
            for _ in range(times if late else 1):
                keeping.note(second + 0.5, 2.0 if late else IN_TIME_SECONDS)
    assert many.verdict(60) == few.verdict(60)


def test_what_is_a_minute_ago_counts_no_more() -> None:
    keeping = kept([2.0] * 10)
    assert keeping.verdict(30).slow
    assert keeping.verdict(1000) == LatenessVerdict(0, 0, 0.0)


def test_a_worker_may_play_again_after_some_time_without_a_late_bot() -> None:
    keeping = Timekeeping()
    said = []
    for second in range(40):
        keeping.note(second, 2.0 if second == 10 else IN_TIME_SECONDS)
        said.append(keeping.verdict(second).well)
    assert not any(said), "somebody was late a moment ago"
    keeping.forget()
    for second in range(40, 80):
        keeping.note(second, IN_TIME_SECONDS)
        said.append(keeping.verdict(second).well)
    assert said.index(True) == 59
    assert all(said[59:])
    assert not Timekeeping().verdict(80).well, "who has seen nothing does not know"


def test_a_shorter_time_is_late_where_clocks_are_short() -> None:
    strict = Timekeeping(0.1)
    for second in range(20):
        strict.note(second, 0.15)
    assert strict.verdict(20).slow
