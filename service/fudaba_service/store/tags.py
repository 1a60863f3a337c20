"""Tags of matches, separate for each owner: an account, or a bot without one. `place` is a match's place in lists.

They are stored here and not with the records, which other people read, and for finished matches as for live ones: so
every replica sees a change at once. Their amount is bounded for each owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Final, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.connection import answer, unavailable

__all__ = ["StoredTags"]

_MATCHES_PER_BATCH: Final = 200


@final
class StoredTags:
    """Stores and finds them. No tag has a line feed."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._put = redis.register_script((files("fudaba_service.store") / "tag.lua").read_text())

    async def put(self, owner: str, match_id: str, place: str, tags: Sequence[str], most: int) -> bool:
        """Replaces an owner's tags of a match. Returns False if `most` matches have some."""
        names = [keys.match_tags(match_id), keys.tagged(owner), keys.by_tag(owner)]
        return bool(await answer(self._put(keys=names, args=[owner, place, most, "\n".join(tags)])))

    async def of_matches(self, owner: str, match_ids: Sequence[str]) -> list[list[str]]:
        """Returns an owner's tags of each match, in their given order."""
        with unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for match_id in match_ids:
                    pipeline.hget(keys.match_tags(match_id), owner)
                found = await pipeline.execute()
        return [tags.decode().split("\n") if tags else [] for tags in found]

    async def places(self, owner: str, tag: str, after: str, until: str, most: int) -> list[str]:
        """Returns the places of the first matches between two places that have this tag of an owner."""
        first, last = f"({tag}\n{after}", f"({tag}\n{until}"
        found = await answer(self._redis.zrangebylex(keys.by_tag(owner), first, last, start=0, num=most))
        return [member.decode().rpartition("\n")[2] for member in found]

    async def forget_match(self, match_id: str, place: str) -> None:
        """Removes all owners' tags of a match."""
        for owner in await answer(self._redis.hkeys(keys.match_tags(match_id))):
            await self.put(owner.decode(), match_id, place, [], 0)

    async def forget_owner(self, owner: str) -> None:
        """Removes all tags of an owner."""
        tagged = keys.tagged(owner)
        while places := await answer(self._redis.srandmember(tagged, _MATCHES_PER_BATCH)):
            with unavailable():
                async with self._redis.pipeline(transaction=False) as pipeline:
                    for place in places:  # by its form, the match's id stands behind the time
                        pipeline.hdel(keys.match_tags(place.decode().partition("-")[2]), owner)
                    pipeline.srem(tagged, *places)
                    await pipeline.execute()
        await answer(self._redis.delete(keys.by_tag(owner)))
