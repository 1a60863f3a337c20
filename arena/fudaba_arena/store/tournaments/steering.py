"""Steers a tournament: which arena plays it, and what the organiser wants.

```
player       the arena that plays it, until it says no more for a while
state        among other things `wanted`: `playing`, `paused` or `closed` (hash)
source       the text from which a standing arena plays it
```

Operations raise `StoreUnavailable` when Redis cannot be reached.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key, unavailable
from fudaba_arena.store.arenas.stored_service import StoredService
from fudaba_serving.redis.pipelining import Pipelined, Script

__all__ = ["Steering"]

_CLAIM: Final = Script(
    "local now = redis.call('GET', KEYS[1])\n"
    "if now and now ~= ARGV[1] then return 0 end\n"
    "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\nreturn 1"
)


@final
class Steering:
    """The arena that may play a tournament, and the organiser's wish for it."""

    def __init__(self, redis: Redis, pipelined: Pipelined, service: StoredService) -> None:
        self._redis = redis
        self._pipelined = pipelined
        self._service = service

    async def claim(self, name: str, owner: str, seconds: float) -> bool:
        """Takes or keeps the right to play a tournament for a while. Returns False while another arena has it.

        Also returns False unless the store is known to belong to the service on which this arena plays.
        """
        if not await self._service.ours():
            return False
        with unavailable():
            return bool(await self._pipelined.run(_CLAIM, [key(name, "player")], [owner, int(seconds * 1000)]))

    async def disclaim(self, name: str, owner: str) -> None:
        """Gives up the right to play."""
        script = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"
        await answer(self._redis.eval(script, 1, key(name, "player"), owner))

    async def others(self, owner: str) -> set[str]:
        """Returns the other arenas that play anything from this store."""
        with unavailable():
            claims = [found async for found in self._redis.scan_iter(match=key("*", "player"), count=1000)]
            owners: list[Any] = await self._redis.mget(claims) if claims else []
        return {found.decode() for found in owners if found is not None} - {owner}

    async def store_source(self, name: str, text: str) -> None:
        """Stores the text from which a tournament is played."""
        await answer(self._redis.set(key(name, "source"), text))

    async def source(self, name: str) -> str | None:
        """Reads that text. Returns None if there is none."""
        raw = await answer(self._redis.get(key(name, "source")))
        return None if raw is None else str(raw.decode())

    async def want(self, name: str, wanted: str) -> None:
        """Notes the organiser's wish for a tournament: `playing`, `paused` or `closed`."""
        await answer(self._redis.hset(key(name, "state"), "wanted", wanted))

    async def current(self, name: str) -> tuple[str, int, int]:
        """Reads `wanted`, the number of noted annulments, and the number of edits of a season's file."""
        with unavailable():
            (wanted, edits), annulments = await asyncio.gather(
                self._pipelined("HMGET", key(name, "state"), "wanted", "edits"),
                self._pipelined("LLEN", key(name, "annulments")),
            )
        return "" if wanted is None else str(wanted.decode()), int(annulments), int(edits or 0)

    async def wanted(self, name: str) -> str:
        """Reads the organiser's wish for a tournament; empty if none was noted."""
        raw = await answer(self._redis.hget(key(name, "state"), "wanted"))
        return "" if raw is None else str(raw.decode())
