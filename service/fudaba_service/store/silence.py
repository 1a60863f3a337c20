"""Measures how long the store has not answered: an outage that no bot is charged for."""

from __future__ import annotations

import time
from typing import Final, final

__all__ = ["Silence"]

PATIENCE: Final = 0.6
"""The usual silence in seconds: heartbeats are 0.25 s apart."""


@final
class Silence:
    """Adds up the times without a sign of the store, each since its last sign. Short ones are usual, and do not
    count.
    """

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._total = 0.0
        self._lost = False

    def heard(self) -> None:
        """Notes that the store has answered."""
        now = time.monotonic()
        self._total = self.at(now)
        self._last = now
        self._lost = False

    def heard_but(self, since: float) -> None:
        """Notes that the store answered, but not a request made at `since`: until that moment it was heard."""
        if since > self._last and self.at(time.monotonic()) == self._total:
            self._last = since

    def lost(self) -> None:
        """Notes that a connection to the store was lost: until the store answers again, even a short silence counts."""
        self._lost = True

    def not_listened(self, seconds: float) -> None:
        """Notes that this process was late by this time, which is no silence of the store."""
        self._last = min(self._last + seconds, time.monotonic())

    def at(self, now: float) -> float:
        """Returns the sum until `now`, in seconds, including an ongoing silence."""
        silent = now - self._last
        return self._total + silent if self._lost or silent > PATIENCE else self._total

    def seconds(self) -> float:
        """Returns the sum until now, in seconds."""
        return self.at(time.monotonic())
