"""Keeps a bot from thinking on others' time: it is frozen while it owes its match no decision.

It runs until it receives its match, whenever it owes a decision, and after its match. Otherwise it is frozen once all
of its threads wait, or once it has used up an allowance of processor time: enough to read news, answer pings and
reconnect, and too little to think. Whatever the service sends to a frozen bot is put into its socket, and wakes it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from math import inf
from typing import Final, final

from fudaba_arena.sandbox.freezer import Freezer
from fudaba_arena.sandbox.owed_decisions import OwedDecisions

__all__ = ["ALLOWANCE_SHARE", "MAX_ALLOWANCE_SECONDS", "Pondering"]

MAX_ALLOWANCE_SECONDS: Final = 0.5
"""The processor time that a bot may use while it owes nothing, before it is frozen in any case."""
ALLOWANCE_SHARE: Final = 0.02
"""The share of a core that is constantly added to the allowance."""
_RESTART_SECONDS: Final = 5.0
"""The time that a process may use until it has connected, if it starts during its match."""
_MIN_ALLOWANCE_SECONDS: Final = 0.02
"""The allowance below which only a decision wakes a bot."""
_POLL_SECONDS: Final = 0.005
"""The time between two looks at a running bot that owes nothing, and from its answer to the first look."""
_AWAY_POLL_SECONDS: Final = 0.05
"""The same for a disconnected bot. It may be waiting before it reconnects, so waiting is no reason to freeze it."""


@final
class Pondering:
    """Freezes the bot of one seat while it owes no decision. It belongs to one event loop.

    Call `changed` after everything that `owing` hears.
    """

    def __init__(self) -> None:
        self.owing = OwedDecisions()
        self.unread: Callable[[], bool] = lambda: False
        """Whether the bot has not read all that the service has sent it, by the relay."""
        self.freezes = 0
        """The number of times that it was frozen."""
        self.frozen_seconds = 0.0
        self.thaw_seconds = 0.0
        """The longest time that a wake-up took, of the worker's time."""
        self._freezer: Freezer | None = None
        self._frozen_at: float | None = None
        self._unread = False
        """Whether something other than a decision waits for it."""
        self._released = False
        self._allowed = MAX_ALLOWANCE_SECONDS
        self._counted = time.monotonic()
        """The time of the last update of the allowance."""
        self._used: float | None = None
        """Its processor time at the last look; None if there was no look since it last owed a decision."""
        self._timer: asyncio.TimerHandle | None = None

    def started(self, freezer: Freezer | None) -> None:
        """Takes the freezer of the present process; None if it cannot be frozen."""
        self._freezer = freezer
        self._used = None
        if self.owing.began:
            self._allowed = _RESTART_SECONDS
        self.changed()

    def ended(self) -> None:
        """Notes that the process is to end. It is no longer frozen."""
        self._thaw()
        self._freezer = None
        self._wait(inf)

    def release(self) -> None:
        """Notes that the match is over, so that the bot may write down what it has learnt."""
        self._released = True
        self.changed()

    def summary(self) -> str:
        """Returns for the author how long it was frozen, in words."""
        times = "once" if self.freezes == 1 else f"{self.freezes:,} times"
        return (
            f"it owed no decision, and was frozen, for {self.frozen_seconds:.1f} s ({times}; to wake it up took"
            f" {1000 * self.thaw_seconds:.1f} ms at most)"
        )

    def wake(self) -> None:
        """Lets the bot run because it has something to read: at once, or as soon as its allowance suffices."""
        if self._frozen_at is not None:
            self._unread = True
            self._look()

    def changed(self) -> None:
        """Notes a message on any connection."""
        now = time.monotonic()
        if self._runs_freely(now):
            self._settle(now)
            self._thaw()
            self._wait(self.owing.due - now if self.owing.owes(now) else inf)
        elif self._used is None and self._timer_is_late():
            self._wait(_POLL_SECONDS)
        elif self._frozen_at is not None and not self.owing.following:
            self._look()

    def _timer_is_late(self) -> bool:
        """Returns whether no look is due soon."""
        soon = asyncio.get_running_loop().time() + _AWAY_POLL_SECONDS
        return self._frozen_at is None and (self._timer is None or self._timer.when() > soon)

    def _runs_freely(self, now: float) -> bool:
        owing = self.owing
        return self._freezer is None or self._released or not owing.began or owing.over or owing.owes(now)

    def _look(self) -> None:
        """Checks whether the bot still runs, or may run again."""
        now = time.monotonic()
        if self._freezer is None or self._runs_freely(now):
            self.changed()
            return
        if self._frozen_at is not None:
            self._look_at_frozen(now)
            return
        before, used = self._used, self._freezer.cpu()
        self._settle(now)
        self._used = used
        connected = self.owing.following > 0
        busy = before is not None and used - before > _POLL_SECONDS / 5
        at_rest = not busy and self._freezer.at_rest
        if self._allowed <= 0 or (connected and at_rest and not self.unread()):
            self._freeze(now)
        else:
            self._wait(_POLL_SECONDS if connected and not at_rest else _AWAY_POLL_SECONDS)

    def _look_at_frozen(self, now: float) -> None:
        if not self._unread and self.owing.following:
            return  # the bot owes no decision
        self._settle(now)
        if self._allowed < _MIN_ALLOWANCE_SECONDS:
            self._wait((_MIN_ALLOWANCE_SECONDS - self._allowed) / ALLOWANCE_SHARE + _POLL_SECONDS)
            return
        self._thaw()
        self._used = self._freezer.cpu() if self._freezer is not None else None
        self._wait(_POLL_SECONDS)

    def _settle(self, now: float) -> None:
        """Updates the allowance with the bot's use since the last look."""
        if self._used is not None and self._freezer is not None:
            self._allowed -= self._freezer.cpu() - self._used
        self._used = None
        most = MAX_ALLOWANCE_SECONDS if self.owing.following else max(self._allowed, MAX_ALLOWANCE_SECONDS)
        # What a late look finds is no debt: the bot would miss pings while it is paid.
        self._allowed = min(most, max(0.0, self._allowed + ALLOWANCE_SHARE * (now - self._counted)))
        self._counted = now

    def _freeze(self, now: float) -> None:
        if self._freezer is None:
            return
        self._freezer.freeze()
        self._used = None
        self._frozen_at = now
        self.freezes += 1
        self._unread = self.unread()
        self._wait(inf)
        self._look_at_frozen(now)

    def _thaw(self) -> None:
        if self._frozen_at is None or self._freezer is None:
            return
        begin = time.monotonic()
        self._freezer.thaw()
        now = time.monotonic()
        self.thaw_seconds = max(self.thaw_seconds, now - begin)
        self.frozen_seconds += now - self._frozen_at
        self._frozen_at = None
        self._unread = False

    def _wait(self, seconds: float) -> None:
        """Schedules a look after a time, and none before; infinity means never."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look) if seconds < inf else None
