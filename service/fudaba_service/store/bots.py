"""Bots: opaque bytes here, see `fudaba_service.accounts.bots`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.commands import Commands
from fudaba_service.store.connection import answer, swap

__all__ = ["StoredBots"]


@final
class StoredBots:
    """Stores and changes them."""

    def __init__(self, redis: Redis, commands: Commands) -> None:
        self._redis = redis
        self._commands = commands

    async def get(self, name: str) -> bytes | None:
        """A bot's message."""
        return cast("bytes | None", await self._commands("HGET", keys.BOTS, name))

    async def several(self, names: Sequence[str]) -> list[bytes | None]:
        """The messages of some bots."""
        return list(await self._commands("HMGET", keys.BOTS, *names)) if names else []

    async def all(self) -> list[bytes]:
        """All bots' messages, in the order of their names."""
        bots: dict[bytes, bytes] = await answer(self._redis.hgetall(keys.BOTS))
        return [bots[name] for name in sorted(bots)]

    async def swap(self, name: str, old: bytes | None, new: bytes | None) -> bool:
        """Stores a bot's message if it still is `old`; False when somebody else was faster."""
        return await swap(self._redis, keys.BOTS, name, old, new)
