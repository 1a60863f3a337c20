"""The build quota of an account in 24 hours: time, and bytes, which count like uploaded ones.

```
quota              what accounts may use in a day (hash): `bytes`, and `build_ms`, as the arena says. Without: anything
builds-by:ACCOUNT  the builds of the last day by when they began (sorted set): `BUILD:MS`, or `BUILD:-` without an end
asked:ACCOUNT      see `submissions.py`; what a build has made is `BUILD+built:BYTES`
```

A `BUILD` is a submission's `ID.ATTEMPT`. Workers die and hosts fail: the next attempt replaces the one before, so that
nobody pays twice for one build, or for a build that the arena gave up.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key
from fudaba_arena.store.submissions.submissions import DAY_MS, SUBMISSIONS_TAG

__all__ = ["BuildQuotaUsed", "BuildUse"]


@final
class BuildQuotaUsed(Exception):
    """An account has used up its quota."""

    def __init__(self, used: int, most: int, free_ms: int) -> None:
        super().__init__(used, most, free_ms)
        self.used = used
        self.most = most
        self.free_ms = free_ms
        """The time when there is enough again, in milliseconds since 1970; 0 for never."""


@final
class BuildUse:
    """The resources that the builds of each account used in 24 hours.

    Methods raise `StoreUnavailable`, and can be repeated.
    """

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        folder = files("fudaba_arena.store.submissions")
        self._begin = redis.register_script((folder / "begin_build.lua").read_text())
        self._end = redis.register_script((folder / "end_build.lua").read_text())
        self._charge = redis.register_script((folder / "charge_built.lua").read_text())

    async def set_quota(self, most_bytes: int, most_ms: int) -> None:
        """Sets the quota of an account in 24 hours."""
        await answer(self._redis.hset(_key("quota"), mapping={"bytes": most_bytes, "build_ms": most_ms}))

    async def begin(self, account: str, build: str, now_ms: int, longest_ms: int) -> None:
        """Begins a build of at most this length. Raises `BuildQuotaUsed`, in milliseconds, if it would exceed the
        quota.
        """
        args: list[Any] = [build, now_ms, DAY_MS, longest_ms]
        _check(await answer(self._begin(keys=[_key(f"builds-by:{account}"), _key("quota")], args=args)))

    async def end(self, account: str, build: str, took_ms: int) -> None:
        """Charges the time of a build."""
        await answer(self._end(keys=[_key(f"builds-by:{account}")], args=[build, took_ms]))

    async def charge(self, account: str, build: str, size: int, now_ms: int) -> None:
        """Charges the bytes of a build's result. Raises `BuildQuotaUsed`, in bytes, if they may not be kept."""
        args: list[Any] = [build, size, now_ms, DAY_MS]
        _check(await answer(self._charge(keys=[_key(f"asked:{account}"), _key("quota")], args=args)))

    async def forgive(self, account: str, submission_id: str) -> None:
        """Notes that the failure of a submission's builds was the host's. None of them count."""
        for part in (f"builds-by:{account}", f"asked:{account}"):
            found: list[bytes] = await answer(self._redis.zrange(_key(part), 0, -1))
            built = [member for member in found if member.startswith(f"{submission_id}.".encode())]
            if built:
                await answer(self._redis.zrem(_key(part), *built))


def _check(found: list[Any]) -> None:
    if found:
        raise BuildQuotaUsed(*map(int, found))


def _key(part: str) -> str:
    return key(SUBMISSIONS_TAG, part)
