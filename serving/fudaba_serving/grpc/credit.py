"""The allowance of a sender: credit that comes back with time, and a pace for bursts."""

from __future__ import annotations

import asyncio
import time
from typing import Final, final

from fudaba.refusals import Refused
from fudaba.v1 import errors_pb2

__all__ = ["Credit", "Pace"]

_MESSAGES_PER_DECISION: Final = 2.0
"""The number of messages that a decision is worth: it pays for its answer, and for one refused answer."""
_MAX_DECISIONS_BURST: Final = 10_000.0
"""The most credit that decisions can add to a burst: a bot has at most this many matches."""
_SLOW_SECONDS: Final = 10.0


@final
class Credit:
    """The credit of a sender, which comes back with time. A spender takes the cost off `left`."""

    __slots__ = ("_at", "_most", "_slow_since", "burst", "left", "rate", "whose")

    def __init__(self, rate: float, seconds: float, whose: str = "") -> None:
        self.whose = whose
        self.rate = rate
        self.burst = rate * seconds if rate else float("inf")
        self.left = self.burst
        self._most = self.burst + _MAX_DECISIONS_BURST
        self._at = time.monotonic()
        self._slow_since: float | None = None

    def spend(self, cost: float) -> None:
        """Charges for a message that was already received, however much is left, but at most a whole burst."""
        self.left -= min(cost, self.burst)

    def earn(self, decisions: int = 1) -> None:
        """Adds the worth of decisions that the bot got."""
        self.left = min(self._most, self.left + _MESSAGES_PER_DECISION * decisions)

    def refill(self) -> float:
        """Adds the credit that is due by now; returns the seconds until nothing is owed."""
        if not self.rate:  # nothing is counted, so nothing is ever owed
            return 0.0
        now = time.monotonic()
        if self.left < self.burst:
            self.left = min(self.burst, self.left + (now - self._at) * self.rate)
        self._at = now
        return max(0.0, -self.left / self.rate)

    async def wait(self) -> bool:
        """Waits until the debt is paid back, and returns whether that took time. Call it when `left` is below 0.

        Refuses a sender that has been slowed for more than `_SLOW_SECONDS`, without a quiet time in between.
        """
        seconds = self.refill()
        if self.left >= self.burst / 2:
            self._slow_since = None
        if not seconds:
            return False
        if self._slow_since is None:
            self._slow_since = self._at
        elif self._at - self._slow_since > _SLOW_SECONDS:
            raise Refused(
                errors_pb2.REASON_TOO_FAST,
                f"too many messages that answer no decision: {self.rate:g} a second are allowed, and answers besides; "
                "connect again later, and send one answer to each decision",
                retry_seconds=(self.burst / 2 - self.left) / self.rate,
            )
        await asyncio.sleep(seconds)
        return True


@final
class Pace:
    """A pace for calls: a call that comes too early waits.

    `rate` is the cost that may come in a second, and `at_once` the cost that may come at once. A rate of 0 sets no
    limit.
    """

    __slots__ = ("_at", "_at_once", "_left", "_rate")

    def __init__(self, rate: float, at_once: float) -> None:
        self._rate = rate
        self._at_once = self._left = at_once
        self._at = time.monotonic()

    def turn(self, cost: float = 1.0) -> float:
        """Counts a call of this cost; returns the seconds to its turn, after the calls that already wait."""
        if not self._rate:
            return 0.0
        now = time.monotonic()
        self._left = min(self._at_once, self._left + (now - self._at) * self._rate) - cost
        self._at = now
        return max(0.0, -self._left / self._rate)
