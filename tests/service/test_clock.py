"""Whose time it was: the arithmetic of a decision's clock."""

from __future__ import annotations

import asyncio
import time

import pytest

from fudaba_service.sessions.time_spent import SEND_GRACE_SECONDS, DecisionClock, ServerDelay, outage_ms
from fudaba_service.store import Outage, Silence
from fudaba_service.store.silence import PATIENCE
from tests.support.patience import until


def test_a_decision_costs_from_when_it_was_sent() -> None:
    asked = DecisionClock("0.0", opened=10.0, due=13.0, delay=0.0)
    asked.sent(10.5, 0.0)
    assert asked.spent(12.0, 0.0, 0.1, connected=True) == (0.0, 0.1, 1.4)


def test_a_decision_that_the_stream_does_not_take_costs_from_a_second_after_its_opening() -> None:
    asked = DecisionClock("0.0", opened=10.0, due=13.0, delay=0.0)
    assert asked.spent(12.0, 0.0, 0.0, connected=True).bot == 2.0 - SEND_GRACE_SECONDS
    asked.sent(15.0, 0.0)
    assert asked.spent(16.0, 0.0, 0.0, connected=True).bot == 6.0 - SEND_GRACE_SECONDS


def test_a_decision_that_could_not_be_sent_because_the_process_was_stopped_costs_nothing_of_that() -> None:
    asked = DecisionClock("0.0", opened=10.0, due=13.0, delay=1.0)
    asked.sent(16.0, delay=7.0)  # six seconds of the process's own
    assert asked.spent(16.0, 7.0, 0.0, connected=True).bot == 0.0
    assert asked.spent(18.0, 7.0, 0.0, connected=True).bot == pytest.approx(1.0)


def test_what_is_credited_as_an_outage_is_not_credited_again_as_the_servers_delay() -> None:
    asked = DecisionClock("0.0", opened=10.0, due=13.0, delay=1.0)
    asked.away, asked.here = 8.0, 5.0
    assert asked.spent(30.0, 6.0, 0.0, connected=False) == (0.0, 0.0, 12.0)
    assert asked.spent(30.0, 8.0, 0.0, connected=False) == (2.0, 0.0, 10.0)
    asked.sent(17.0, 6.0)
    assert asked.spent(30.0, 8.0, 0.0, connected=True) == (2.0, 0.0, 11.0)


def test_a_short_silence_of_the_store_is_usual_unless_a_connection_was_lost_in_it() -> None:
    silence = Silence()
    heard = silence._last
    assert silence.at(heard + PATIENCE / 2) == 0.0
    assert silence.at(heard + 2 * PATIENCE) == pytest.approx(2 * PATIENCE)
    silence.lost()
    assert silence.at(heard + PATIENCE / 2) == pytest.approx(PATIENCE / 2)
    silence.heard()
    assert silence.at(silence._last + PATIENCE / 2) == pytest.approx(silence._last - heard)


def test_a_store_that_answers_all_but_one_append_is_silent_since_that() -> None:
    silence = Silence()
    since = silence._last + 100.0  # no time that passes in this test makes a difference
    silence.heard_but(since)
    assert silence.at(since + PATIENCE / 2) == 0.0
    assert silence.at(since + 2 * PATIENCE) == pytest.approx(2 * PATIENCE)
    silence.heard_but(since)
    assert silence.at(since + 2 * PATIENCE) == pytest.approx(2 * PATIENCE)


def test_a_silence_that_counts_goes_on_until_all_is_answered() -> None:
    silence = Silence()
    silence._last -= 10.0
    silence.heard_but(silence._last + 9.9)
    assert silence.seconds() >= 10.0
    silence.heard()
    assert silence.seconds() >= 10.0
    silence.lost()
    silence.heard_but(silence._last + 0.001)
    assert silence.at(silence._last + 0.1) - silence.at(silence._last) == pytest.approx(0.1)


async def test_while_the_rounds_of_the_event_loop_are_long_all_of_the_time_is_the_servers() -> None:
    delay = ServerDelay(Silence())
    running = asyncio.create_task(delay.run())
    await asyncio.sleep(0)
    began, before = time.monotonic(), delay.behind
    for _ in range(40):
        time.sleep(0.015)  # noqa: ASYNC251 - it is what keeps the loop busy
        await asyncio.sleep(0)
    busy = time.monotonic() - began
    assert busy * 0.9 <= delay.behind - before <= busy
    running.cancel()


async def test_the_sum_of_delays_never_shrinks_also_when_the_process_was_stopped() -> None:
    delay = ServerDelay(Silence())
    running = asyncio.create_task(delay.run())
    await asyncio.sleep(0.05)
    began = time.monotonic()
    before = delay.at(began)
    time.sleep(1.5)  # noqa: ASYNC251  the whole process is stopped
    ended = time.monotonic()
    sums = [delay.at(ended)]
    assert sums[0] - before == pytest.approx(ended - began, abs=0.2)
    for _ in range(10):
        await asyncio.sleep(0.01)
        sums.append(delay.at(time.monotonic()))
    assert sums == sorted(sums)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_while_nobody_plays_delays_are_measured_more_seldom_and_exactly_again_from_a_call_on() -> None:
    delay = ServerDelay(Silence(), plays=lambda: False)
    running = asyncio.create_task(delay.run())
    await until(lambda: 0.1 < delay._due - time.monotonic() < 1.0, "it is idle")
    delay.now()
    before = delay.at(time.monotonic())
    time.sleep(0.2)  # noqa: ASYNC251  the whole process is stopped
    assert delay.at(time.monotonic()) - before >= 0.15
    await until(lambda: delay.behind - before >= 0.15, "it is measured")
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_while_nobody_plays_a_delay_is_measured_all_the_same() -> None:
    delay = ServerDelay(Silence(), plays=lambda: False)
    running = asyncio.create_task(delay.run())
    await until(lambda: 0.1 < delay._due - time.monotonic() < 1.0, "it is idle")
    time.sleep(1.0)  # noqa: ASYNC251  the whole process is stopped
    assert delay.behind >= 0.7
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def outage_of(*spans: tuple[int, int], since: int = 0) -> int:
    return outage_ms([Outage(*span) for span in spans], since, 10_000)


def test_outages_that_overlap_count_once_and_give_time_to_connect_again() -> None:
    assert outage_of() == 0
    assert outage_of((1_000, 2_000)) == 4_000
    assert outage_of((1_500, 2_000), (1_000, 1_800)) == 4_000
    assert outage_of((1_000, 2_000), since=4_000) == 1_000
    assert outage_of((1_000, 2_000), since=6_000) == 0
    assert outage_of((1_000, 20_000)) == 9_000
