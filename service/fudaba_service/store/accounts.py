"""Accounts, linked logins, and invitations: opaque bytes here, see `fudaba_service.accounts.accounts`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import IntEnum
from typing import Final, cast, final

from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.channels import TELL, Channels
from fudaba_service.store.connection import TRACE_MS, answer, swap, trace_of
from fudaba_service.store.scripts import FREES, WRITES

__all__ = ["StoredAccounts", "Swapped"]

_SWAP_SHOWN: Final = f"""
if redis.call('EXISTS', KEYS[3]) == 1 then return 1 end
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
for at = 4, #ARGV do
  local owner = redis.call('HGET', KEYS[2], ARGV[at])
  if owner and owner ~= ARGV[1] then return 2 end
end
local field = 'of ' .. ARGV[1]
for claim in string.gmatch(redis.call('HGET', KEYS[2], field) or '', '%S+') do redis.call('HDEL', KEYS[2], claim) end
redis.call('HDEL', KEYS[2], field)
if #ARGV > 3 then redis.call('HSET', KEYS[2], field, table.concat(ARGV, ' ', 4)) end
for at = 4, #ARGV do redis.call('HSET', KEYS[2], ARGV[at], ARGV[1]) end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
redis.call('SET', KEYS[3], '1', 'PX', {TRACE_MS})
return 1
"""
_PUT_SIGN_IN_CODE: Final = f"""{WRITES}
local entries, live, last = redis.call('HGETALL', KEYS[2]), 0, ARGV[5] + ARGV[4]
local ended = {{}}
for at = 1, #entries, 2 do
  local expires, about = string.match(entries[at + 1], '^(%d+) %d+ (.+)$')
  if tonumber(expires) <= tonumber(ARGV[5]) or about == ARGV[7] then table.insert(ended, entries[at])
  elseif entries[at] ~= ARGV[1] then
    live, last = live + 1, math.max(last, tonumber(expires))
  end
end
if live >= tonumber(ARGV[6]) then return 0 end
for _, digest in ipairs(ended) do
  redis.call('HDEL', KEYS[2], digest)
  redis.call('DEL', ARGV[8] .. digest)
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[4])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], string.format('%.0f', last - ARGV[5]))
return 1
"""


class Swapped(IntEnum):
    """The outcome of storing an account."""

    CHANGED = 0
    """The stored account is not `old`, because somebody else was faster."""
    DONE = 1
    TAKEN = 2
    """Another account claims the name."""


@final
class StoredAccounts:
    """Stores and changes them."""

    def __init__(self, redis: Redis, channels: Channels) -> None:
        self._redis = redis
        self._channels = channels

    async def get(self, name: str) -> bytes | None:
        """Returns an account's message."""
        return cast("bytes | None", await answer(self._redis.hget(keys.ACCOUNTS, name)))

    async def all(self) -> dict[str, bytes]:
        """Reads all accounts' messages, ordered by name."""
        accounts: dict[bytes, bytes] = await answer(self._redis.hgetall(keys.ACCOUNTS))
        return {name.decode(): accounts[name] for name in sorted(accounts)}

    async def swap(self, name: str, old: bytes | None, new: bytes | None) -> bool:
        """Stores an account's message if the stored one is still `old`. Returns False if it has changed."""
        return await swap(self._redis, keys.ACCOUNTS, name, old, new)

    async def swap_shown(self, name: str, old: bytes | None, new: bytes | None, claims: Collection[str]) -> Swapped:
        """Does the same for a change of display names: in the same step it claims names and releases others.

        A claim is the digest of a name. An account of an earlier release claims its name when it is next changed.
        """
        where = keys.ACCOUNTS, keys.SHOWN_NAMES, trace_of(keys.ACCOUNTS)
        script = (WRITES if new else FREES) + _SWAP_SHOWN
        reply = await answer(self._redis.eval(script, 3, *where, name, old or b"", new or b"", *claims))
        return Swapped(reply)

    async def bar(self, name: str, why: bytes, *news: str) -> None:
        """Sets the reason why an account may not be used now, empty if it may, and tells every replica in the same
        step.
        """
        script = (
            FREES
            + TELL
            + (
                "if ARGV[2] == '' then redis.call('HDEL', KEYS[1], ARGV[1])\n"
                "else redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end\n"
                "for at = 4, #ARGV do tell(ARGV[3], ARGV[at]) end"
            )
        )
        await answer(self._redis.eval(script, 1, keys.BARRED, name, why, self._channels.everybody, *news))

    async def barred(self, name: str) -> bytes:
        """Returns the reason why an account may not be used now; empty if it may."""
        return cast("bytes | None", await answer(self._redis.hget(keys.BARRED, name))) or b""

    async def several_barred(self, names: Sequence[str]) -> list[bytes]:
        """Does the same for several accounts, in order."""
        found = await answer(self._redis.hmget(keys.BARRED, list(names))) if names else []
        return [cast("bytes | None", raw) or b"" for raw in found]

    async def retire(self, digest: str) -> None:
        """Notes the hash of a name that is never given again."""
        await answer(self._redis.sadd(keys.RETIRED, digest))

    async def retired(self, digest: str) -> bool:
        """Returns whether a name is retired: it is never given again."""
        return bool(await answer(self._redis.sismember(keys.RETIRED, digest)))

    async def link(self, link: str, account: str) -> bool:
        """Links a login to an account. Returns False if it is already linked to one."""
        return await swap(self._redis, keys.LINKS, link, None, account.encode())

    async def linked(self, link: str) -> str:
        """Returns the account of a login; empty if there is none."""
        return (cast("bytes | None", await answer(self._redis.hget(keys.LINKS, link))) or b"").decode()

    async def unlink(self, link: str, account: str) -> None:
        """Removes a login of an account."""
        await swap(self._redis, keys.LINKS, link, account.encode(), None)

    async def put_invitation(self, digest: str, valid_ms: int) -> None:
        """Stores the code for a new account."""
        await answer(self._redis.set(keys.account_invitation(digest), "1", px=max(1, valid_ms)))

    async def take_invitation(self, digest: str) -> int:
        """Uses up a code. Returns its remaining validity in ms; 0 if there is none."""
        script = WRITES + (
            "local taken = redis.call('GET', KEYS[2])\nif taken then return tonumber(taken) end\n"
            "local left = redis.call('PTTL', KEYS[1])\nif left <= 0 then return 0 end\n"
            f"redis.call('DEL', KEYS[1])\nredis.call('SET', KEYS[2], left, 'PX', {TRACE_MS})\nreturn left"
        )
        key = keys.account_invitation(digest)
        return int(await answer(self._redis.eval(script, 2, key, trace_of(key))))

    async def put_sign_in_code(
        self, account: str, digest: str, owner: bytes, entry: str, valid_ms: int, now_ms: int, most: int, replaced: str
    ) -> bool:
        """Stores the person whom a code signs in, and lists the code under the account. Returns False if `most` are
        listed.

        In the same step it removes expired codes, and the code that this one replaces, by the end of its entry.
        """
        where = keys.sign_in_code(digest), keys.sign_in_codes(account)
        arguments = digest, owner, entry, valid_ms, now_ms, most, replaced, keys.sign_in_code("")
        return bool(await answer(self._redis.eval(_PUT_SIGN_IN_CODE, 2, *where, *arguments)))

    async def sign_in_code(self, digest: str) -> bytes | None:
        """Returns the person that a code signs in; None if there is no such code."""
        return cast("bytes | None", await answer(self._redis.get(keys.sign_in_code(digest))))

    async def take_sign_in_code(self, account: str, digest: str) -> bool:
        """Uses up a code of an account. Returns False if there is no such code."""
        script = WRITES + (
            "if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end\n"
            "if redis.call('DEL', KEYS[1]) == 0 then return 0 end\n"
            f"redis.call('HDEL', KEYS[3], ARGV[1])\nredis.call('SET', KEYS[2], '1', 'PX', {TRACE_MS})\nreturn 1"
        )
        where = keys.sign_in_code(digest), trace_of(keys.SIGN_IN_CODES), keys.sign_in_codes(account)
        return bool(await answer(self._redis.eval(script, 3, *where, digest)))

    async def sign_in_codes(self, account: str) -> list[str]:
        """Returns the entries of an account's codes, including recently expired ones."""
        entries: dict[bytes, bytes] = await answer(self._redis.hgetall(keys.sign_in_codes(account)))
        return [entry.decode() for entry in entries.values()]

    async def drop_sign_in_codes(self, account: str, member: str) -> None:
        """Removes the codes of a member; without a name, all codes of the account."""
        script = FREES + (
            "local entries = redis.call('HGETALL', KEYS[1])\n"
            "for at = 1, #entries, 2 do\n"
            "  if ARGV[1] == '' or string.match(entries[at + 1], '%S+$') == ARGV[1] then\n"
            "    redis.call('DEL', ARGV[2] .. entries[at])\n    redis.call('HDEL', KEYS[1], entries[at])\n"
            "  end\nend"
        )
        await answer(self._redis.eval(script, 1, keys.sign_in_codes(account), member, keys.sign_in_code("")))

    async def limits(self, *accounts: str) -> list[bytes]:
        """Reads the limits that were set for each of these accounts; empty for none."""
        found = await answer(self._redis.hmget(keys.LIMITS, list(accounts)))
        return [cast("bytes | None", raw) or b"" for raw in found]

    async def swap_limits(self, account: str, old: bytes, new: bytes) -> bool:
        """Sets an account's limits if the stored ones are still `old`. Returns False if they have changed."""
        return await swap(self._redis, keys.LIMITS, account, old or None, new or None)

    async def counted(self, kind: str, whose: str) -> int:
        """Returns the caller's count of a kind, such as registrations, in the present window of time."""
        return int(await answer(self._redis.get(keys.counted(kind, whose))) or 0)

    async def count(self, kind: str, whose: str, most: int, window_ms: int) -> int:
        """Counts one more of a kind in a window of time. If `most` are reached, returns the ms until its end."""
        script = WRITES + (
            "local left = redis.call('PTTL', KEYS[1])\n"
            "if left > 0 and tonumber(redis.call('GET', KEYS[1])) >= tonumber(ARGV[1]) then return left end\n"
            "if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end\n"
            "return 0"
        )
        return int(await answer(self._redis.eval(script, 1, keys.counted(kind, whose), most, window_ms)))
