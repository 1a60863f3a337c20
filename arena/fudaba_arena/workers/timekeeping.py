"""Judges whether a worker keeps time, by bots that need next to no time for a decision.

It considers only how long decisions took, never the decisions themselves or the result.

It counts the seconds of the latest minute in which such a bot was late, not how often or by how much: a machine that
slept for an hour was late once, with all its bots. On a worker with more work than its cores can do at once, decisions
wait their turn. So only a delay that would hurt a bot on the usual clocks is late, and one such second is no reason to
stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

__all__ = ["LATE_SECONDS", "LatenessVerdict", "Timekeeping"]

LATE_SECONDS: Final = 1.0
"""A bot that normally answers at once is late after this time."""
_WINDOW_SECONDS: Final = 60
_MIN_LATE_SECONDS: Final = 5
_MIN_LATE_SHARE: Final = 0.1
"""A worker stops if bots were late in this many seconds, and in this share of the observed seconds."""
_MIN_CLEAN_SECONDS: Final = 20
"""A worker plays again if bots were in time in this many seconds of the latest minute, and late in none."""


@final
@dataclass(frozen=True, slots=True)
class LatenessVerdict:
    """The verdict on a worker's latest minute."""

    late: int
    """The number of seconds in which a bot was late."""
    seen: int
    """The number of observed seconds."""
    longest: float
    """The longest time of a decision, in seconds."""

    @property
    def slow(self) -> bool:
        """Whether bots lose time there."""
        return self.late >= max(_MIN_LATE_SECONDS, _MIN_LATE_SHARE * self.seen)

    @property
    def well(self) -> bool:
        """Whether a worker that was slow may play again."""
        return self.late == 0 and self.seen >= _MIN_CLEAN_SECONDS


@final
class Timekeeping:
    """The observations of one worker in its latest minute. Times are in seconds from any fixed moment."""

    def __init__(self, late_seconds: float = LATE_SECONDS) -> None:
        self._late = late_seconds
        self._longest: dict[int, float] = {}

    def note(self, at: float, took: float) -> None:
        """Notes when a decision was answered, and how long it took."""
        second = int(at)
        self._longest[second] = max(took, self._longest.get(second, 0.0))

    def verdict(self, now: float) -> LatenessVerdict:
        """Judges the minute before `now`."""
        self._longest = {at: took for at, took in self._longest.items() if at > now - _WINDOW_SECONDS}
        took = self._longest.values()
        return LatenessVerdict(sum(duration >= self._late for duration in took), len(took), max(took, default=0.0))

    def forget(self) -> None:
        """Starts again without observations."""
        self._longest.clear()
