"""Measures the lag of this process, so that delays that it was too busy to notice count against nobody."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left, bisect_right
from operator import itemgetter
from typing import Final, final

__all__ = ["Lag"]

_TICK_SECONDS: Final = 0.01
_USUAL_LAG_SECONDS: Final = 0.003


@final
class Lag:
    """Notes when a task that wakes up regularly woke up late."""

    def __init__(self) -> None:
        self.late: list[tuple[float, float]] = []
        """Spans of monotonic time, one after another, in which this process did nothing that it should have done."""

    async def run(self) -> None:
        """Measures until it is cancelled."""
        while True:
            due = time.monotonic() + _TICK_SECONDS
            await asyncio.sleep(_TICK_SECONDS)
            now = time.monotonic()
            if now - due > _USUAL_LAG_SECONDS:
                self.late.append((due, now))

    def within(self, since: float, until: float) -> float:
        """Returns the seconds of lateness in an interval. Spans that lie partly in it count in full."""
        first = bisect_left(self.late, since, key=itemgetter(1))
        beyond = bisect_right(self.late, until, key=itemgetter(0))
        return sum(end - start for start, end in self.late[first:beyond])
