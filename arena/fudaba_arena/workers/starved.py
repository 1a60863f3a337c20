"""Notices that a submitted bot lost because others took its time. Then its block is void, and never its loss.

It considers only times, never the decisions or the result. A decision was starved if others took a tenth of its time or
more: time in which the bot wanted to run, was entitled to, and did not. Starved decisions that were still made in time
count as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fudaba.v1 import matches_pb2, record_pb2

__all__ = ["MAX_LOST_SHARE", "why_starved"]

MAX_LOST_SHARE: Final = 0.1
"""The share of its time that others may take from a decision."""
_MIN_BUSY_SHARE: Final = 0.5
"""The share of the time for which an absent bot must have wanted a core."""
_NOTICE_SECONDS: Final = 0.5
"""The longest time after the end of a match until its worker notices it, by the worker's own clock."""

Lost = Callable[[float, float], float]
"""Returns the seconds that others took from a bot between two moments of the monotonic clock."""


def why_starved(
    match: matches_pb2.Match | None,
    record: record_pb2.MatchRecord | None,
    seat: int,
    lost: Lost,
    ran: float,
    began: float,
    ended: float,
) -> str:
    """Returns what a seat missed because others had its core; empty if it missed nothing, or by its own fault.

    `ran` is its processor time in seconds. `began` is the start of its bot, and `ended` the end of the match, by the
    worker's monotonic clock. `match` and `record` are None if the service does not have them.
    """
    why = _why_absent(match, seat, lost, ran, ended - began, ended) if match is not None else ""
    return why or (_why_late(record, seat, lost, ended) if record is not None else "")


def _why_late(record: record_pb2.MatchRecord, seat: int, lost: Lost, ended: float) -> str:
    """Returns which decision of a seat ran out of time while others took part of it; empty if none did.

    With a time bank, time taken from earlier decisions was missing at the end, and counts too.
    """
    if not any(entry.seat == seat and entry.HasField("timeout") for entry in record.log):
        return ""
    end_ms = record.end.end_time.ToMilliseconds()
    bank = bool(record.header.clock.bank_ms)
    took_before = lost_before = 0.0
    for entry in record.log:
        event = entry.WhichOneof("what")
        if entry.seat != seat or event not in {"move", "timeout"}:
            continue
        spent = entry.spent
        took = (spent.server_us + spent.network_us + spent.bot_us) / 1e6
        until = ended - (end_ms - entry.at_ms) / 1000
        its_lost = min(took, lost(until - took - _NOTICE_SECONDS, until))
        if bank:
            took_before, lost_before = took_before + took, lost_before + its_lost
        if (
            event == "timeout"
            and took
            and max(its_lost / took, lost_before / took_before if bank else 0.0) >= MAX_LOST_SHARE
        ):
            return _text(f"in decision {entry.decision_id}", its_lost, took)
    return ""


def _why_absent(match: matches_pb2.Match, seat: int, lost: Lost, ran: float, took: float, ended: float) -> str:
    """Returns why a seat did not connect in its time, if that was not its own fault. A bot that wanted to run for less
    than half of the time would not have connected in any case.
    """
    if match.end.abort_cause != record_pb2.ABORT_CAUSE_NO_SHOW or seat not in match.end.absent_seats:
        return ""
    its_lost = lost(ended - took, ended)
    starved = its_lost >= MAX_LOST_SHARE * took and its_lost + ran >= _MIN_BUSY_SHARE * took
    return _text("as it started", its_lost, took) if starved else ""


def _text(when: str, lost: float, took: float) -> str:
    return f"{when} it ran out of time, of which others took the core from it for {lost:.2f} s of {took:.2f} s"
