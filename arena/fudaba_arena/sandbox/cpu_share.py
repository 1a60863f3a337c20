"""A bot's share of its worker's processor time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, final

__all__ = ["CpuShare"]

_SHARE_RATIO: Final = 0.05
"""The processor time that a bot gets per second: half of what makes a decision that ran out of time void.

A hundred moves a second, at 30 µs to read one and 80 µs for its steps, take about a fifth of it.
"""
_MAX_CREDIT_SECONDS: Final = 0.05
"""The processor time that a bot can save up."""


@final
class CpuShare:
    """The processor time that a worker spends on one bot. A bot that exceeds its share has to wait.

    All bots of a worker share one event loop, so one bot's messages must not delay the others.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """`now` returns the time in seconds."""
        self._now = now
        self._noted_at = now()
        self._credit_seconds = _MAX_CREDIT_SECONDS

    def spend(self, seconds: float) -> float:
        """Notes used processor time. Returns the seconds for which the bot has to wait."""
        now = self._now()
        earned = (now - self._noted_at) * _SHARE_RATIO
        self._noted_at = now
        self._credit_seconds = min(_MAX_CREDIT_SECONDS, self._credit_seconds + earned) - seconds
        return max(0.0, -self._credit_seconds / _SHARE_RATIO)
