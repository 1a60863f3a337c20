"""Times as people write deadlines: local time with an IANA time zone, `2026-12-01 18:00 Europe/Berlin`, or with an
offset from UTC, `2026-12-01T18:00:00+01:00`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import lru_cache
from typing import Final, Self, final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

__all__ = ["BadTime", "ZonedTime", "is_zone"]

_WRITTEN: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?) *(Z|[+-][0-9]{2}:[0-9]{2})?"
    r"(?: *([A-Za-z][A-Za-z0-9_+/-]*))?"
)
_EXAMPLES: Final = "2026-12-01 18:00 Europe/Berlin, or 2026-12-01T18:00:00+01:00"
_NO_ZONES: Final = {"Factory", "localtime", "posixrules"}
"""Files of a machine that mean another zone elsewhere."""
_MIN_YEAR: Final = 1971
_MAX_YEAR: Final = 9998
"""The years whose times are after 1970, and in the calendar, in every zone."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_SECOND: Final = timedelta(seconds=1)
_MINUTE: Final = timedelta(minutes=1)


class BadTime(ValueError):
    """A text is no time, or no single one. `str()` says why, and what to write."""


@final
@dataclass(frozen=True, slots=True)
class ZonedTime:
    """A point in time, and the zone in which it was written."""

    at: datetime
    """The time, in UTC, to the millisecond."""
    zone: str = ""
    """An IANA time zone, such as `Europe/Berlin`; empty for a time that was written with an offset only."""

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Reads a time with a zone, an offset or both. Raises `BadTime`."""
        found = _WRITTEN.fullmatch(text.strip())
        if found is None:
            raise BadTime(f"{text!r} is not a date and time with its time zone; write {_EXAMPLES}")
        day, clock, offset, zone = found.groups(default="")
        if zone == "UTC":
            offset, zone = offset or "Z", ""
        if not offset and not zone:
            raise BadTime(f"{text!r} has no time zone; write one behind it, for example {day} {clock} Europe/Berlin")
        try:
            local = datetime.fromisoformat(f"{day}T{clock}{offset}")
        except ValueError:
            raise BadTime(f"{text!r} is not in the calendar; write {_EXAMPLES}") from None
        _check_year(local)
        return cls(_to_the_ms(_in_zone(local, zone) if zone else local), zone)

    @classmethod
    def from_datetime(cls, at: datetime) -> Self:
        """Returns a time that was written with its offset. Raises `BadTime`."""
        _check_year(at)
        return cls(_to_the_ms(at))

    @classmethod
    def from_ms(cls, at_ms: int, zone: str) -> Self:
        """Returns a time from milliseconds since 1970. A zone that this machine does not know is left out."""
        return cls(_EPOCH + at_ms * _MILLISECOND, zone if is_zone(zone) else "")

    def check(self) -> None:
        """Raises `BadTime` for a time that some zone would not have in its calendar."""
        _check_year(self.at)

    @property
    def ms(self) -> int:
        """The time in milliseconds since 1970."""
        return (self.at - _EPOCH) // _MILLISECOND

    @property
    def local(self) -> datetime:
        """The time in its zone, or in UTC."""
        return self.at.astimezone(ZoneInfo(self.zone)) if self.zone else self.at

    def __str__(self) -> str:
        """Returns it as `from_text` reads it, with its offset where the local time alone is not clear."""
        local = self.local
        if not self.zone:
            return local.isoformat()
        clear = len({local.replace(fold=fold).utcoffset() for fold in (0, 1)}) == 1
        return f"{_clock(local.replace(tzinfo=None) if clear else local)} {self.zone}"

    def for_reader(self, here: ZoneInfo | None = None) -> str:
        """Returns it in the zone of the reader, by default this machine's, with the zone in which it was written beside
        it where the two clocks differ.
        """
        shown = self.at.astimezone(here)
        written = f" ({self})" if self.zone and shown.utcoffset() != self.local.utcoffset() else ""
        return f"{_clock(shown)}{written}"


def _to_the_ms(at: datetime) -> datetime:
    """Returns a time in UTC, without what is shorter than a millisecond: stored times have no more."""
    return at.replace(microsecond=at.microsecond // 1_000 * 1_000).astimezone(UTC)


def is_zone(name: str) -> bool:
    """Returns whether a name is an IANA time zone that this machine knows."""
    return name in _zones()


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones() - _NO_ZONES)


def _check_year(at: datetime) -> None:
    """Raises `BadTime` for a time that some zone would not have in its calendar."""
    if not _MIN_YEAR <= at.year <= _MAX_YEAR:
        raise BadTime(f"the year {at.year} is too far away; write one from {_MIN_YEAR} to {_MAX_YEAR}")


def _in_zone(local: datetime, name: str) -> datetime:
    """Returns a local time, with or without an offset, in a zone. Raises `BadTime`."""
    zone = _zone(name)
    if local.tzinfo is not None:
        if local.astimezone(zone).utcoffset() != local.utcoffset():
            there = ZonedTime(local.astimezone(UTC), name)
            raise BadTime(
                f"{name} has another offset from UTC then; write {there} for the same time, or leave the offset out"
            )
        return local
    first, second = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first
    # Where offsets differ, the local time is in the hour that a change of the clocks skips or repeats.
    if _exists(first):
        raise BadTime(
            f"{_clock(local)} comes twice in {name}, since its clocks are put back; write {_clock(first)} {name} for"
            f" the first time, or {_clock(second)} {name} for the second"
        )
    before, after = _around(second.astimezone(UTC), first.astimezone(UTC), zone)
    raise BadTime(
        f"{_clock(local)} does not exist in {name}, since its clocks are put forward; write {_clock(before)} {name},"
        f" or {_clock(after)} {name}"
    )


def _zone(name: str) -> ZoneInfo:
    if is_zone(name):
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, OSError):  # a file of the machine's that is no zone
            pass
    if not _zones():
        raise BadTime(f"this machine has no time zones; install tzdata, or write {_EXAMPLES.rpartition(' ')[2]}")
    close = get_close_matches(name, _zones(), 1)
    raise BadTime(f"there is no time zone {name}; write {close[0] if close else 'one such as Europe/Berlin'}")


def _exists(local: datetime) -> bool:
    """Returns whether a clock in the zone ever shows a local time."""
    return local.astimezone(UTC).astimezone(local.tzinfo).replace(tzinfo=None) == local.replace(tzinfo=None)


def _around(low: datetime, high: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Returns the last minute before the change of the offset between two times in UTC, and the time of the change,
    both on the zone's clock.
    """
    offset = low.astimezone(zone).utcoffset()
    while high - low > _SECOND:
        middle = low + timedelta(seconds=(high - low).total_seconds() // 2)
        if middle.astimezone(zone).utcoffset() == offset:
            low = middle
        else:
            high = middle
    return (high - _MINUTE).astimezone(zone).replace(tzinfo=None), high.astimezone(zone).replace(tzinfo=None)


def _clock(at: datetime) -> str:
    """Returns a date and time without seconds that are 0."""
    return at.isoformat(" ", "seconds" if at.second else "minutes")
