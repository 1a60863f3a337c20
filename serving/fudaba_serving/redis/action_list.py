"""The stored log of actions: a list in Redis that only grows. Its entries are opaque here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, cast, final

from redis.asyncio import Redis

__all__ = ["ActionList"]

_TRACE_MS: Final = 24 * 3_600_000
"""The time for which the store knows the id of an entry. While an entry is sent again, an outage may last as long."""
_ADD: Final = (
    "#!lua\n"
    f"if not redis.call('SET', KEYS[2], '1', 'PX', {_TRACE_MS}, 'NX') then return 1 end\n"
    "redis.call('RPUSH', KEYS[1], ARGV[1])\nreturn 1"
)


@final
class ActionList:
    """Adds to the list and reads it. Nothing is ever removed."""

    def __init__(self, redis: Redis, key: str, answer: Callable[[Awaitable[Any] | Any], Awaitable[Any]]) -> None:
        """`answer` waits for the answer to a command; its errors are those of the methods."""
        self._redis = redis
        self._key = key
        self._answer = answer

    async def add(self, entry: bytes | str, entry_id: str) -> None:
        """Adds an entry, once a day under the same id. A caller that got no answer calls again with the same id."""
        trace = f"{{{self._key}}}:done:{entry_id}"
        await self._answer(self._redis.eval(_ADD, 2, self._key, trace, entry))

    async def count(self) -> int:
        """Returns the number of entries."""
        return int(await self._answer(self._redis.llen(self._key)))

    async def after(self, number: int, most: int) -> list[bytes]:
        """Returns at most `most` of the entries that were added after the first `number`."""
        read = await self._answer(self._redis.lrange(self._key, number, number + most - 1))
        return cast("list[bytes]", read)
