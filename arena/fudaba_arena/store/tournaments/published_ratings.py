"""The published ratings of a tournament in the store: at each numbered point of its sequence, as they were then."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple, Self, final

from redis.asyncio import Redis

from fudaba_arena.forms import known_fields
from fudaba_arena.store.answers import answer, key

__all__ = ["PublishedPoint", "PublishedRatings", "RatedVersion"]

_PART: Final = "published"


class RatedVersion(NamedTuple):
    """A version's rating and interval, in Elo points with two digits."""

    bot: str
    rating: float
    low: float
    high: float


@final
@dataclass(frozen=True, slots=True)
class PublishedPoint:
    """The ratings at a point."""

    point: int
    """The number of entries of the sequence, blocks and annulments, from which they follow."""
    blocks: int
    """The number of blocks that counted there."""
    newest: tuple[int, int]
    """The number of the last block there, and its closing time."""
    annulled: tuple[int, int]
    """The number of annulments there, and the time of the last one; zeros without any."""
    tables: Mapping[str, Sequence[RatedVersion]]
    """The versions that had a rating, best first, by the ladder's name."""

    def values(self) -> dict[str, Any]:
        """Converts it to JSON values."""
        return asdict(self)

    def packed(self) -> bytes:
        """Returns its stored form, compressed: digits take half their room."""
        return zlib.compress(json.dumps(self.values(), separators=(",", ":")).encode())

    @classmethod
    def from_packed(cls, raw: bytes) -> Self:
        """Reads a stored point."""
        known = known_fields(cls, json.loads(zlib.decompress(raw)), "published ratings")
        tables = {name: tuple(RatedVersion(*row) for row in rows) for name, rows in known["tables"].items()}
        return cls(**known | {
            "newest": tuple(known["newest"]), "annulled": tuple(known["annulled"]), "tables": tables,
        })  # fmt: skip


@final
class PublishedRatings:
    """The published ratings of all tournaments. Operations raise `StoreUnavailable`."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def put(self, name: str, published: PublishedPoint) -> None:
        """Stores the ratings at a point. They follow from the sequence, so whoever stores them stores the same."""
        await answer(self._redis.hset(key(name, _PART), str(published.point), published.packed()))

    async def get(self, name: str, points: Sequence[int]) -> list[PublishedPoint]:
        """Returns the ratings at those of some points that are stored, in their order."""
        found = await answer(self._redis.hmget(key(name, _PART), list(map(str, points)))) if points else []
        return [PublishedPoint.from_packed(raw) for raw in found if raw is not None]

    async def all(self, name: str) -> list[PublishedPoint]:
        """Returns all stored ratings, in the order of their points."""
        points = sorted(map(int, await answer(self._redis.hkeys(key(name, _PART)))))
        return await self.get(name, points)
