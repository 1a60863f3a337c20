"""The jumps of the service's time during a match, from its clients' clocks and its record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import NamedTuple

from fudaba.v1 import record_pb2
from soak.chaos.journal import SeatJournal

__all__ = ["Jump", "largest_jump"]


class Jump(NamedTuple):
    """A jump of the service's time, between two moves."""

    seconds: float
    """The minimum number of seconds; 0 if the moves show no jump."""
    text: str = ""
    since: float = 0.0
    """The time of the earlier move, by the client's monotonic clock."""
    until: float = 0.0


class _Bound(NamedTuple):
    """A bound on the difference between the service's time and the client's, by a decision."""

    offset: float
    at: float
    decision_id: str


def largest_jump(
    record: record_pb2.MatchRecord,
    journals: Iterable[SeatJournal],
    may_be_stored_again: Callable[[float], bool],
    outages: Sequence[tuple[int, int]] = (),
) -> Jump:
    """Returns the largest jump. The service made each move between the client's writing and its learning of it, so
    these bound the evenness of the service's time.

    Timers and windows run by that time. Each move bounds the difference between the client's clock and it, and the
    bounds of all moves must fit together. A move that was accepted while it `may_be_stored_again` shows nothing: it may
    have been lost, unseen by its bot.

    In `outages` of all replicas, in ms of the service's time, clocks and timers stand still, so a jump that one of them
    covers costs nobody anything. Moves before and after it are compared among themselves.
    """
    by_seat = {journal.seat: journal for journal in journals if not journal.rewound}
    bounds: dict[int, tuple[_Bound, _Bound]] = {}
    for entry in record.log:
        journal = by_seat.get(entry.seat)
        decided = journal.latest(entry.decision_id) if journal is not None and entry.HasField("move") else None
        if decided is None or not decided.accepted or not decided.written or may_be_stored_again(decided.accepted):
            continue
        if any(start < entry.at_ms < end for start, end in outages):
            continue
        at, span = entry.at_ms / 1000, sum(end <= entry.at_ms for _, end in outages)
        least, most = bounds.get(span, (_Bound(-inf, 0.0, ""), _Bound(inf, 0.0, "")))
        bounds[span] = (
            max(least, _Bound(at - decided.accepted, decided.accepted, entry.decision_id)),
            min(most, _Bound(at - decided.written, decided.written, entry.decision_id)),
        )
    return max((_jump(least, most) for least, most in bounds.values()), default=Jump(0.0))


def _jump(least: _Bound, most: _Bound) -> Jump:
    seconds = least.offset - most.offset
    if not seconds > 0:
        return Jump(0.0)
    text = (
        f"the service's time jumped by {seconds:.3f} s or more between decisions {most.decision_id} and "
        f"{least.decision_id}, and moved what is timed by it"
    )
    return Jump(seconds, text, *sorted((least.at, most.at)))
