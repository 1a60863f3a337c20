"""Moments in options are dates, or dates and times, with a zone or in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

import click
import pytest

from fudaba.cli.moments import MOMENT


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-01T12:30:00", datetime(2026, 11, 1, 12, 30, tzinfo=UTC)),
        ("2026-11-01 12:30:00", datetime(2026, 11, 1, 12, 30, tzinfo=UTC)),
        ("2026-11-01T12:30:00+01:00", datetime(2026, 11, 1, 11, 30, tzinfo=UTC)),
        ("2026-11-01T12:30:00Z", datetime(2026, 11, 1, 12, 30, tzinfo=UTC)),
    ],
)
def test_a_date_is_in_utc_unless_it_names_a_zone(written: str, meant: datetime) -> None:
    assert MOMENT.convert(written, None, None) == meant


@pytest.mark.parametrize("wrong", ["yesterday", "", "2026-13-01", "0001-01-01T00:00:00+23:00"])
def test_what_is_no_date_is_refused_with_how_one_is_written(wrong: str) -> None:
    with pytest.raises(click.BadParameter, match=r"is not a date; write 2026-11-01, or"):
        MOMENT.convert(wrong, None, None)
