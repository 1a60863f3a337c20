"""Compares the clocks of a store's users with the store's clock, which decides when leases expire.

```
fudaba-arena:clocks    by worker: by how many seconds its clock is ahead of the store's (hash)
```
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, final

from redis.asyncio import Redis

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.answers import StoreUnavailable, answer, read_often
from fudaba_serving.redis.clocks import seconds_ahead
from fudaba_serving.redis.pipelining import Pipelined
from fudaba_serving.redis.reading import by_field

__all__ = ["MAX_AHEAD_SECONDS", "Clocks", "clock_text"]

MAX_AHEAD_SECONDS: Final = 10.0
"""The largest difference from the store's clock with which a process starts. Times come from several clocks: those of
results from the service's, those of choices from the arena's, those of leases from the store's.
"""
_KEY: Final = "fudaba-arena:clocks"


@final
class Clocks:
    """The differences between the clocks of workers and arenas and the store's."""

    def __init__(self, redis: Redis, pipelined: Pipelined) -> None:
        self._redis = redis
        self._pipelined = pipelined

    async def ahead(self) -> float:
        """Returns how many seconds this clock is ahead of the store's: negative if it is behind, 0 if the delay of the
        answer explains it.
        """
        return await seconds_ahead(self._time())

    async def _time(self) -> tuple[int, int]:
        ((seconds, micros),) = await read_often(self._pipelined, ("TIME",))
        return int(seconds), int(micros)

    async def check(self, whose: str) -> None:
        """Raises `ArenaError` if this clock differs too much from the store's, or the store does not answer."""
        try:
            ahead = await self.ahead()
        except StoreUnavailable as error:
            raise ArenaError(str(error)) from error
        if abs(ahead) > MAX_AHEAD_SECONDS:
            raise ArenaError(clock_text(whose, ahead))

    async def note(self, worker: str, ahead: float) -> None:
        """Notes how far a worker's clock is ahead."""
        await answer(self._redis.hset(_KEY, worker, f"{ahead:.3f}"))

    async def of_workers(self) -> dict[str, float]:
        """Returns how far workers' clocks are ahead. Workers of an earlier release do not report it."""
        (found,) = await read_often(self._pipelined, ("HGETALL", _KEY))
        return {name.decode(): float(ahead) for name, ahead in by_field(found).items()}

    async def forget(self, workers: Collection[str]) -> None:
        """Forgets workers that are no longer listed."""
        if workers:
            await answer(self._redis.hdel(_KEY, *workers))


def clock_text(whose: str, ahead: float) -> str:
    """Says what is wrong with a clock, and what to do."""
    way = "ahead of" if ahead > 0 else "behind"
    return (
        f"the clock of {whose} is {abs(ahead):.0f} s {way} the one of the arena's store, and at most"
        f" {MAX_AHEAD_SECONDS:.0f} s are allowed: have both machines take their time from NTP (`timedatectl` says"
        " whether one does), and start again"
    )
