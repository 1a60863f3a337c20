"""What a match's record says that a bot did wrong."""

from __future__ import annotations

from typing import final

from fudaba import records
from fudaba.local_play.results import Fault, Seated
from fudaba.v1 import record_pb2

__all__ = ["read_seats"]


def read_seats(record: record_pb2.MatchRecord) -> tuple[Seated, ...]:
    """How each seat did: its decisions, the slowest of them, answers that were refused, time that ran out."""
    match = records.replay(record)
    seats = [Seated() for _ in record.header.players]
    first_illegal: dict[int, str] = {}
    first_timeout: dict[int, str] = {}
    when: dict[tuple[str, int], tuple[int, int]] = {}
    times = _Times(record)
    for number, entry in enumerate(record.log):
        what, before = entry.WhichOneof("what"), list(match.timeouts)
        if what == "illegal":
            told = f"{entry.illegal.reason}: {entry.illegal.message}"
            first_illegal.setdefault(entry.seat, f"decision {entry.decision_id}: {told}")
            when.setdefault(("illegal", entry.seat), (times.before(number), times.after(number)))
        if what in {"move", "timeout"}:
            seat = seats[entry.seat]
            seat.decisions += 1
            seat.slowest_ms = max(seat.slowest_ms, entry.spent.bot_us / 1000)
        match.apply(entry)
        if match.timeouts != before:
            first_timeout.setdefault(
                entry.seat, f"decision {entry.decision_id}, after {entry.spent.bot_us / 1e6:.1f} s"
            )
            when.setdefault(("timeouts", entry.seat), (times.before(number), entry.at_ms))
    for number, seat in enumerate(seats):
        if match.illegal[number]:
            text = f"had an answer refused: {first_illegal[number]}"
            seat.faults.append(Fault("illegal", text, match.illegal[number], when["illegal", number]))
        if match.timeouts[number]:
            text = f"let its time run out: {first_timeout[number]}"
            seat.faults.append(Fault("timeouts", text, match.timeouts[number], when["timeouts", number]))
    return tuple(seats)


@final
class _Times:
    """When a seat was heard of before an entry of the log, and after it, in milliseconds since 1970."""

    def __init__(self, record: record_pb2.MatchRecord) -> None:
        self._log = record.log

    def before(self, number: int) -> int:
        """Of the entry of the same seat before this one; that of the log's first one where there is none."""
        own = (one.at_ms for one in reversed(self._log[:number]) if one.seat == self._log[number].seat)
        return next(own, self._log[0].at_ms)

    def after(self, number: int) -> int:
        """Of the entry of the same seat after this one, or of the log's end."""
        own = (one.at_ms for one in self._log[number + 1 :] if one.seat == self._log[number].seat)
        return next(own, self._log[-1].at_ms)
