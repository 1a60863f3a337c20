"""The archive's part of lists: what they show of a match, and its place."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from fudaba.v1 import matches_pb2, record_pb2

__all__ = ["Listed", "bounds_of", "ended_match", "listed_as", "month_of", "places", "time_of"]

_MAX_TIME_MS: Final = 10**13
_BEHIND_ALL: Final = "~"


class Listed(NamedTuple):
    """A match in a list."""

    place: str
    """Sorts newest first, see `listed_as`."""
    match: matches_pb2.Match


def listed_as(match_id: str, created_ms: int) -> str:
    """Returns a match's place in lists. Places sort by the time of creation, newest first.

    A match keeps its place when it ends.
    """
    return f"{_MAX_TIME_MS - created_ms:014}-{match_id}"


def time_of(place: str) -> str:
    """Returns the part of a place for a time of creation. It sorts before all places of that time."""
    return place.partition("-")[0]


def places(since_ms: int | None, before_ms: int | None) -> tuple[str, str]:
    """Returns the range of places for matches created at or after one time and before another."""
    after = "" if before_ms is None else f"{_MAX_TIME_MS - before_ms + 1:014}"
    until = _BEHIND_ALL if since_ms is None else f"{_MAX_TIME_MS - since_ms:014}."  # no `-`, so behind all ids
    return after, until


def month_of(created_ms: int) -> str:
    """Returns the UTC month of a time, as `2026-11`."""
    return f"{datetime.fromtimestamp(created_ms / 1000, UTC):%Y-%m}"


def bounds_of(month: str) -> tuple[str, str]:
    """Returns the range of places of a month."""
    begin = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    end = (begin + timedelta(days=31)).replace(day=1)
    return places(int(begin.timestamp() * 1000), int(end.timestamp() * 1000))


def ended_match(record: record_pb2.MatchRecord) -> matches_pb2.Match:
    """Returns the message about the match of a record, without whether it is hidden."""
    match = matches_pb2.Match(header=record.header, end=record.end)
    has_outcome = record.end.HasField("outcome")
    match.state = matches_pb2.MATCH_STATE_FINISHED if has_outcome else matches_pb2.MATCH_STATE_ABORTED
    started = [entry.at_ms for entry in record.log if entry.HasField("ready")]
    if len(started) == len(record.header.players):
        match.start_time.FromMilliseconds(started[-1])
    return match
