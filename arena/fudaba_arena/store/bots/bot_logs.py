"""The output of submitted bots in their matches: the newest logs of each version, for its author.

```
logs:BOT@VERSION    what it said, by match (hash)
ends:BOT@VERSION    who played against it, and how it ended, by match (hash of JSON; none of earlier releases)
when:BOT@VERSION    the matches, by when they ended (sorted set)
```
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from redis.asyncio import Redis

from fudaba_arena.forms import BadStored, readable
from fudaba_arena.store.answers import answer, key, read_at_once, unavailable
from fudaba_serving.redis.reading import by_field

__all__ = ["BotLogs", "KeptLog"]

_TAG: Final = ".bot-logs"
"""The hash tag. No tournament has such a name."""
_MAX_LOGS_PER_VERSION: Final = 50
"""The number of logs kept for a version; the newest ones stay."""
_RETENTION_MS: Final = 14 * 24 * 3_600_000
"""The time for which all logs of a version are kept after its latest match."""


@final
@dataclass(frozen=True, slots=True)
class KeptLog:
    """A match with a stored log."""

    match_id: str
    at_ms: int
    """The time when it ended, in milliseconds since 1970."""
    opponents: Sequence[str] = ()
    """The opponents as BOT@VERSION, in the order of the seats; none if they were not noted."""
    ending: str = ""
    """The end of the match for the bot, in words; empty if it was not noted."""


@final
class BotLogs:
    """The logs of submitted bots, by version and match. Methods raise `StoreUnavailable`."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def keep(self, bot: str, version: str, kept: KeptLog, text: str) -> None:
        """Stores a bot's output in a match. If one bot had several seats in it, the latest output stays."""
        logs, ends, when = _keys(bot, version)
        match_id, end = kept.match_id, json.dumps([[*kept.opponents], kept.ending])
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hset(logs, match_id, text)
                pipeline.hset(ends, match_id, end)
                pipeline.zadd(when, {match_id: kept.at_ms})
                pipeline.zrange(when, 0, -_MAX_LOGS_PER_VERSION - 1)
                for log_key in (logs, ends, when):
                    pipeline.pexpire(log_key, _RETENTION_MS)
                _, _, _, old, *_ = await answer(pipeline.execute())
                if old:
                    pipeline.hdel(logs, *old)
                    pipeline.hdel(ends, *old)
                    pipeline.zrem(when, *old)
                    await answer(pipeline.execute())

    async def matches(self, bot: str, version: str) -> list[KeptLog]:
        """Returns the matches with a stored log, newest first."""
        _, ends, when = _keys(bot, version)
        by_age = ("ZRANGE", when, "0", "-1", "REV", "WITHSCORES")
        found, noted = map(by_field, await read_at_once(self._redis, by_age, ("HGETALL", ends)))
        return [
            KeptLog(match_id.decode(), int(at_ms), *_ending(noted.get(match_id, b'[[], ""]')))
            for match_id, at_ms in found.items()
        ]

    async def get(self, bot: str, version: str, match_id: str) -> str | None:
        """Returns a bot's output in a match; None if there is none."""
        found = await answer(self._redis.hget(_keys(bot, version)[0], match_id))
        return found.decode(errors="replace") if found is not None else None


def _ending(raw: bytes) -> tuple[Sequence[str], str]:
    """Reads the opponents and the end. Returns neither if this release cannot read them; the log is still there."""
    try:
        with readable("how a match ended for a bot"):
            opponents, ending, *_ = json.loads(raw)  # a later release may add others
            return [str(bot) for bot in opponents], str(ending)
    except BadStored:
        return (), ""


def _keys(bot: str, version: str) -> tuple[str, str, str]:
    logs, ends, when = (key(_TAG, f"{kind}:{bot}@{version}") for kind in ("logs", "ends", "when"))
    return logs, ends, when
