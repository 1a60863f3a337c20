"""Times in options: dates in UTC unless an offset is given, and deadlines, which need their time zone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, final

import click

from fudaba.cli.param_type import ParamType

if TYPE_CHECKING:
    from fudaba.zoned_time import ZonedTime

__all__ = ["MOMENT", "ZONED"]


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


@final
class _Zoned(ParamType["ZonedTime"]):
    """A date and time with its time zone or offset. The option's value is a `ZonedTime`."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ZonedTime:
        """See `click.ParamType`."""
        from fudaba.zoned_time import BadTime, ZonedTime

        try:
            return ZonedTime.from_text(value)
        except BadTime as error:
            self.fail(str(error), param, ctx)


MOMENT: Final = _Moment()
ZONED: Final = _Zoned()
