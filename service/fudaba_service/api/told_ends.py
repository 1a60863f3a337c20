"""Tracks which ends of matches a stream has sent, and which of them the bot has read, as a pong shows."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Final, final

from fudaba_service.sessions.time_spent import Pings

__all__ = ["MAX_ENDED_MATCHES", "ToldEnds"]

MAX_ENDED_MATCHES: Final = 1_000
"""The number of finished matches whose sent messages a stream remembers."""
_PING_SECONDS: Final = 5.0
_PING_AFTER_END_SECONDS: Final = 0.5
"""The earliest time after a ping for another one when a match has ended, to see whether the bot has read that."""


@final
class ToldEnds:
    """The ends in a stream's outbox, until a pong shows that the bot has read them."""

    def __init__(self, ping: Callable[[int], None], *, credited: bool) -> None:
        """`ping` puts a ping with this number into the outbox; `credited` says whether its round trip counts as network
        time.
        """
        self.pings = Pings(credited=credited)
        self._ping = ping
        self._matches: dict[str, None] = {}
        """The matches whose messages were sent last, in this order."""
        self._unread: list[bytes] = []
        self._added, self._ponged = asyncio.Event(), asyncio.Event()
        self._newest: dict[int, tuple[float, int]] = {}
        """The time when the newest ping was sent, and how many of the unread ends had been sent by then."""

    def __contains__(self, match_id: str) -> bool:
        return match_id in self._matches

    def __len__(self) -> int:
        return len(self._matches)

    def add(self, match_id: str, end: bytes) -> None:
        """Notes an end put into the outbox."""
        self._matches[match_id] = None
        if len(self._matches) > MAX_ENDED_MATCHES:
            del self._matches[next(iter(self._matches))]
        self._unread.append(end)
        self._added.set()

    async def keep_pinging(self) -> None:
        """Sends pings while the stream lasts."""
        number = 0
        while True:
            number += 1
            self._newest = {number: (time.monotonic(), len(self._unread))}
            self._ping(number)
            self._added.clear()
            self._ponged.clear()
            await asyncio.sleep(_PING_AFTER_END_SECONDS)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PING_SECONDS - _PING_AFTER_END_SECONDS):
                    await self._added.wait()
                    await self._ponged.wait()  # a slow network's pong must find its ping

    def pong(self, number: int) -> list[bytes]:
        """Takes a pong. Returns the ends that the bot has now read: those sent before the ping."""
        pinged = self._newest.pop(number, None)
        if pinged is None:
            return []
        self._ponged.set()
        sent, ends = pinged
        self.pings.add(time.monotonic() - sent)
        read, self._unread = self._unread[:ends], self._unread[ends:]
        return read
