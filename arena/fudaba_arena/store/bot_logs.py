"""What submitted bots said in their matches: the newest of each version, for its author.

```
logs:BOT@VERSION    what it said, by match (hash)
when:BOT@VERSION    the matches, by when they ended (sorted set)
```
"""

from __future__ import annotations

from typing import Final, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key, unavailable

__all__ = ["BotLogs"]

_TAG: Final = ".bot-logs"
"""No tournament has such a name."""
_KEPT: Final = 50
"""Of each version the newest so many are kept."""
_KEPT_MS: Final = 14 * 24 * 3_600_000
"""For so long after the latest, all of a version's are kept."""


@final
class BotLogs:
    """The operations. They raise `StoreUnavailable`."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def keep(self, bot: str, version: str, match_id: str, text: str, at_ms: int) -> None:
        """Keeps what a bot said in a match. Of both seats of one bot in a match it keeps the latest."""
        logs, when = _keys(bot, version)
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hset(logs, match_id, text)
                pipeline.zadd(when, {match_id: at_ms})
                pipeline.zrange(when, 0, -_KEPT - 1)
                pipeline.pexpire(logs, _KEPT_MS)
                pipeline.pexpire(when, _KEPT_MS)
                _, _, old, *_ = await answer(pipeline.execute())
                if old:
                    pipeline.hdel(logs, *old)
                    pipeline.zrem(when, *old)
                    await answer(pipeline.execute())

    async def matches(self, bot: str, version: str) -> list[tuple[str, int]]:
        """The matches of which something is kept, and when each ended, newest first."""
        found = await answer(self._redis.zrange(_keys(bot, version)[1], 0, -1, desc=True, withscores=True))
        return [(match_id.decode(), int(at_ms)) for match_id, at_ms in found]

    async def get(self, bot: str, version: str, match_id: str) -> str | None:
        """What a bot said in a match; None where nothing is kept."""
        found = await answer(self._redis.hget(_keys(bot, version)[0], match_id))
        return found.decode(errors="replace") if found is not None else None


def _keys(bot: str, version: str) -> tuple[str, str]:
    return key(_TAG, f"logs:{bot}@{version}"), key(_TAG, f"when:{bot}@{version}")
