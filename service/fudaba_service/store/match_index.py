"""The index of live matches, by age, bot and deadline, and of hidden matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.commands import Commands
from fudaba_service.store.connection import answer, unavailable
from fudaba_service.store.scripts import FREES, WRITES
from fudaba_service.store.shared_time import SharedTime

__all__ = ["MatchIndex", "Premiere", "Showing"]

_WITHDRAW: Final = FREES + (
    "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end\n"
    "for i = 2, #KEYS do redis.call('SREM', KEYS[i], ARGV[1]) end\n"
    "return 1"
)
"""Removes seats in a match unless that match exists. It checks in the same step, since the match may be created just
then.
"""

_HIDDEN_KEYS: Final = (keys.HIDDEN, keys.HIDING, keys.SHOWN_LATER, keys.CONCEALED)
"""The keys of the data that scripts change about hidden matches."""


@final
class Showing(NamedTuple):
    """The part of a match that the public may see."""

    hidden: bool
    """Whether its record and its result are hidden."""
    delay_ms: int
    """The delay with which a hidden match is shown, in milliseconds; 0 if it is not shown."""
    premiere: bool = False
    """Whether it is released, but hidden until it has been shown to its end."""
    concealed: bool = False
    """Whether it is unreleased, and only the organiser and its players find it at all."""


@final
class Premiere(NamedTuple):
    """The showing of a finished match before it is released."""

    delay_ms: int
    """The delay behind the match's own play, in milliseconds."""
    until_ms: int
    """The time when it will have been shown to its end, in milliseconds since 1970."""


@final
class MatchIndex:
    """See the module."""

    def __init__(self, redis: Redis, commands: Commands, time: SharedTime) -> None:
        self._redis = redis
        self._commands = commands
        self._time = time

    async def offer(self, match_id: str, bots: list[str]) -> None:
        """Notes that bots have a seat in a match. Call it before the match is created, so that no bot is forgotten."""
        await self._commands.together([("SADD", keys.bot_matches(bot), match_id) for bot in bots])

    async def withdraw_offers(self, match_id: str, bots: Sequence[str]) -> bool:
        """Removes the seats of bots in a match that does not exist. Returns False, and removes none, if it does."""
        places = [keys.match_keys(match_id).meta, *map(keys.bot_matches, bots)]
        return bool(await answer(self._redis.eval(_WITHDRAW, len(places), *places, match_id)))

    async def forget_seat(self, match_id: str, bot: str) -> None:
        """Removes the seat of a bot in a match in which it has none."""
        await answer(self._redis.srem(keys.bot_matches(bot), match_id))

    async def matches_of(self, bot: str) -> list[str]:
        """Returns the ids of the live matches in which a bot version has a seat."""
        return sorted(m.decode() for m in await answer(self._redis.smembers(keys.bot_matches(bot))))

    async def oldest_first(self, match_ids: list[str]) -> list[str]:
        """Finds the live ones of these matches, in the order of creation."""
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
        """Counts the live matches of these bot versions, summed."""
        return sum(await self.counts_of(bots))

    async def live(self) -> dict[str, float]:
        """Returns the ids of all live matches, with their creation times in ms."""
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
        """Moves the deadline of a match that was overdue at `overdue_ms`, unless an append has since moved it."""
        script = FREES + (
            "local at = redis.call('ZSCORE', KEYS[1], ARGV[1])\n"
            "if at and tonumber(at) <= tonumber(ARGV[2]) then redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end"
        )
        key = keys.match_keys(match_id).deadlines
        await answer(self._redis.eval(script, 1, key, match_id, str(overdue_ms), str(deadline_ms)))

    async def hide(self, match_id: str, attempt: str, delay_ms: int = 0, *, concealed: bool = False) -> None:
        """Hides a match for an attempt at its creation, which has its own name. With a delay, the match is shown
        meanwhile, that much later than it is played. A `concealed` match is not even found by others than its players.
        """
        script = WRITES + (
            # Releases before this one kept the set alone.
            "local by = redis.call('HGET', KEYS[2], ARGV[1])\n"
            "  or redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 and ' unknown' or ''\n"
            "if not string.find(by .. ' ', ' ' .. ARGV[2] .. ' ', 1, true) then by = by .. ' ' .. ARGV[2] end\n"
            "redis.call('HSET', KEYS[2], ARGV[1], by)\n"
            "if ARGV[3] ~= '0' then redis.call('HSET', KEYS[3], ARGV[1], ARGV[3] .. ' 0') end\n"
            "if ARGV[4] == '1' then redis.call('SADD', KEYS[4], ARGV[1]) end\n"
            "redis.call('SADD', KEYS[1], ARGV[1])"
        )
        words = match_id, attempt, str(delay_ms), str(int(concealed))
        await answer(self._redis.eval(script, len(_HIDDEN_KEYS), *_HIDDEN_KEYS, *words))

    async def unhide(self, match_id: str, attempt: str) -> None:
        """Stops hiding a match for an attempt. The match is shown unless another attempt hides it."""
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
            "  redis.call('HDEL', KEYS[3], ARGV[1])\n"
            "  redis.call('SREM', KEYS[4], ARGV[1])\n"
            "  redis.call('SREM', KEYS[1], ARGV[1])\nend"
        )
        await answer(self._redis.eval(script, len(_HIDDEN_KEYS), *_HIDDEN_KEYS, match_id, attempt))

    async def release(self, match_ids: Sequence[str], premieres: Mapping[str, Premiere] | None = None) -> int:
        """Releases matches: at once, or after their premieres for those that have one. Returns how many of them were
        hidden.

        A match that was released before stays as it is, so a repeated call hides nothing again.
        """
        if not match_ids:
            return 0
        script = FREES + (
            "local released = 0\n"
            "for at = 2, #ARGV, 2 do\n"
            "  local id, premiere = ARGV[at], ARGV[at + 1]\n"
            "  local kept = redis.call('SREM', KEYS[1], id)\n"
            "  released = released + kept\n"
            "  redis.call('HDEL', KEYS[2], id)\n"
            "  redis.call('SREM', KEYS[4], id)\n"
            "  if premiere == '' then redis.call('HDEL', KEYS[3], id)\n"
            "  elseif kept == 1 then redis.call('HSET', KEYS[3], id, premiere) end\nend\n"
            # Nobody else removes what has been shown to its end.
            "local later = redis.call('HGETALL', KEYS[3])\n"
            "for at = 1, #later, 2 do\n"
            "  local till = tonumber(string.match(later[at + 1], '%d+$'))\n"
            "  if till > 0 and till <= tonumber(ARGV[1]) then redis.call('HDEL', KEYS[3], later[at]) end\nend\n"
            "return released"
        )
        words = [str(self._time.now_ms())]
        for match_id in match_ids:
            premiere = (premieres or {}).get(match_id)
            words += [match_id, "" if premiere is None else f"{premiere.delay_ms} {premiere.until_ms}"]
        return int(await answer(self._redis.eval(script, len(_HIDDEN_KEYS), *_HIDDEN_KEYS, *words)))

    async def hidden(self, match_ids: Sequence[str]) -> list[bool]:
        """Returns whether each match is hidden, or has not yet been shown to its end."""
        return [showing.hidden for showing in await self.showings(match_ids)]

    async def showings(self, match_ids: Sequence[str]) -> list[Showing]:
        """Returns what the public may see of each match."""
        if not match_ids:
            return []
        held, later, concealed = await self._commands.together(
            [
                ("SMISMEMBER", keys.HIDDEN, *match_ids),
                ("HMGET", keys.SHOWN_LATER, *match_ids),
                ("SMISMEMBER", keys.CONCEALED, *match_ids),
            ]
        )
        now_ms = self._time.now_ms()
        found = zip(held, later, concealed, strict=True)
        return [_showing(bool(kept), text, bool(only_own), now_ms) for kept, text, only_own in found]


def _showing(kept: bool, text: bytes | None, concealed: bool, now_ms: int) -> Showing:
    delay_ms, until_ms = map(int, text.split()) if text is not None else (0, 0)
    hidden = kept or until_ms > now_ms
    return Showing(hidden, delay_ms if hidden else 0, premiere=hidden and not kept, concealed=kept and concealed)
