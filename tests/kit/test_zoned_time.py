"""Times as people write deadlines: one point in time, or a refusal that says what to write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba.zoned_time import BadTime, ZonedTime

HOUR_MS = 3_600_000
NEW_YORK = ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-12-01 18:00 Europe/Berlin", "2026-12-01T17:00:00+00:00"),
        (" 2026-07-01T18:00:30 Europe/Berlin ", "2026-07-01T16:00:30+00:00"),
        ("2026-12-01 18:00+01:00", "2026-12-01T17:00:00+00:00"),
        ("2026-12-01 18:00 UTC", "2026-12-01T18:00:00+00:00"),
        ("2026-10-25 02:30+02:00 Europe/Berlin", "2026-10-25T00:30:00+00:00"),
        ("2026-10-25 02:30+01:00 Europe/Berlin", "2026-10-25T01:30:00+00:00"),
    ],
)
def test_a_time_is_one_point_in_time_and_what_is_shown_of_it_is_read_as_the_same(text: str, utc: str) -> None:
    found = ZonedTime.from_text(text)
    assert found.at.isoformat() == utc
    assert ZonedTime.from_text(str(found)) == found
    assert ZonedTime.from_ms(found.ms, found.zone) == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "2026-03-29 02:30 Europe/Berlin",
            "since its clocks are put forward; write 2026-03-29 01:59 Europe/Berlin, or 2026-03-29 03:00 Europe/Berlin",
        ),
        (
            "2026-10-25 02:30 Europe/Berlin",
            "write 2026-10-25 02:30+02:00 Europe/Berlin for the first time, or 2026-10-25 02:30+01:00 Europe/Berlin",
        ),
        (
            "2026-12-01 18:00+02:00 Europe/Berlin",
            "Europe/Berlin has another offset from UTC then; write 2026-12-01 17:00 Europe/Berlin for the same time",
        ),
        ("2026-12-01 18:00 Europe/Berln", "there is no time zone Europe/Berln; write Europe/Berlin"),
        ("2026-12-01 18:00 localtime", "there is no time zone localtime; write one such as Europe/Berlin"),
        (
            "2026-12-01 18:00",
            "'2026-12-01 18:00' has no time zone; write one behind it, for example 2026-12-01 18:00 Europe/Berlin",
        ),
        ("0001-01-01 00:00 Asia/Tokyo", "the year 1 is too far away; write one from 1971 to 9998"),
    ],
)
def test_what_is_no_single_time_is_refused_with_what_to_write(text: str, why: str) -> None:
    with pytest.raises(BadTime) as refused:
        ZonedTime.from_text(text)
    assert why in str(refused.value)


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-12-01", "2026-02-30 10:00 Europe/Berlin", "2026-12-01 25:00Z"])
def test_what_is_no_date_and_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadTime, match="write 2026-12-01 18:00 Europe/Berlin, or"):
        ZonedTime.from_text(text)


def test_the_writers_clock_is_shown_beside_the_readers_only_where_they_differ() -> None:
    at = ZonedTime.from_text("2026-12-01 18:00 Europe/Berlin")
    assert at.for_reader(ZoneInfo("Europe/Rome")) == "2026-12-01 18:00+01:00"
    assert at.for_reader(NEW_YORK) == "2026-12-01 12:00-05:00 (2026-12-01 18:00 Europe/Berlin)"
    assert ZonedTime(datetime(2026, 12, 1, 17, tzinfo=UTC)).for_reader(NEW_YORK) == "2026-12-01 12:00-05:00"


def test_a_zone_that_this_machine_does_not_know_is_left_out() -> None:
    assert ZonedTime.from_ms(HOUR_MS, "Nowhere/Town") == ZonedTime(datetime(1970, 1, 1, 1, tzinfo=UTC))


@given(st.datetimes(datetime(1971, 1, 1), datetime(9998, 12, 31), timezones=st.timezones()))
def test_a_time_is_known_to_the_millisecond_and_is_the_same_when_it_is_read_from_the_store(at: datetime) -> None:
    found = ZonedTime.from_datetime(at)
    assert ZonedTime.from_ms(found.ms, "") == found
    assert timedelta() <= at - found.at < timedelta(milliseconds=1)
