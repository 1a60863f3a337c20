"""Checks of the times in requests."""

from __future__ import annotations

from google.protobuf.timestamp_pb2 import Timestamp

from fudaba.refusals import Refused
from fudaba.zoned_time import BadTime, ZonedTime, is_zone

__all__ = ["checked_time"]


def checked_time(field: str, at: Timestamp, zone: str) -> ZonedTime:
    """Returns a time of a request with its zone, which may be empty. Refuses a time that is not in the calendar, and an
    unknown zone.
    """
    if zone and not is_zone(zone):
        raise Refused.malformed(f"there is no time zone {zone!r}; give one such as Europe/Berlin, or none")
    try:
        found = ZonedTime.from_ms(at.ToMilliseconds(), zone)
        found.check()
    except (BadTime, ValueError, OverflowError) as error:
        raise Refused.malformed(f"{field} is not in the calendar: {error}") from None
    return found
