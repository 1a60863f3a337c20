"""What organisers did: opaque bytes here, see `fudaba_service.accounts.actions`."""

from __future__ import annotations

from typing import cast, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.connection import answer

__all__ = ["StoredActions"]


@final
class StoredActions:
    """Adds to the log and reads it; nothing is ever taken out."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def add(self, action: bytes) -> None:
        """Adds one. Sent again after a lost reply, it is not added twice: the last one says when it was."""
        script = (
            "if redis.call('LINDEX', KEYS[1], -1) ~= ARGV[1] then redis.call('RPUSH', KEYS[1], ARGV[1]) end\nreturn 1"
        )
        await answer(self._redis.eval(script, 1, keys.ACTIONS, action))

    async def count(self) -> int:
        """How many there are."""
        return cast("int", await answer(self._redis.llen(keys.ACTIONS)))

    async def after(self, number: int, most: int) -> list[bytes]:
        """At most so many of those that were added after the first `number`."""
        return cast("list[bytes]", await answer(self._redis.lrange(keys.ACTIONS, number, number + most - 1)))
