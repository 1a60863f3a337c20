"""Whose time it was: the arithmetic of a decision's clock."""

from __future__ import annotations

import asyncio
import time

import pytest

from fudaba_service.sessions.clock import SEND_GRACE, Asked, ServerDelay, outage_ms
from fudaba_service.store import Silence


def test_a_decision_costs_from_when_it_was_sent() -> None:
    asked = Asked("0.0", opened=10.0, due=13.0, delay=0.0)
    asked.sent(10.5, 0.0)
    assert asked.spent(12.0, 0.0, 0.1, connected=True) == (0.0, 0.1, 1.4)


def test_a_decision_that_the_stream_does_not_take_costs_from_a_second_after_its_opening() -> None:
    asked = Asked("0.0", opened=10.0, due=13.0, delay=0.0)
    assert asked.spent(12.0, 0.0, 0.0, connected=True).bot == 2.0 - SEND_GRACE
    asked.sent(15.0, 0.0)
    assert asked.spent(16.0, 0.0, 0.0, connected=True).bot == 6.0 - SEND_GRACE


def test_a_decision_that_could_not_be_sent_because_the_process_was_stopped_costs_nothing_of_that() -> None:
    asked = Asked("0.0", opened=10.0, due=13.0, delay=1.0)
    asked.sent(16.0, delay=7.0)  # six seconds of the process's own
    assert asked.spent(16.0, 7.0, 0.0, connected=True).bot == 0.0
    assert asked.spent(18.0, 7.0, 0.0, connected=True).bot == pytest.approx(1.0)


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


def test_outages_that_overlap_count_once_and_give_time_to_connect_again() -> None:
    assert outage_ms([], 0, 10_000) == 0
    assert outage_ms([(1_000, 2_000)], 0, 10_000) == 4_000
    assert outage_ms([(1_500, 2_000), (1_000, 1_800)], 0, 10_000) == 4_000
    assert outage_ms([(1_000, 2_000)], 4_000, 10_000) == 1_000
    assert outage_ms([(1_000, 2_000)], 6_000, 10_000) == 0
    assert outage_ms([(1_000, 20_000)], 0, 10_000) == 9_000
