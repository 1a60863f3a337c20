"""How fast a bot was, and how much time a clock gives: the words that checks, ladders and logs share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fudaba.v1 import record_pb2

__all__ = ["clock_given", "pace_taken"]


def clock_given(clock: record_pb2.Clock) -> str:
    """The time that a clock gives."""
    move, bank, increment = (one / 1000 for one in (clock.move_ms, clock.bank_ms, clock.increment_ms))
    return f"{move:g} s for a move, {bank:g} s more in all, {increment:g} s back for each"


def pace_taken(start: float, slowest: float, cpu: float, which: str = "") -> str:
    """What a bot took in a match, in seconds; `which` says which decision was the slowest."""
    return (
        f"it started in {start:.1f} s, took {slowest:.2f} s for its slowest decision{which},"
        f" and {cpu:.2f} s of CPU in a match"
    )
