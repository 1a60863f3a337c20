"""The announced maintenance: opaque bytes here, see `fudaba_service.sessions.maintenance`."""

from __future__ import annotations

from typing import Final, cast, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.commands import Commands
from fudaba_service.store.connection import swap

__all__ = ["StoredMaintenance"]

_ANNOUNCED: Final = "announced"


@final
class StoredMaintenance:
    """Stores and changes it."""

    def __init__(self, redis: Redis, commands: Commands) -> None:
        self._redis = redis
        self._commands = commands

    async def get(self) -> bytes | None:
        """Returns the announcement's message; it may be over."""
        return cast("bytes | None", await self._commands("HGET", keys.MAINTENANCE, _ANNOUNCED))

    async def swap(self, old: bytes | None, new: bytes | None) -> bool:
        """Stores an announcement if the stored one is still `old`. Returns False if it has changed."""
        return await swap(self._redis, keys.MAINTENANCE, _ANNOUNCED, old, new)
