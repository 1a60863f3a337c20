"""Checks that no block waits for a worker: measures for how long each is handed out while nobody has a lease for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_arena.store.answers import StoreUnavailable
from fudaba_arena.store.leases.handed_out import Progress
from fudaba_arena.store.store import Store
from soak.chaos.striking import Struck
from soak.season.following import SEASON

__all__ = ["LeaseWatch", "Unleased", "latest_change"]

_POLL_SECONDS: Final = 0.5
_MAX_STEP_SECONDS: Final = 2 * _POLL_SECONDS
"""The longest step between two looks that counts, in seconds: on a busier machine nothing is quick."""
_PARTS: Final = ("worker", "arena", "queue")
_LINKS: Final = frozenset({"reset", "half-open", "truncate", "cut-off", "delay"})


@final
class Unleased:
    """Counts the time for which blocks are without a lease while a worker has room and no fault is active."""

    def __init__(self) -> None:
        self.longest: dict[int, float] = {}
        """The longest such time of each block, in seconds."""
        self._waits: dict[int, float] = {}

    def interrupted(self) -> None:
        """Restarts every wait: the blocks that a struck part had fetched may be lost with it."""
        self._waits.clear()

    def saw(self, seconds: float, blocks: Mapping[int, Progress], *, room: bool) -> None:
        """Counts the seconds since the last look. `blocks` are those that are handed out now."""
        waiting = {number for number, progress in blocks.items() if progress.end is None and not progress.held}
        self._waits = {number: self._waits.get(number, 0.0) for number in waiting}
        if room:
            for number in self._waits.keys() & waiting:
                self._waits[number] += min(seconds, _MAX_STEP_SECONDS)
                self.longest[number] = max(self.longest.get(number, 0.0), self._waits[number])


def latest_change(struck: Sequence[Struck]) -> float:
    """Returns when a fault of arena, workers, their Redis or a link last began or ended, by the monotonic clock; 0 for
    never.

    Returns infinity while a fault is active.
    """
    relevant = [
        strike for strike in struck if strike.fault.kind in _LINKS or strike.fault.kind.partition("-")[0] in _PARTS
    ]
    return max((strike.end or float("inf") for strike in relevant), default=0.0)


@final
class LeaseWatch:
    """Observes the blocks of the season, past all proxies, while faults strike."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.struck: Sequence[Struck] = ()
        """The faults so far."""
        self.unleased = Unleased()

    async def watch(self) -> None:
        """Observes until cancelled."""
        store = Store(self._url)
        looked = time.monotonic()
        try:
            while True:
                await asyncio.sleep(_POLL_SECONDS)
                since, looked = looked, time.monotonic()
                try:
                    numbers = await store.handed_out.numbers(SEASON)
                    blocks = await store.handed_out.progress(SEASON, numbers)
                    workers = await store.workers.all()
                except StoreUnavailable:
                    self.unleased.interrupted()
                    continue
                if latest_change(self.struck) >= since:
                    self.unleased.interrupted()
                else:
                    room = any(worker.has_room and not worker.dead for worker in workers)
                    self.unleased.saw(looked - since, blocks, room=room)
        finally:
            await store.close()
