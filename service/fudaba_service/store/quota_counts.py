"""The counts for quotas: the matches that bots create, and the seats that house bots are about to get."""

from __future__ import annotations

from typing import final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.connection import answer
from fudaba_service.store.scripts import WRITES
from fudaba_service.store.shared_time import SharedTime

__all__ = ["Quotas"]


@final
class Quotas:
    """Counts and takes in one step, whichever replica asks."""

    def __init__(self, redis: Redis, time: SharedTime) -> None:
        self._redis = redis
        self._time = time

    async def reserve(self, bot: str, match_id: str, most: int) -> bool | None:
        """Notes that a bot version is about to create a match. Returns False if it was already noted, None if `most`
        are noted.
        """
        script = WRITES + (
            # Releases before this one kept a set.
            "if redis.call('TYPE', KEYS[1]).ok == 'set' then\n"
            "  local made = redis.call('SMEMBERS', KEYS[1])\n"
            "  redis.call('DEL', KEYS[1])\n"
            "  for _, id in ipairs(made) do redis.call('ZADD', KEYS[1], 0, id) end\nend\n"
            "if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end\n"
            "if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return -1 end\n"
            "redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])\nreturn 1"
        )
        now_ms = str(self._time.now_ms())
        reserved = int(await answer(self._redis.eval(script, 1, keys.bot_made(bot), match_id, str(most), now_ms)))
        return None if reserved < 0 else bool(reserved)

    async def made_by(self, bot: str) -> dict[str, float]:
        """Returns the matches that a bot version created or is about to, with their times in ms.

        Some may have ended.
        """
        made = await answer(self._redis.zrange(keys.bot_made(bot), 0, -1, withscores=True))
        return {match_id.decode(): since_ms for match_id, since_ms in made}

    async def oldest(self, bot: str, most: int) -> dict[str, float]:
        """Returns the first of these matches, at most `most`, with their times."""
        made = await answer(self._redis.zrange(keys.bot_made(bot), 0, most - 1, withscores=True))
        return {match_id.decode(): since_ms for match_id, since_ms in made}

    async def count(self, bot: str) -> int:
        """Returns the number of noted matches."""
        return int(await answer(self._redis.zcard(keys.bot_made(bot))))

    async def forget_all(self, bot: str) -> None:
        """Removes all of these notes."""
        await answer(self._redis.delete(keys.bot_made(bot)))

    async def forget(self, bot: str, match_id: str) -> None:
        """Removes the note that a bot version created a match."""
        await answer(self._redis.zrem(keys.bot_made(bot), match_id))

    async def hold_house_seats(self, match_id: str, seats: int, until_ms: int) -> int:
        """Notes that house bots are about to get this many seats in a match. Returns the number held now, including
        these.
        """
        script = WRITES + (
            "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[4])\n"
            "for seat = 1, tonumber(ARGV[2]) do redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1] .. ' ' .. seat) end\n"
            "return redis.call('ZCARD', KEYS[1])"
        )
        now_ms = str(self._time.now_ms())
        held = self._redis.eval(script, 1, keys.HOUSE_SEATS, match_id, str(seats), str(until_ms), now_ms)
        return int(await answer(held))

    async def free_house_seats(self, match_id: str, seats: int) -> None:
        """Notes that the house bots have the seats, or will not get them."""
        members = [f"{match_id} {seat}" for seat in range(1, seats + 1)]
        await answer(self._redis.zrem(keys.HOUSE_SEATS, *members))
