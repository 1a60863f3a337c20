"""Bots: opaque bytes here, see `fudaba_service.accounts.bots`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.commands import Commands
from fudaba_service.store.connection import TRACE_MS, answer, swap, trace_of
from fudaba_service.store.scripts import WRITES

__all__ = ["StoredBots"]


_CREATE: Final = f"""{WRITES}
if redis.call('EXISTS', KEYS[3]) == 1 then return '' end
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return ARGV[1] end
local other = redis.call('HGET', KEYS[2], ARGV[3])
if other and redis.call('HEXISTS', KEYS[1], other) == 1 then
  if other ~= ARGV[4] then return other end
else
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[1])
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SET', KEYS[3], '1', 'PX', {TRACE_MS})
return ''
"""


@final
class StoredBots:
    """Stores and changes them."""

    def __init__(self, redis: Redis, commands: Commands) -> None:
        self._redis = redis
        self._commands = commands

    async def get(self, name: str) -> bytes | None:
        """Returns a bot's message."""
        return cast("bytes | None", await self._commands("HGET", keys.BOTS, name))

    async def several(self, names: Sequence[str]) -> list[bytes | None]:
        """Returns the messages of some bots."""
        return list(await self._commands("HMGET", keys.BOTS, *names)) if names else []

    async def all(self) -> dict[str, bytes]:
        """Reads all bots' messages, ordered by name."""
        bots: dict[bytes, bytes] = await answer(self._redis.hgetall(keys.BOTS))
        return {name.decode(): bots[name] for name in sorted(bots)}

    async def swap(self, name: str, old: bytes | None, new: bytes | None) -> bool:
        """Stores a bot's message if the stored one is still `old`. Returns False if it has changed."""
        return await swap(self._redis, keys.BOTS, name, old, new)

    async def create(self, name: str, new: bytes, likeness: str, beside: str) -> str:
        """Stores a new bot. Returns an empty text, or the name of the bot that prevents it; then nothing was stored.

        That is a bot of this name, or one whose name looks like it, except the bot `beside`.
        """
        where = keys.BOTS, keys.BOTS_ALIKE, trace_of(keys.BOTS)
        stored: bytes = await answer(self._redis.eval(_CREATE, 3, *where, name, new, likeness, beside))
        return stored.decode()

    async def note_all(self, names: Mapping[str, str]) -> None:
        """Indexes bots by the look of their names, if no index exists."""
        async with self._redis.pipeline(transaction=False) as pipeline:
            for likeness, name in names.items():
                pipeline.hsetnx(keys.BOTS_ALIKE, likeness, name)
            await answer(pipeline.execute())
