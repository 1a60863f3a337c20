"""The lists of a store's tournaments and ladders."""

from __future__ import annotations

from typing import Final, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key, read_often, unavailable
from fudaba_arena.store.challenges.challenge_store import Challenges
from fudaba_serving.redis.pipelining import Pipelined

__all__ = ["TournamentList"]

_TOURNAMENTS: Final = "fudaba-arena:tournaments"
_PUT_ASIDE: Final = "fudaba-arena:put-aside"
"""The tournaments that cannot be read and were taken off all lists."""
_LADDERS: Final = "fudaba-arena:ladders"


@final
class TournamentList:
    """The lists of a store's tournaments and ladders."""

    def __init__(self, redis: Redis, pipelined: Pipelined, challenges: Challenges) -> None:
        self._redis = redis
        self._pipelined = pipelined
        self._challenges = challenges

    async def add(self, name: str) -> None:
        """Lists a tournament."""
        await answer(self._redis.sadd(_TOURNAMENTS, name))

    async def names(self) -> tuple[str, ...]:
        """Returns the names of all tournaments, sorted."""
        (found,) = await read_often(self._pipelined, ("SMEMBERS", _TOURNAMENTS))
        return tuple(sorted(name.decode() for name in found))

    async def put_aside(self, name: str) -> None:
        """Takes a tournament off the list, and removes nothing of it."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.srem(_TOURNAMENTS, name)
                pipeline.sadd(_PUT_ASIDE, name)
                await pipeline.execute()

    async def aside(self) -> tuple[str, ...]:
        """Returns the names of the tournaments that are put aside, sorted."""
        return tuple(sorted(name.decode() for name in await answer(self._redis.smembers(_PUT_ASIDE))))

    async def take_back(self, name: str) -> None:
        """Lists a tournament again that was put aside."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.sadd(_TOURNAMENTS, name)
                pipeline.srem(_PUT_ASIDE, name)
                await pipeline.execute()

    async def ladders(self) -> dict[str, int]:
        """Returns the number of seasons of each ladder, by sorted name."""
        found = await answer(self._redis.hgetall(_LADDERS))
        return {name.decode(): int(found[name]) for name in sorted(found)}

    async def begin_season(self, ladder: str, season: int) -> None:
        """Notes that a ladder has this many seasons."""
        await answer(self._redis.hset(_LADDERS, ladder, season))

    async def forget_ladder(self, ladder: str, season: str) -> None:
        """Forgets a ladder that has had one season, in one step. Its name becomes free."""
        with unavailable():
            keys = [found async for found in self._redis.scan_iter(match=key(season, "*"), count=1000)]
            async with self._redis.pipeline(transaction=True) as pipeline:
                if keys:
                    pipeline.delete(*keys)
                pipeline.srem(_TOURNAMENTS, season)
                pipeline.hdel(_LADDERS, ladder)
                await pipeline.execute()
        await self._challenges.forget_policies(ladder)
