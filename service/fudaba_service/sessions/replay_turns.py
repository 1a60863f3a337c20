"""Gives turns when many matches are loaded at the same time, as after a restart.

Replaying a log takes milliseconds. The match with the latest event comes first: there somebody is waiting for an
answer, while in others nobody may have moved for minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Final, final

from fudaba.v1 import record_pb2

__all__ = ["ReplayTurns"]

_MATCHES_PER_TURN: Final = 8
"""The number of replays in one turn of the event loop. Other work is served in between."""
_NEW: Final = float("inf")


@final
class ReplayTurns:
    """Admits waiting matches to replay, the match with the newest entry first, a few in each turn of the event loop."""

    def __init__(self) -> None:
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._goes_on = False

    async def wait(self, entries: Sequence[bytes]) -> None:
        """Waits for the turn of the match with these log entries. A match without entries is new."""
        last = record_pb2.LogEntry.FromString(entries[-1]).at_ms if entries else _NEW
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (-last, next(self._numbers), mine))
        if not self._goes_on:
            self._goes_on = True
            asyncio.get_running_loop().call_soon(self._let_through)
        await mine

    def _let_through(self) -> None:
        through = 0
        while self._waiting and through < _MATCHES_PER_TURN:
            *_, waiter = heappop(self._waiting)
            if not waiter.done():  # who waited may have gone
                waiter.set_result(None)
                through += 1
        self._goes_on = bool(self._waiting)
        if self._goes_on:
            asyncio.get_running_loop().call_soon(self._let_through)
