"""What the service kept a bot waiting that had come: credited once, and nothing to be gained by it."""

from __future__ import annotations

import pytest

from fudaba_service.sessions.absences import USUAL_WAIT_SECONDS, Absences, Wait, covered_ms


def test_a_span_in_several_others_counts_once() -> None:
    assert covered_ms([(0, 50), (40, 60), (90, 200)], 10, 100) == 60


def test_a_bot_that_comes_back_pays_for_its_way_and_not_for_its_wait() -> None:
    absences = Absences()
    absences.left(10_000, 0.0)
    absences.waited(Wait(12.0, 15.0, 0.0), 15_000, 15.0)
    absences.returned(15_000, 0.0)
    assert absences.within([], 9_000, 20_000, 0.0) == pytest.approx(3.0 - USUAL_WAIT_SECONDS)


def test_a_short_wait_is_the_bots_own_however_often_it_comes() -> None:
    absences = Absences()
    for number in range(100):
        absences.left(1_000 * number, 0.0)
        absences.waited(Wait(number + 0.5, number + 0.5 + USUAL_WAIT_SECONDS, 0.0), 1_000 * number + 600, number + 0.6)
        absences.returned(1_000 * number + 600, 0.0)
    assert absences.within([], 0, 100_000, 0.0) == 0.0
    assert absences.beyond([], 0) == 0.0


def test_an_outage_while_the_bot_was_away_is_credited_and_another_one_is_not() -> None:
    absences = Absences()
    absences.left(10_000, 0.0)
    absences.returned(15_000, 0.0)
    assert absences.within([(8_000, 12_000), (14_000, 18_000)], 9_000, 20_000, 0.0) == pytest.approx(3.0)


def test_an_outage_goes_on_to_be_credited_while_the_bot_is_still_away() -> None:
    absences = Absences()
    absences.left(10_000, 0.0)
    assert absences.within([(8_000, 30_000)], 9_000, 20_000, 0.0) == pytest.approx(10.0)


def test_what_is_in_the_servers_delay_is_not_credited_again() -> None:
    absences = Absences()
    absences.left(10_000, 1.0)
    absences.waited(Wait(11.0, 15.0, 4.0), 15_000, 15.0)
    absences.returned(15_000, 5.0)
    assert absences.within([], 9_000, 20_000, 9.0) == pytest.approx(1.0)
    assert absences.beyond([], 9_000) == 0.0


def test_a_wait_in_an_outage_is_credited_once() -> None:
    absences = Absences()
    absences.waited(Wait(11.0, 15.0, 0.0), 15_000, 15.0)
    absences.returned(15_000, 0.0)
    assert absences.beyond([(8_000, 13_000)], 9_000) == pytest.approx(2.0)
    assert absences.beyond([(8_000, 16_000)], 9_000) == 0.0


def test_a_bot_waits_also_while_an_older_stream_of_it_is_believed_to_be_there() -> None:
    absences = Absences()
    absences.waited(Wait(11.0, 15.0, 0.0), 15_000, 15.0)
    assert absences.within([], 9_000, 20_000, 0.0) == pytest.approx(4.0 - USUAL_WAIT_SECONDS)
    absences.left(14_000, 0.0)
    absences.returned(15_000, 0.0)
    assert absences.within([], 9_000, 20_000, 0.0) == pytest.approx(4.0 - USUAL_WAIT_SECONDS)


def test_a_wait_before_the_decision_was_sent_is_none_of_its_time() -> None:
    absences = Absences()
    absences.left(10_000, 0.0)
    absences.waited(Wait(11.0, 15.0, 0.0), 15_000, 15.0)
    absences.returned(15_000, 0.0)
    assert absences.within([], 15_000, 20_000, 0.0) == 0.0
