"""Tokens by their hashes: opaque bytes here, see `fudaba_service.accounts.owner`."""

from __future__ import annotations

from typing import Final, NamedTuple, cast, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.channels import TELL, Channels
from fudaba_service.store.commands import Commands
from fudaba_service.store.connection import answer, unavailable
from fudaba_service.store.scripts import FREES, WRITES
from fudaba_service.store.shared_time import SharedTime

__all__ = ["Found", "StoredTokens"]

_EXPIRED_KEPT_MS: Final = 24 * 3_600_000
"""The time for which an expired token is still known, so that its holder learns that it has expired."""
_MATCH_TOKEN_RETENTION_SECONDS: Final = 60 * 24 * 3_600
"""The time for which match tokens are kept if the end of their match is never noted."""
_TOKENS_PER_SWEEP: Final = 100
"""The largest number of long-expired tokens that are removed whenever a token is made."""


_FIND: Final = (
    "local owner = redis.call('HGET', KEYS[1], ARGV[1])\n"
    "if not owner then return {} end\n"
    # Releases before accounts stored a list.
    "local account = string.sub(owner, 1, 1) == '{' and cjson.decode(owner).account\n"
    "return {owner, account and redis.call('HGET', KEYS[2], account) or ''}"
)
"""Finds the stored form of a token, and whether its account is barred."""


class Found(NamedTuple):
    """A stored token."""

    owner: bytes
    barred: bytes
    """The reason why its account may not be used now; empty if it may."""


@final
class StoredTokens:
    """Stores, finds and forgets them."""

    def __init__(self, redis: Redis, commands: Commands, time: SharedTime, channels: Channels) -> None:
        self._redis = redis
        self._channels = channels
        self._commands = commands
        self._time = time

    async def find(self, digest: str, match_id: str = "") -> Found | None:
        """Returns the token or match token with this digest, and whether its account is barred, in one round trip."""
        where = keys.match_tokens(match_id) if match_id else keys.TOKENS
        found = await self._commands("EVAL", _FIND, 2, where, keys.BARRED, digest)
        return Found(*found) if found else None

    async def put(self, digest: str, owner: bytes, expire_ms: int) -> None:
        """Stores a token. `expire_ms` 0: it does not expire."""
        await answer(self._redis.eval(_PUT, 3, *_KEYS, digest, owner, expire_ms, *self._sweep(), "", "", ""))

    async def put_for_match(self, digest: str, owner: bytes, match_id: str) -> None:
        """Stores a match token."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hset(keys.match_tokens(match_id), digest, owner)
                pipeline.expire(keys.match_tokens(match_id), _MATCH_TOKEN_RETENTION_SECONDS)
                await pipeline.execute()

    async def all_for_match(self, match_id: str) -> dict[str, bytes]:
        """Returns the digest and owner of every match token."""
        found: dict[bytes, bytes] = await answer(self._redis.hgetall(keys.match_tokens(match_id)))
        # The hash also holds the ids of the token's streams, which begin with a number.
        return {digest.decode(): owner for digest, owner in found.items() if owner.startswith(b"{")}

    async def drop_for_match(self, match_id: str, digests: list[str]) -> None:
        """Forgets match tokens."""
        if digests:
            await answer(self._redis.hdel(keys.match_tokens(match_id), *digests))

    async def replace(self, old: str, digest: str, owner: bytes, expire_ms: int, news: str) -> bool:
        """Replaces a token by another one and tells every replica. Returns False if the old one is gone."""
        announcement = news, self._channels.everybody
        return bool(
            await answer(
                self._redis.eval(_PUT, 3, *_KEYS, digest, owner, expire_ms, *self._sweep(), old, *announcement)
            )
        )

    async def swap(self, digest: str, old: bytes, new: bytes) -> None:
        """Stores another owner of a token, if the stored one is still `old`."""
        script = WRITES + (
            "if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end"
        )
        await answer(self._redis.eval(script, 1, keys.TOKENS, digest, old, new))

    async def all(self) -> dict[str, bytes]:
        """Returns the digest and owner of every token."""
        return {d.decode(): owner for d, owner in (await answer(self._redis.hgetall(keys.TOKENS))).items()}

    async def drop(self, digests: list[str], *news: str) -> int:
        """Removes tokens, and tells every replica in the same step. Returns their number."""
        script = (
            FREES
            + TELL
            + (
                "local there = 0\n"
                "for at = 3 + ARGV[1], #ARGV do\n"
                "  there = there + redis.call('HDEL', KEYS[1], ARGV[at])\n"
                "  redis.call('HDEL', KEYS[2], ARGV[at])\n"
                "  redis.call('ZREM', KEYS[3], ARGV[at])\nend\n"
                "for at = 3, 2 + ARGV[1] do tell(ARGV[2], ARGV[at]) end\n"
                "return there"
            )
        )
        channel = self._channels.everybody
        return int(await answer(self._redis.eval(script, 3, *_KEYS, len(news), channel, *news, *digests)))

    async def used(self, digest: str, at_ms: int, address: str) -> None:
        """Notes when and from where a token was used, unless it was removed meanwhile."""
        script = WRITES + (
            "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end"
        )
        await answer(self._redis.eval(script, 2, keys.TOKENS, keys.USES, digest, f"{at_ms} {address}"))

    async def uses(self, digests: list[str]) -> list[tuple[int, str]]:
        """Returns the time in ms and the address of tokens' last uses; 0 and empty if never used."""
        if not digests:
            return []
        found = cast("list[bytes | None]", await answer(self._redis.hmget(keys.USES, digests)))
        parts = [(raw or b"0 ").decode().partition(" ") for raw in found]
        return [(int(at_ms), address) for at_ms, _, address in parts]

    def _sweep(self) -> tuple[int, int]:
        return self._time.now_ms() - _EXPIRED_KEPT_MS, _TOKENS_PER_SWEEP


_KEYS: Final = (keys.TOKENS, keys.USES, keys.EXPIRIES)
_PUT: Final = (
    WRITES
    + TELL
    + (
        # ARGV: digest, owner, when it expires; what expired before when is swept, how many; the one in whose place it
        # comes; what every replica is told, the channel for everybody
        "local old, new = ARGV[6], ARGV[1]\n"
        # If the script is sent again after a lost reply, it finds its own entry.
        "if redis.call('HGET', KEYS[1], new) == ARGV[2] then return 1 end\n"
        "if old ~= '' and redis.call('HDEL', KEYS[1], old) == 0 then return 0 end\n"
        "redis.call('HSET', KEYS[1], new, ARGV[2])\n"
        "if ARGV[3] ~= '0' then redis.call('ZADD', KEYS[3], ARGV[3], new) end\n"
        "local gone = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[4], 'LIMIT', 0, ARGV[5])\n"
        "if old ~= '' then gone[#gone + 1] = old end\n"
        "for _, digest in ipairs(gone) do\n"
        "  redis.call('HDEL', KEYS[1], digest)\n"
        "  redis.call('HDEL', KEYS[2], digest)\n"
        "  redis.call('ZREM', KEYS[3], digest)\nend\n"
        "if ARGV[7] ~= '' then tell(ARGV[8], ARGV[7]) end\n"
        "return 1"
    )
)
