"""The time that replicas share, whatever happens to a wall clock.

Each process continues it by its monotonic clock, so setting a machine's clock does not move it. At every heartbeat it
is compared with Redis's clock. Redis stores the difference as the correction: when its clock is set, the replicas
change the correction and not their time. A replica that begins learns the time from both.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final, NamedTuple, final

__all__ = ["TOLERANCE_MS", "ClockReading", "SharedTime"]

TOLERANCE_MS: Final = 100.0
"""The difference between two clocks that reading them at different moments can explain. With more, one of them was set
or stood still.
"""
_QUICK_MS: Final = 200.0
"""The duration above which a reading is too vague to show that Redis's clock was set."""

_READINGS_COUNT: Final = 3


class ClockReading(NamedTuple):
    """A single reading of Redis's clock. All times are in milliseconds."""

    asked: float
    """This process's monotonic time before the request."""
    answered: float
    """The monotonic time after the answer."""
    redis_ms: float
    correction: int | None
    """The offset to add to Redis's clock; None when the store does not say."""
    others_ms: int
    """The shared time of the newest heartbeat of another replica; 0 if there is none."""
    decided_ms: int = 0
    """The shared time at which a beginning replica last changed the correction; 0 if the store does not say."""

    @property
    def corrected_ms(self) -> float:
        """The corrected time of Redis's clock."""
        return self.redis_ms + (self.correction or 0)

    def agrees(self, now_ms: float, open_ms: float, tolerance_ms: float = TOLERANCE_MS) -> bool:
        """Returns whether the reading fits a time of `now_ms`, or up to `open_ms` later, when Redis had answered."""
        behind_ms = now_ms - self.corrected_ms
        return -tolerance_ms - open_ms <= behind_ms <= tolerance_ms + self.answered - self.asked


@final
class SharedTime:
    """The shared time in this process. It never goes back."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic, wall: Callable[[], float] = time.time) -> None:
        self._monotonic = monotonic
        self._wall = wall
        self._offset: float | None = None
        self._most = 0.0
        """The highest offset that the readings so far allow: a slow one leaves it open."""
        self._latest = 0
        self.moved_ms = 0
        """The time by which the latest comparison has set the shared time forward."""

    @property
    def begun(self) -> bool:
        """Whether the time is known."""
        return self._offset is not None

    def clock_ms(self) -> float:
        """Reads the monotonic clock of this process, in milliseconds, for a `ClockReading`."""
        return self._monotonic() * 1000

    def wall_ms(self) -> float:
        """Reads the wall clock of this machine, in milliseconds since 1970."""
        return self._wall() * 1000

    def now_ms(self) -> int:
        """Returns the shared time: milliseconds since 1970. Before it is known, the machine's clock counts."""
        offset = self._offset
        now_ms = int(self.wall_ms() if offset is None else self._monotonic() * 1000 + offset)
        self._latest = max(self._latest, now_ms)
        return self._latest

    def ahead_of(self, clock_ms: Callable[[], float]) -> int:
        """Returns how far the shared time is ahead of another clock, in ms."""
        if self._offset is None:
            return round(self.now_ms() - clock_ms())
        found: list[tuple[float, float]] = []
        for _ in range(_READINGS_COUNT):
            # Between two readings the process may have had to wait for its turn.
            before = self.clock_ms()
            other = clock_ms()
            after = self.clock_ms()
            found.append((after - before, self._offset + (before + after) / 2 - other))
        return round(min(found)[1])

    @property
    def open_ms(self) -> int:
        """How much too early `now_ms` may be, from the uncertainty of slow readings."""
        return 0 if self._offset is None else math.ceil(self._most - self._offset)

    def latest_ms(self) -> int:
        """Returns the latest possible shared time, since slow readings may leave `now_ms` behind it."""
        now = self.now_ms()
        return now if self._offset is None else max(now, int(self.clock_ms() + self._most))

    def begin(self, reading: ClockReading, last_ms: int, *, believed: bool) -> int:
        """Takes the time over from the store. Returns the correction to store there.

        `last_ms` is the shared time of the last heartbeat of any replica: the time does not go back before it. If
        Redis's clock is not `believed`, because it was set while other replicas are alive, the time is that of their
        last heartbeat.
        """
        correction = reading.correction or 0
        if last_ms and (not believed or reading.corrected_ms < last_ms):
            correction = round(last_ms - reading.redis_ms)
        theirs = reading.redis_ms + correction
        self._offset, self._most = theirs - reading.answered, theirs - reading.asked
        self._latest = 0
        return correction

    def go_on(self, reading: ClockReading, now_ms: float, open_ms: float) -> int | None:
        """Takes the time over from a replica on the same machine, for which it was `now_ms` when the reading was
        answered.

        That replica's uncertainty (`open_ms`) is taken over: otherwise, a reading that corrects both would look like a
        set clock. Returns the correction to store if it must change.
        """
        self._offset = now_ms - reading.answered
        self._most = self._offset + open_ms
        self._latest = 0
        return self.compare(reading)

    def compare(self, reading: ClockReading) -> int | None:
        """Compares the time with a reading of Redis's clock. Returns the correction to store if it must change.

        Redis answered at some moment between `asked` and `answered`, so the time stands unless the reading rules it
        out. Small differences are corrected here, and so are larger ones that earlier readings were too slow to show.
        Any other difference means that Redis's clock was set, unless other replicas are also ahead of this one: then
        this process stood still, with its monotonic clock.
        """
        if self._offset is None:
            raise RuntimeError("the shared time has not begun")
        before, self.moved_ms = self._offset, 0
        if reading.correction is None:
            return round(self._offset + reading.answered - reading.redis_ms)
        theirs = reading.corrected_ms
        least, most = theirs - reading.answered, theirs - reading.asked
        if self._offset <= most + TOLERANCE_MS and least - TOLERANCE_MS <= self._most:
            self._offset = min(max(self._offset, least), most)
            self._most = max(self._offset, min(self._most, most))
            self.moved_ms = math.ceil(self._offset - before)
            return None
        if self._offset < least and reading.others_ms > self._offset + reading.answered + TOLERANCE_MS:
            self._offset, self._most = least, most
            self.moved_ms = math.ceil(self._offset - before)
            return None
        if reading.answered - reading.asked > _QUICK_MS:
            return None
        middle = (reading.asked + reading.answered) / 2
        return round(self._offset + middle - reading.redis_ms)
