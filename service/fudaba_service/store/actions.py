"""What organisers did: opaque bytes here, see `fudaba_service.accounts.actions`."""

from __future__ import annotations

from typing import Final, cast, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.connection import answer, trace_of
from fudaba_service.store.scripts import WRITES

__all__ = ["StoredActions"]

_TRACE_MS: Final = 24 * 3_600_000
"""As long as a store may be out of reach while it is tried again."""


@final
class StoredActions:
    """Adds to the log and reads it; nothing is ever taken out."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def add(self, action: bytes, action_id: str) -> None:
        """Adds one, once in a day under this id: whoever had no answer adds it again."""
        script = WRITES + (
            f"if not redis.call('SET', KEYS[2], '1', 'PX', {_TRACE_MS}, 'NX') then return 1 end\n"
            "redis.call('RPUSH', KEYS[1], ARGV[1])\nreturn 1"
        )
        await answer(self._redis.eval(script, 2, keys.ACTIONS, trace_of(keys.ACTIONS, action_id), action))

    async def count(self) -> int:
        """How many there are."""
        return cast("int", await answer(self._redis.llen(keys.ACTIONS)))

    async def after(self, number: int, most: int) -> list[bytes]:
        """At most so many of those that were added after the first `number`."""
        return cast("list[bytes]", await answer(self._redis.lrange(keys.ACTIONS, number, number + most - 1)))
