"""Matches with open seats, and their invitations: opaque bytes here, see `sessions.open_matches`."""

from __future__ import annotations

from typing import cast, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.commands import Commands
from fudaba_service.store.connection import answer, swap
from fudaba_service.store.scripts import WRITES

__all__ = ["StoredOpenMatches"]


@final
class StoredOpenMatches:
    """Stores and changes them."""

    def __init__(self, redis: Redis, commands: Commands) -> None:
        self._redis = redis
        self._commands = commands

    async def get(self, match_id: str) -> bytes | None:
        """Reads the fixed part of a match with open seats."""
        return cast("bytes | None", await self._commands("HGET", keys.OPEN, match_id))

    async def all(self) -> dict[str, bytes]:
        """Reads all matches with open seats, by id."""
        if not await self._commands("HLEN", keys.OPEN):
            return {}
        return {name.decode(): raw for name, raw in (await answer(self._redis.hgetall(keys.OPEN))).items()}

    async def add(self, match_id: str, new: bytes, most: int) -> bool | None:
        """Stores a new one. Returns False if another one has its id, None if there are too many."""
        script = WRITES + (
            "local now = redis.call('HGET', KEYS[1], ARGV[1])\n"
            # If the script is sent again after a lost reply, it finds its own entry.
            "if now then return now == ARGV[2] and 1 or 0 end\n"
            "if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return -1 end\n"
            "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])\nreturn 1"
        )
        added = int(await answer(self._redis.eval(script, 1, keys.OPEN, match_id, new, str(most))))
        return None if added < 0 else bool(added)

    async def swap(self, match_id: str, old: bytes | None, new: bytes | None) -> bool:
        """Stores, changes or (with None) removes one if it is still `old`. Returns False if it has changed."""
        return await swap(self._redis, keys.OPEN, match_id, old, new)

    async def put_invitation(self, digest: str, seat: bytes, valid_ms: int) -> None:
        """Stores the seat of an invitation."""
        await answer(self._redis.set(keys.invitation(digest), seat, px=valid_ms))

    async def invitation(self, digest: str) -> bytes | None:
        """Returns the seat of an invitation."""
        return cast("bytes | None", await answer(self._redis.get(keys.invitation(digest))))
