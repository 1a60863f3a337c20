"""The submissions of an arena: each with the progress of its check, and its end. Their bytes are elsewhere, and
`content_uses.py` has their users.

```
one:ID       a submission (hash): `what` it is, the `fingerprint` of the request, when its last byte came (`complete`),
             and how it ended (`over`). While workers check it: how far it is (`so_far`), what it `needs`, its
             `version`, who checks it (`worker`) until when (`lease`), and how often that was begun (`begun`)
checks       the ids of those that workers are to check, by when they were complete (sorted set)
numbers      how many versions each bot has got from submissions (hash)
versions     the id of the submission that each `BOT@VERSION` is, of those that were accepted (hash)
tried        the same of all that have got a version
place        where what is submitted is kept, if that is a URL
passed:WHAT  the stages that a content has passed with a runtime and limits: how, by name (hash, for 30 days)
open         the ids of those that are uploaded, by when they expire (sorted set)
lapsed       the ids of those that were not accepted, by when they may be forgotten (sorted set)
all          `ID:BOT` of all that are kept, by when they were created (sorted set)
of:ACCOUNT   the same of an account's
aside        the same of those that cannot be read, and that somebody has taken out of these lists; and in `aside-of`
             whose list each was in (hash)
asked:ACCOUNT  what an account has uploaded in the last day: `ID:BYTES`, by when (sorted set); and what was built of it,
             see `build_use.py`
```

All keys share a hash tag that no tournament has, so that a submission is created in one step.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key, unavailable

__all__ = ["SUBMISSIONS_TAG", "KeptSubmission", "Quota", "Submissions", "TooMuch"]

DAY_MS: Final = 24 * 3_600_000
SUBMISSIONS_TAG: Final = ".submissions"
"""The hash tag. No tournament has such a name."""
_QUOTAS: Final = ("", "uploads", "bytes")


@final
@dataclass(frozen=True, slots=True)
class Quota:
    """The upload quota of an account in 24 hours."""

    uploads: int
    bytes: int


@final
class TooMuch(Exception):
    """An account has used up its upload quota."""

    def __init__(self, quota: str, retry_ms: int) -> None:
        super().__init__(quota)
        self.quota = quota
        """`uploads` or `bytes`."""
        self.retry_ms = retry_ms
        """The time when the quota would allow it, in milliseconds since 1970; 0 for never."""


@final
@dataclass(frozen=True, slots=True)
class KeptSubmission:
    """A stored submission."""

    announced_line: bytes
    fingerprint: bytes
    over: bytes | None
    """Its end; None while it is uploaded or checked."""
    so_far: bytes | None = None
    """The progress of its check; None before that."""
    version: str = ""
    """The version that it is or would be; empty before its bot was started."""
    taken: bool = False
    """Whether a worker has begun to check it."""
    complete_ms: int = 0
    """The time when its last byte came, in milliseconds since 1970; 0 before that, and from an earlier release."""


@final
class Submissions:
    """The submissions of authors, until their checks have ended.

    Methods raise `StoreUnavailable`, and can be repeated.
    """

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        folder = files("fudaba_arena.store.submissions")
        self._create = redis.register_script((folder / "create_submission.lua").read_text())
        self._end = redis.register_script((folder / "end_submission.lua").read_text())

    async def create(
        self,
        submission_id: str,
        bot: str,
        account: str,
        line: str,
        fingerprint: bytes,
        *,
        now_ms: int,
        expires_ms: int,
        size: int,
        payer: str = "",
        quota: Quota | None = None,
        validate_only: bool = False,
    ) -> None:
        """Stores a submission for a bot of an account, unless `validate_only`; an existing one stays as it is.

        `payer` is the account that uploads it. Raises `TooMuch`, but never without a quota.
        """
        parts = [f"one:{submission_id}", "open", f"asked:{payer}", "all", f"of:{account}"]
        most = (quota.uploads, quota.bytes) if quota is not None else (-1, -1)
        args: list[Any] = [submission_id, bot, line, fingerprint, now_ms, expires_ms, size, *most, DAY_MS]
        args.append(int(not validate_only))
        found = await answer(self._create(keys=[key(SUBMISSIONS_TAG, part) for part in parts], args=args))
        if int(found[0]):
            raise TooMuch(_QUOTAS[int(found[0])], int(found[1]))

    async def get(self, submission_id: str) -> KeptSubmission | None:
        """Returns a submission; None if it does not exist."""
        found = await answer(self._redis.hgetall(key(SUBMISSIONS_TAG, f"one:{submission_id}")))
        if b"what" not in found:
            return None
        return KeptSubmission(
            found[b"what"],
            found[b"fingerprint"],
            found.get(b"over"),
            found.get(b"so_far"),
            found.get(b"version", b"").decode(),
            b"worker" in found,
            int(found.get(b"complete", 0)),
        )

    async def note_complete(self, submission_id: str, at_ms: int) -> None:
        """Notes when the last byte of a submission came. The first note stays."""
        await answer(self._redis.hsetnx(key(SUBMISSIONS_TAG, f"one:{submission_id}"), "complete", str(at_ms)))

    async def ids(self, account: str | None, bot: str = "") -> list[tuple[int, str]]:
        """Returns the creation time and the id of each of an account's submissions; None for all accounts. A named bot
        selects its own.
        """
        index_name = "all" if account is None else f"of:{account}"
        found = await answer(self._redis.zrange(key(SUBMISSIONS_TAG, index_name), 0, -1, withscores=True))
        members = [(int(created_ms), *member.decode().split(":")) for member, created_ms in found]
        return [(created_ms, submission_id) for created_ms, submission_id, its_bot in members if bot in {"", its_bot}]

    async def put_aside(self, submission_id: str) -> None:
        """Takes a submission off all lists, so that it is not checked. Nothing of it is removed."""
        listed = await self._listed(submission_id, "all")
        if listed is None:
            return
        member, created_ms = listed
        with unavailable():
            lists = [found async for found in self._redis.scan_iter(match=key(SUBMISSIONS_TAG, "of:*"), count=1000)]
            in_lists = [found for found in lists if await self._redis.zscore(found, member) is not None]
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.zadd(key(SUBMISSIONS_TAG, "aside"), {member: created_ms})
                pipeline.hset(key(SUBMISSIONS_TAG, "aside-of"), submission_id, b" ".join(in_lists))
                for found in (key(SUBMISSIONS_TAG, "all"), *in_lists):
                    pipeline.zrem(found, member)
                pipeline.zrem(key(SUBMISSIONS_TAG, "checks"), submission_id)
                await pipeline.execute()

    async def aside(self) -> list[str]:
        """Returns the ids of the submissions that are put aside, oldest first."""
        found = await answer(self._redis.zrange(key(SUBMISSIONS_TAG, "aside"), 0, -1))
        return [member.decode().partition(":")[0] for member in found]

    async def take_back(self, submission_id: str, now_ms: int) -> None:
        """Lists a submission again that was put aside. If it was in check, it is checked again."""
        listed = await self._listed(submission_id, "aside")
        kept = await self.get(submission_id)
        lists = (await answer(self._redis.hget(key(SUBMISSIONS_TAG, "aside-of"), submission_id)) or b"").split()
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                if listed is not None:
                    for found in (key(SUBMISSIONS_TAG, "all"), *lists):
                        pipeline.zadd(found, {listed[0]: listed[1]})
                    pipeline.zrem(key(SUBMISSIONS_TAG, "aside"), listed[0])
                    pipeline.hdel(key(SUBMISSIONS_TAG, "aside-of"), submission_id)
                if kept is not None and kept.so_far is not None and kept.over is None:
                    pipeline.zadd(key(SUBMISSIONS_TAG, "checks"), {submission_id: now_ms}, nx=True)
                await pipeline.execute()

    async def _listed(self, submission_id: str, list_name: str) -> tuple[bytes, float] | None:
        """Finds a submission in a list, with its creation time."""
        found = await answer(self._redis.zrange(key(SUBMISSIONS_TAG, list_name), 0, -1, withscores=True))
        begin = f"{submission_id}:".encode()
        return next(((member, created_ms) for member, created_ms in found if member.startswith(begin)), None)

    async def uploading_ids(self, until_ms: int | None = None) -> set[str]:
        """Returns the ids of the submissions being uploaded, or of those that expire by a time."""
        until = "+inf" if until_ms is None else until_ms
        found = await answer(self._redis.zrangebyscore(key(SUBMISSIONS_TAG, "open"), "-inf", until))
        return {member.decode() for member in found}

    async def end(self, submission_id: str, over: str, forget_ms: int | None) -> None:
        """Notes how a submission ended, and when it may be forgotten; None for never. The first note stays."""
        keys = [key(SUBMISSIONS_TAG, part) for part in (f"one:{submission_id}", "open", "lapsed", "refused")]
        args: list[str | int] = [submission_id, over, "" if forget_ms is None else forget_ms]
        await answer(self._end(keys=keys, args=args))

    async def lapsed(self, until_ms: int) -> set[str]:
        """Returns the ids of the submissions that may be forgotten by a time."""
        found = await answer(self._redis.zrangebyscore(key(SUBMISSIONS_TAG, "lapsed"), "-inf", until_ms))
        return {member.decode() for member in found}

    async def forget(self, submission_id: str, bot: str, account: str) -> None:
        """Removes everything stored about a submission."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                for part in ("all", f"of:{account}"):
                    pipeline.zrem(key(SUBMISSIONS_TAG, part), f"{submission_id}:{bot}")
                pipeline.delete(key(SUBMISSIONS_TAG, f"one:{submission_id}"))
                pipeline.zrem(key(SUBMISSIONS_TAG, "lapsed"), submission_id)
                await answer(pipeline.execute())
