"""The Play streams of bots: the newest one of each, and the ends of matches that no stream has reported."""

from __future__ import annotations

from typing import Final, NamedTuple, cast, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.channels import TELL, Channels
from fudaba_service.store.connection import answer
from fudaba_service.store.scripts import WRITES
from fudaba_service.store.shared_time import SharedTime

__all__ = ["Opening", "PlayStreams"]

_LATE_MS: Final = 50
"""The greatest delay after another opening with which an earlier stream's opening may reach the store."""
_MAX_OPENING_MS: Final = 10_000
"""The longest time that an opening takes. An id further ahead comes from a replica with a wrong time."""


class Opening(NamedTuple):
    """The opening of a Play stream."""

    now_ms: int
    """The shared time at which its call arrived."""
    latest_ms: int
    """The latest possible time, since its replica may not know the time well."""
    process: str = ""
    """The bot's own name for its process: letters and digits. Empty if it gives none."""
    attempt: int = 0
    """The number of the stream among those of this process."""


@final
class PlayStreams:
    """Stores in Redis the newest Play stream of each bot, and the unread ends of its matches."""

    def __init__(self, redis: Redis, time: SharedTime, channels: Channels) -> None:
        self._redis = redis
        self._channels = channels
        self._time = time

    def opening(self) -> Opening:
        """Returns the opening of a stream whose call has just arrived."""
        return Opening(self._time.now_ms(), self._time.latest_ms())

    async def open(self, stream: str, nonce: str, opening: Opening, match_id: str = "") -> str:
        """Makes the id of a new Play stream of this name, greater than earlier ones, and tells every replica.

        The result is the id of another stream, with another nonce, if that was opened later although its opening
        arrived first, judging by the bot's process or the time. The name is a bot version's or, for a match token's
        stream, that of the match `match_id`.
        """
        return await self._stream(stream, "", nonce, match_id, opening)

    async def newest(self, stream: str, stream_id: str, match_id: str = "") -> str:
        """Returns the id of the newest Play stream of this name: the given one, or a greater one in the store."""
        return await self._stream(stream, stream_id, "", match_id, Opening(0, 0))

    async def _stream(self, stream: str, stream_id: str, nonce: str, match_id: str, opening: Opening) -> str:
        script = (
            WRITES
            + TELL
            + (
                "local newest, mine = redis.call('HGET', KEYS[1], ARGV[1]) or '', ARGV[2]\n"
                "local number = tonumber(string.sub(newest, 1, 15)) or 0\n"
                "if mine == '' then\n"
                # If the script is sent again after a lost reply, it finds its own entry.
                "  if string.sub(newest, 17) == ARGV[3] then return newest end\n"
                "  local process, attempt = string.match(ARGV[3], '^(%w+)%.(%d+)%.')\n"
                "  local other, before = string.match(string.sub(newest, 17), '^(%w+)%.(%d+)%.')\n"
                "  if process and process == other then\n"
                "    if tonumber(attempt) < tonumber(before) then return newest end\n"
                "  else\n"
                "    local late = number - tonumber(ARGV[5])\n"
                f"    if {_LATE_MS} < late and late < {_MAX_OPENING_MS} then return newest end\n"
                "  end\n"
                # The shared time, so that it is greater also if the store has lost the one before: it never goes back,
                # whatever Redis's clock says after a failover.
                "  local now = math.max(tonumber(ARGV[4]), number + 1)\n"
                "  mine = string.format('%015d-%s', now, ARGV[3])\nend\n"
                "if tonumber(string.sub(mine, 1, 15)) <= number then return newest end\n"
                "redis.call('HSET', KEYS[1], ARGV[1], mine)\n"
                "tell(ARGV[6], 'stream ' .. ARGV[1] .. ' ' .. mine)\n"
                "return mine"
            )
        )
        where = keys.match_tokens(match_id) if match_id else keys.STREAMS
        opener = f"{opening.process}.{opening.attempt}.{nonce}" if opening.process else nonce
        times = str(opening.now_ms), str(opening.latest_ms), self._channels.everybody
        newest: bytes = await answer(self._redis.eval(script, 1, where, stream, stream_id, opener, *times))
        return newest.decode()

    async def ends_of(self, bot: str) -> list[bytes]:
        """Returns the recent ends of a bot version's matches that it may not know; oldest first."""
        return cast("list[bytes]", await answer(self._redis.zrange(keys.bot_ended(bot), 0, -1)))

    async def forget_ends(self, bot: str, ends: list[bytes]) -> None:
        """Notes that a bot version knows how matches ended."""
        await answer(self._redis.zrem(keys.bot_ended(bot), *ends))
