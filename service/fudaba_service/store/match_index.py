"""The index of live matches, by age, bot and deadline; and of matches that are kept back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.commands import Commands
from fudaba_service.store.connection import answer, unavailable
from fudaba_service.store.scripts import FREES, WRITES

__all__ = ["MatchIndex", "seats"]


def seats(match_id: str, bots: Sequence[str]) -> list[tuple[str, str, str]]:
    """Returns the commands that note that bots have a seat in a match."""
    return [("SADD", keys.bot_matches(bot), match_id) for bot in bots]


@final
class MatchIndex:
    """See the module."""

    def __init__(self, redis: Redis, commands: Commands) -> None:
        self._redis = redis
        self._commands = commands

    async def offer(self, match_id: str, bots: list[str]) -> None:
        """Notes that bots have a seat in a match. Done before the match is created, so that none is forgotten."""
        await self._commands.together(seats(match_id, bots))

    async def withdraw_offer(self, match_id: str, bot: str) -> None:
        """Forgets a seat in a match that does not exist."""
        await answer(self._redis.srem(keys.bot_matches(bot), match_id))

    async def matches_of(self, bot: str) -> list[str]:
        """Returns the ids of the live matches in which a bot version has a seat."""
        return sorted(m.decode() for m in await answer(self._redis.smembers(keys.bot_matches(bot))))

    async def oldest_first(self, match_ids: list[str]) -> list[str]:
        """Finds those of these matches that are live, in the order in which they were created."""
        with unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for match_id in match_ids:
                    pipeline.zscore(keys.match_keys(match_id).live, match_id)
                created = dict(zip(match_ids, await pipeline.execute(), strict=True))
        return sorted(
            (candidate for candidate in match_ids if created[candidate] is not None),
            key=lambda listed_id: (created[listed_id], listed_id),
        )

    async def of_each(self, bots: list[str]) -> list[set[str]]:
        """Does the same for several bot versions."""
        with unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for bot in bots:
                    pipeline.smembers(keys.bot_matches(bot))
                return [{match_id.decode() for match_id in found} for found in await pipeline.execute()]

    async def counts_of(self, bots: list[str]) -> list[int]:
        """Counts the live matches in which each of these bot versions has a seat."""
        with unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for bot in bots:
                    pipeline.scard(keys.bot_matches(bot))
                return [int(count) for count in await pipeline.execute()]

    async def count_matches_of(self, bots: list[str]) -> int:
        """Counts the live matches in which these bot versions have seats, added up."""
        return sum(await self.counts_of(bots))

    async def live(self) -> dict[str, float]:
        """Returns the ids of all live matches, and when each was created, in ms."""
        asked = [("ZRANGE", keys.live(bucket), 0, -1, "WITHSCORES") for bucket in range(keys.BUCKETS_COUNT)]
        found: dict[str, float] = {}
        for bucket in await self._commands.together(asked):
            # RESP3 has pairs.
            flat = (
                [element for pair in bucket for element in pair] if bucket and isinstance(bucket[0], list) else bucket
            )
            found |= {match_id.decode(): float(at) for match_id, at in zip(flat[::2], flat[1::2], strict=True)}
        return found

    async def overdue(self, now_ms: int) -> list[str]:
        """Returns the ids of matches whose deadline has passed."""
        buckets = map(keys.deadlines, range(keys.BUCKETS_COUNT))
        answers = await self._commands.together([("ZRANGEBYSCORE", bucket, "-inf", now_ms) for bucket in buckets])
        return [m.decode() for found in answers for m in found]

    async def postpone(self, match_id: str, overdue_ms: int, deadline_ms: int) -> None:
        """Moves the deadline of a match that was overdue at `overdue_ms`, unless an append has moved it since."""
        script = FREES + (
            "local at = redis.call('ZSCORE', KEYS[1], ARGV[1])\n"
            "if at and tonumber(at) <= tonumber(ARGV[2]) then redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end"
        )
        key = keys.match_keys(match_id).deadlines
        await answer(self._redis.eval(script, 1, key, match_id, str(overdue_ms), str(deadline_ms)))

    async def hide(self, match_id: str, attempt: str) -> None:
        """Keeps a match back; the attempt at its creation has a name of its own."""
        script = WRITES + (
            # Releases before this one kept the set alone.
            "local by = redis.call('HGET', KEYS[2], ARGV[1])\n"
            "  or redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 and ' unknown' or ''\n"
            "if not string.find(by .. ' ', ' ' .. ARGV[2] .. ' ', 1, true) then by = by .. ' ' .. ARGV[2] end\n"
            "redis.call('HSET', KEYS[2], ARGV[1], by)\n"
            "redis.call('SADD', KEYS[1], ARGV[1])"
        )
        await answer(self._redis.eval(script, 2, keys.HIDDEN, keys.HIDING, match_id, attempt))

    async def unhide(self, match_id: str, attempt: str) -> None:
        """Takes back what an attempt has kept back; the match is shown unless another one keeps it back."""
        script = FREES + (
            "local by = redis.call('HGET', KEYS[2], ARGV[1])\n"
            "if not by then return end\n"
            "local others = ''\n"
            "for one in string.gmatch(by, '%S+') do\n"
            "  if one ~= ARGV[2] then others = others .. ' ' .. one end\nend\n"
            "if others ~= '' then\n"
            "  redis.call('HSET', KEYS[2], ARGV[1], others)\n"
            "else\n"
            "  redis.call('HDEL', KEYS[2], ARGV[1])\n"
            "  redis.call('SREM', KEYS[1], ARGV[1])\nend"
        )
        await answer(self._redis.eval(script, 2, keys.HIDDEN, keys.HIDING, match_id, attempt))

    async def release(self, match_ids: list[str]) -> int:
        """Shows matches. Returns how many of them were kept back."""
        if not match_ids:
            return 0
        script = FREES + (
            "local released = 0\n"
            "for _, id in ipairs(ARGV) do\n"
            "  released = released + redis.call('SREM', KEYS[1], id)\n"
            "  redis.call('HDEL', KEYS[2], id)\nend\n"
            "return released"
        )
        return int(await answer(self._redis.eval(script, 2, keys.HIDDEN, keys.HIDING, *match_ids)))

    async def hidden(self, match_ids: list[str]) -> list[bool]:
        """Returns whether each match is kept back."""
        if not match_ids:
            return []
        return [bool(flag) for flag in await self._commands("SMISMEMBER", keys.HIDDEN, *match_ids)]
