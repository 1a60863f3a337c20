"""Finds a bot's faults in a match's record."""

from __future__ import annotations

from typing import Final

from fudaba import records
from fudaba.local_play.results import BotFault, Seated
from fudaba.v1 import record_pb2

__all__ = ["read_seats"]

_AHEAD_MS: Final = 1_000


def read_seats(record: record_pb2.MatchRecord) -> tuple[Seated, ...]:
    """Returns each seat's decisions, the slowest one, refused answers, and timeouts."""
    match = records.replay(record)
    seats = [Seated() for _ in record.header.players]
    first_illegal: dict[int, str] = {}
    first_timeout: dict[int, str] = {}
    when: dict[tuple[str, int], tuple[int, int]] = {}
    for number, entry in enumerate(record.log):
        entry_kind, before = entry.WhichOneof("what"), list(match.timeouts)
        if entry_kind == "illegal":
            refusal = f"{entry.illegal.reason}: {entry.illegal.message}"
            first_illegal.setdefault(entry.seat, f"decision {entry.decision_id}: {refusal}")
            when.setdefault(("illegal", entry.seat), (_began_ms(record, number), entry.at_ms))
        if entry_kind in {"move", "timeout"}:
            seat = seats[entry.seat]
            seat.decisions += 1
            seat.slowest_ms = max(seat.slowest_ms, entry.spent.bot_us / 1000)
        match.apply(entry)
        if match.timeouts != before:
            first_timeout.setdefault(
                entry.seat, f"decision {entry.decision_id}, after {entry.spent.bot_us / 1e6:.1f} s"
            )
            when.setdefault(("timeouts", entry.seat), (_began_ms(record, number), entry.at_ms))
    for number, seat in enumerate(seats):
        if match.illegal[number]:
            text = f"had an answer refused: {first_illegal[number]}"
            seat.faults.append(BotFault("illegal", text, match.illegal[number], when["illegal", number]))
        if match.timeouts[number]:
            text = f"let its time run out: {first_timeout[number]}"
            seat.faults.append(BotFault("timeouts", text, match.timeouts[number], when["timeouts", number]))
    return tuple(seats)


def _began_ms(record: record_pb2.MatchRecord, number: int) -> int:
    """Returns when the seat of an entry was last heard of before it, or when the log begins; never later than the
    truth.

    The record has the service's estimate of its store's time, which may be ahead of the clock that stamps a program's
    output.
    """
    own = (
        earlier_entry.at_ms
        for earlier_entry in reversed(record.log[:number])
        if earlier_entry.seat == record.log[number].seat
    )
    return next(own, record.log[0].at_ms) - _AHEAD_MS
