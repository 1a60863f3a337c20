"""The places of bots: which bots are connected, how many matches they take at once, and which matches they have.

A bot version with a capacity has as many *places*. A match gets a place of each such bot at the same moment, once all
of them are connected and have one free. So no bot waits in one match for another bot that waits in another match. Until
then, the match is in the queue of each of them; older matches go first, so that none waits for ever.

All keys share a hash tag, so that one script sees everything, in a cluster too. Only bots with a capacity and paused
bots are involved here when a match begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.channels import TELL, Channels
from fudaba_service.store.connection import answer, unavailable
from fudaba_service.store.scripts import FREES, WRITES
from fudaba_service.store.shared_time import SharedTime

__all__ = ["Admission", "Places", "There"]

_BOT_PLACE_RETENTION_SECONDS: Final = 24 * 3600
"""The time for which a bot's connection is remembered. It is renewed for a connected bot, see `Places.keep`."""
_PLAYERS_PER_CALL: Final = 1_000
_MAX_SILENCE_MS: Final = 20_000
"""The silence after which a replica's streams count as gone."""


class There(NamedTuple):
    """The presence of a bot version."""

    connected: bool = False
    since_ms: int = 0
    """The time since which it is connected or not; 0 if it was not connected within the last day."""
    capacity: int = 0
    """The capacity; 0 for any number."""
    paused: bool = False
    taken: frozenset[str] = frozenset()
    """The ids of the matches that have a place of it. Some of them may be over."""

    @property
    def limited(self) -> bool:
        """Whether matches may have to wait for it."""
        return self.paused or self.capacity > 0


@final
class Admission(Enum):
    """Whether a bot may take its seat in a match."""

    GRANTED = 1
    FULL = 2
    """The bot has no free place, so no younger match can have one."""
    WAITS = 3
    """The bot waits for another one that is absent or has no free place."""


@final
class Places:
    """Stores in Redis which bots are connected, how many matches they take, and which matches they have."""

    def __init__(self, redis: Redis, replica: str, time: SharedTime, channels: Channels) -> None:
        self._redis = redis
        self._channels = channels
        self._replica = replica
        self._time = time
        self._admit = redis.register_script(_HELPERS + _ADMIT)

    async def alive(self) -> None:
        """Notes that this replica still has its streams. Call it every few seconds."""
        await answer(self._redis.set(keys.places_replica(self._replica), 1, px=_MAX_SILENCE_MS))

    async def keep(self, players: Sequence[str]) -> None:
        """Renews the entries of connected bots. Call it every hour. The entries of a dead replica's bots expire."""
        with unavailable():
            for begin in range(0, len(players), _PLAYERS_PER_CALL):
                async with self._redis.pipeline(transaction=False) as pipeline:
                    for player in players[begin : begin + _PLAYERS_PER_CALL]:
                        # What is known of a paused bot stays in any case.
                        pipeline.expire(keys.places_there(player), _BOT_PLACE_RETENTION_SECONDS, xx=True)
                        pipeline.expire(keys.places_taken(player), _BOT_PLACE_RETENTION_SECONDS)
                        pipeline.expire(keys.places_queue(player), _BOT_PLACE_RETENTION_SECONDS)
                    await pipeline.execute()

    async def arrive(self, player: str, stream_id: str, capacity: int) -> There:
        """Notes that a bot is connected by its newest stream. An older stream changes nothing."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.set(keys.places_replica(self._replica), 1, px=_MAX_SILENCE_MS)
                now, channel = str(self._time.now_ms()), self._channels.everybody
                pipeline.eval(
                    _CAME, 2, *_keys_of(player), stream_id, self._replica, now, str(capacity), player, channel
                )
                await pipeline.execute()
        [there] = await self.there([player])
        return there

    async def left(self, player: str, stream_id: str) -> None:
        """Notes that a bot's stream has ended, unless it has a newer one."""
        now = str(self._time.now_ms())
        await answer(self._redis.eval(_LEFT, 2, *_keys_of(player), stream_id, now, str(_BOT_PLACE_RETENTION_SECONDS)))

    async def pause(self, player: str, *, paused: bool) -> None:
        """Stops a bot from beginning more matches, or lets it begin them again, and tells every replica."""
        channel = self._channels.everybody
        await answer(self._redis.eval(_PAUSE, 1, keys.places_there(player), player, "1" if paused else "", channel))

    async def there(self, players: Sequence[str]) -> list[There]:
        """Reads the state of each of these bots."""
        with unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for player in players:
                    pipeline.hgetall(keys.places_there(player))
                    pipeline.smembers(keys.places_taken(player))
                found = await pipeline.execute()
                known, taken = found[::2], found[1::2]
                replicas = sorted({raw[b"replica"].decode() for raw in known if b"replica" in raw})
                for replica in replicas:
                    pipeline.exists(keys.places_replica(replica))
                alive = dict(zip(replicas, await pipeline.execute(), strict=True))
        return [_there(raw, alive, places) for raw, places in zip(known, taken, strict=True)]

    async def admit(
        self, player: str, match_id: str, created_ms: int, others: Sequence[str], ready: Sequence[str]
    ) -> Admission:
        """Gives a match a place of each of its limited bots, or adds it to their queues.

        `others` are its bots that have not taken their seats; `ready` are those that have.
        """
        channel = self._channels.everybody
        args: list[str | int] = [match_id, created_ms, channel, len(others) + 1, player, *others, *ready]
        return Admission(int(await answer(self._admit(keys=[keys.places_there(player)], args=args))))

    async def taken(self, player: str) -> set[str]:
        """Returns the ids of the matches that have a place of a bot."""
        return {match_id.decode() for match_id in await answer(self._redis.smembers(keys.places_taken(player)))}

    async def queued(self, player: str) -> set[str]:
        """Returns the ids of the matches that are in a bot's queue."""
        return {match_id.decode() for match_id in await answer(self._redis.zrange(keys.places_queue(player), 0, -1))}

    async def hold(self, player: str, *, gone: Sequence[str], begun: Sequence[str]) -> None:
        """Notes that a bot has its seats in some of its live matches, and frees those of finished ones."""
        key = keys.places_taken(player)
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                if gone:
                    pipeline.srem(key, *gone)
                    pipeline.zrem(keys.places_queue(player), *gone)
                if begun:
                    pipeline.sadd(key, *begun)
                    pipeline.expire(key, _BOT_PLACE_RETENTION_SECONDS)
                await pipeline.execute()

    async def give_back(self, player: str, match_id: str) -> None:
        """Frees the place of a finished match, and tells every replica."""
        channel = self._channels.everybody
        await answer(
            self._redis.eval(_GIVE_BACK, 3, *_keys_of(player), keys.places_queue(player), player, match_id, channel)
        )


def _keys_of(player: str) -> tuple[str, str]:
    return keys.places_there(player), keys.places_taken(player)


def _there(raw: dict[bytes, bytes], alive: dict[str, int], places: set[bytes]) -> There:
    known = {name.decode(): value.decode() for name, value in raw.items()}
    connected = "stream" in known and bool(alive.get(known["replica"]))
    since = known.get("since" if connected else "gone") or known.get("since") or "0"
    taken = frozenset(match_id.decode() for match_id in places)
    return There(connected, int(since), int(known.get("capacity") or 0), known.get("paused") == "1", taken)


_CAME: Final = f"""{WRITES}{TELL}
local before = redis.call('HGET', KEYS[1], 'stream') or ''
if before >= ARGV[1] then return end
redis.call('HSET', KEYS[1], 'stream', ARGV[1], 'replica', ARGV[2], 'since', ARGV[3], 'capacity', ARGV[4])
redis.call('HDEL', KEYS[1], 'gone')
if redis.call('HGET', KEYS[1], 'paused') ~= '1' then redis.call('EXPIRE', KEYS[1], {_BOT_PLACE_RETENTION_SECONDS}) end
redis.call('EXPIRE', KEYS[2], {_BOT_PLACE_RETENTION_SECONDS})
tell(ARGV[6], 'room ' .. ARGV[5])
"""
_LEFT: Final = f"""{FREES}
if redis.call('HGET', KEYS[1], 'stream') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'stream')
redis.call('HSET', KEYS[1], 'gone', ARGV[2])
if redis.call('HGET', KEYS[1], 'paused') ~= '1' then redis.call('EXPIRE', KEYS[1], ARGV[3]) end
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 1
"""
_PAUSE: Final = f"""{FREES}{TELL}
if ARGV[2] == '1' then
  redis.call('HSET', KEYS[1], 'paused', '1')
  redis.call('PERSIST', KEYS[1])
else
  redis.call('HDEL', KEYS[1], 'paused')
  redis.call('EXPIRE', KEYS[1], {_BOT_PLACE_RETENTION_SECONDS})
end
tell(ARGV[3], (ARGV[2] == '1' and 'paused ' or 'resumed ') .. ARGV[1])
"""
_GIVE_BACK: Final = f"""{FREES}{TELL}
local had = redis.call('SREM', KEYS[2], ARGV[2]) + redis.call('ZREM', KEYS[3], ARGV[2])
if had > 0 then tell(ARGV[3], 'room ' .. ARGV[1]) end
"""
_HELPERS: Final = f"""{WRITES}{TELL}
local function there(player) return '{keys.places_there("")}' .. player end
local function taken(player) return '{keys.places_taken("")}' .. player end
local function queue(player) return '{keys.places_queue("")}' .. player end
"""
_ADMIT: Final = f"""
-- ARGV: match, when it was created, the channel for everybody, how many of its bots have no seat yet, these
-- (whoever asks first), the others
local match, created, waiting, mine = ARGV[1], ARGV[2], tonumber(ARGV[4]), ARGV[5]
local limited, apart = {{}}, false
for at = 5, 4 + waiting do
  local player = ARGV[at]
  local stream, replica, capacity, paused = unpack(
    redis.call('HMGET', there(player), 'stream', 'replica', 'capacity', 'paused'))
  capacity = tonumber(capacity or '0') or 0
  local has = redis.call('SISMEMBER', taken(player), match) == 1
  if not (stream and redis.call('EXISTS', '{keys.places_replica("")}' .. replica) == 1) then apart = true end
  if paused == '1' and not has then apart = true end
  if capacity > 0 or paused == '1' then
    limited[#limited + 1] = {{player, capacity, has}}
  end
end
if apart then
  -- It holds nobody up as long as somebody is missing.
  for _, one in ipairs(limited) do redis.call('ZREM', queue(one[1]), match) end
end
local room, full = not apart, false
for _, one in ipairs(limited) do
  local player, capacity, has = one[1], one[2], one[3]
  if not has and capacity > 0 then
    local before = redis.call('SCARD', taken(player))
    if player == mine and before >= capacity then full = true end
    if not apart then
      redis.call('ZADD', queue(player), created, match)
      redis.call('EXPIRE', queue(player), {_BOT_PLACE_RETENTION_SECONDS})
      before = before + redis.call('ZRANK', queue(player), match)
    end
    if before >= capacity then room = false end
  end
end
if not room then return full and {Admission.FULL.value} or {Admission.WAITS.value} end
for at, one in ipairs(limited) do
  redis.call('ZREM', queue(one[1]), match)
  redis.call('SADD', taken(one[1]), match)
  redis.call('EXPIRE', taken(one[1]), {_BOT_PLACE_RETENTION_SECONDS})
  if one[1] ~= mine and not one[3] then
    tell(ARGV[3], 'offer ' .. one[1] .. ' ' .. match)
  end
end
for at = 5 + waiting, #ARGV do
  if (tonumber(redis.call('HGET', there(ARGV[at]), 'capacity') or '0') or 0) > 0 then
    redis.call('SADD', taken(ARGV[at]), match)
    redis.call('EXPIRE', taken(ARGV[at]), {_BOT_PLACE_RETENTION_SECONDS})
  end
end
return {Admission.GRANTED.value}
"""
