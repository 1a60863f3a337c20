"""Describes bots' speed, a clock's time and its credits, for checks, standings and logs alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fudaba.v1 import arena_pb2, record_pb2

__all__ = ["clock_given", "network_credit_lines", "pace_taken"]

_MAX_CREDITED_BOTS: Final = 10
"""The number of bots for which the credited time is shown."""


def clock_given(clock: record_pb2.Clock) -> str:
    """Returns a clock's time in words."""
    move, bank, increment = (millis / 1000 for millis in (clock.move_ms, clock.bank_ms, clock.increment_ms))
    return f"{move:g} s for a move, {bank:g} s more in all, {increment:g} s back for each"


def pace_taken(start: float, slowest: float, cpu: float, decision: str = "") -> str:
    """Returns a bot's time in a match, in seconds; `which` names the slowest decision."""
    return (
        f"it started in {start:.1f} s, took {slowest:.2f} s for its slowest decision{decision},"
        f" and {cpu:.2f} s of CPU in a match"
    )


def network_credit_lines(found: Iterable[arena_pb2.NetworkCredit]) -> list[str]:
    """Returns a line for each bot with network credit, largest first.

    It has the credit for a decision, and its variation. A bot that feigns a slow network is among the first.
    """
    credited = sorted(
        (credit for credit in found if credit.high_us),
        key=lambda seat_credit: (-seat_credit.median_us, -seat_credit.high_us, seat_credit.bot),
    )
    lines = [
        f"network: {credit.bot} was credited {credit.median_us / 1000:.0f} ms a decision at the median,"
        f" {credit.low_us / 1000:.0f} to {credit.high_us / 1000:.0f} ms in nine of ten ({credit.decisions:,} decisions)"
        for credit in credited[:_MAX_CREDITED_BOTS]
    ]
    left = len(credited) - len(lines)
    return [*lines, *([f"network: and {left} more; --json has all"] if left else [])]
