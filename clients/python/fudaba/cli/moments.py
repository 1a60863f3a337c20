"""Times in options: a date or a date and time, in UTC unless a zone is given."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, final

import click

from fudaba.cli.param_type import ParamType

__all__ = ["MOMENT"]


@final
class _Moment(ParamType[datetime]):
    """A date, or a date and time, with a zone or in UTC. The option's value is a `datetime` in UTC."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """See `click.ParamType`."""
        try:
            found = datetime.fromisoformat(value)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            self.fail(
                f"{value!r} is not a date; write 2026-11-01, or with a time in UTC 2026-11-01T12:30:00,"
                " or with a zone 2026-11-01T12:30:00+01:00",
                param,
                ctx,
            )


MOMENT: Final = _Moment()
