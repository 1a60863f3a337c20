"""News of recently archived matches, for replicas that have their own index of the archive."""

from __future__ import annotations

from typing import Final, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.connection import answer, read_at_once
from fudaba_service.store.scripts import FREES

__all__ = ["StoredArrivals"]

_MAX_ARRIVALS_KEPT: Final = 10_000
"""The approximate number of matches that stay announced. A replica that was away for longer reads the records
instead.
"""
_FIELD: Final = b"match"
_ADD: Final = f"""{FREES}
redis.call('XADD', KEYS[1], 'MAXLEN', '~', {_MAX_ARRIVALS_KEPT}, '*', '{_FIELD.decode()}', ARGV[1])
"""
"""A match can leave the store only once it is announced."""
_NONE: Final = "0-0"
"""The place before the first entry."""


@final
class StoredArrivals:
    """A stream of matches, as lists show them. A place is the id of an entry."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def tell(self, match: bytes) -> None:
        """Adds one. After a lost reply it may be there twice, which does no harm."""
        await answer(self._redis.eval(_ADD, 1, keys.ARCHIVED, match))

    async def last(self) -> str:
        """Returns the place of the last one."""
        found = await answer(self._redis.xrevrange(keys.ARCHIVED, count=1))
        return found[0][0].decode() if found else _NONE

    async def after(self, place: str, most: int) -> list[tuple[str, bytes]] | None:
        """Returns the first ones after a place, each with its own place; None if some are already forgotten."""
        where = keys.ARCHIVED
        length, first, found = await read_at_once(
            self._redis,
            ("XLEN", where),
            ("XRANGE", where, "-", "+", "COUNT", "1"),
            ("XRANGE", where, f"({place}", "+", "COUNT", str(most)),
        )
        # Where the entry of the place itself is forgotten, others behind it may be, too.
        if found and first[0][0] == found[0][0] and (place != _NONE or length >= _MAX_ARRIVALS_KEPT):
            return None
        return [(entry.decode(), match) for entry, (_, match) in found]
