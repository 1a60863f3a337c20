"""How long the store has not answered: an outage that no bot is charged for."""

from __future__ import annotations

import time
from typing import Final, final

__all__ = ["Silence"]

PATIENCE: Final = 0.6
"""Silence of so many seconds is usual: heartbeats are 0.25 s apart."""


@final
class Silence:
    """Adds up the times in which nothing was heard of the store, what is usual left out."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._total = 0.0

    def heard(self) -> None:
        """The store has answered."""
        now = time.monotonic()
        self._total = self.at(now)
        self._last = now

    def not_listened(self, seconds: float) -> None:
        """For so long this process was itself behind: that is no silence of the store."""
        self._last = min(self._last + seconds, time.monotonic())

    def at(self, now: float) -> float:
        """The sum until `now`, in seconds; a silence that is still going on counts already."""
        silent = now - self._last - PATIENCE
        return self._total + silent if silent > 0 else self._total

    def seconds(self) -> float:
        """The sum until now, in seconds."""
        return self.at(time.monotonic())
