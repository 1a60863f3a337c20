"""The one timer of a session."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    import asyncio

__all__ = ["Alarm"]

_MIN_DELAY_SECONDS: Final = 0.01

CallLater = Callable[[float, Callable[[], None]], "asyncio.TimerHandle"]


@final
class Alarm:
    """Fires when something may be overdue. Firing too early does no harm, so only an earlier time needs a new timer."""

    __slots__ = ("_at", "_call_later", "_fire", "_timer")

    def __init__(self, call_later: CallLater, fire: Callable[[], None]) -> None:
        self._call_later = call_later
        self._fire = fire
        self._timer: asyncio.TimerHandle | None = None
        self._at = 0.0

    def fires_by(self, when: float) -> bool:
        """Returns whether it fires at or before a monotonic time."""
        return self._timer is not None and self._at <= when

    def set(self, seconds: float) -> None:
        """Makes it fire after this time at the latest."""
        seconds = max(seconds, _MIN_DELAY_SECONDS)
        when = time.monotonic() + seconds
        if self._timer is None or when < self._at:
            self.stop()
            self._at = when
            self._timer = self._call_later(seconds, self._fired)

    def stop(self) -> None:
        """Cancels it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _fired(self) -> None:
        self._timer = None
        self._fire()
