"""The annulments of a tournament, as the store lists them."""

from __future__ import annotations

from typing import final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key
from fudaba_arena.store.blocks.annulments import Annulment

__all__ = ["AnnulmentList"]


@final
class AnnulmentList:
    """The annulments of all tournaments."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def annul(self, name: str, annulment: Annulment) -> int:
        """Notes that closed blocks do not count any more, or again. Returns its number, from 1."""
        return int(await answer(self._redis.rpush(key(name, "annulments"), annulment.line())))

    async def annulments(self, name: str) -> tuple[Annulment, ...]:
        """Reads all that were noted, in order."""
        return tuple(map(Annulment.from_line, await answer(self._redis.lrange(key(name, "annulments"), 0, -1))))

    async def annulment_count(self, name: str) -> int:
        """Returns how many were noted."""
        return int(await answer(self._redis.llen(key(name, "annulments"))))
