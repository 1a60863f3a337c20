"""The uses of stored contents. Contents that are no longer needed are removed.

```
uses:HASH        who needs a content: the submissions that are it, or the builds that made it (set)
builds-of:HASH   the builds of a source whose results are kept (set)
built            what builds have made: the hash of the content, by what was built with what (hash)
refused          the submissions that were refused, whose contents were not looked at yet (set)
unneeded         the contents that nobody needs, by when they may be removed (sorted set)
removing         those that are removed at this moment (sorted set)
removes          the arena that removes (string); it runs out by itself unless the arena goes on
sizes            how many bytes each content has (hash)
uses-noted       whether what builds made before uses were noted has theirs
```

A build is named after the hash of its source, with a suffix. A content about to be written counts as unneeded until
something needs it: so what a dying worker leaves is removed, too. Nothing can begin to need a content while it is being
removed: callers wait until it is gone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Final, final
from uuid import uuid4

from redis.asyncio import Redis

from fudaba_arena.forms import BadStored, readable
from fudaba_arena.store.answers import StoreUnavailable, answer, key, unavailable
from fudaba_arena.store.submissions.submissions import SUBMISSIONS_TAG

__all__ = ["ContentUses"]

_WRITE_TIMEOUT_MS: Final = 3_600_000
"""The time that writing a content may take."""
_REPLACED_BUILD_RETENTION_MS: Final = 600_000
"""The time for which a replaced build is kept for recent readers."""
_POLL_SECONDS: Final = 0.2
_MAX_REMOVAL_POLLS: Final = 50
"""The number of looks at a content under removal before a caller must try again."""
_REMOVAL_LEASE_MS: Final = 60_000
"""The time for which only one arena removes contents, after it asked what to remove or reported a removal."""
_HASH_DIGITS: Final = 64
_CONTENTS_PER_CALL: Final = 1_000


@final
class ContentUses:
    """The stored contents that are still needed, and their users. Methods raise `StoreUnavailable`, and can be
    repeated.
    """

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._arena = uuid4().hex
        folder = files("fudaba_arena.store.contents")
        self._use = redis.register_script((folder / "use_content.lua").read_text())
        self._note_built = redis.register_script((folder / "note_built.lua").read_text())
        self._release = redis.register_script((folder / "release_content.lua").read_text())
        self._keep_removing = redis.register_script((folder / "keep_removing.lua").read_text())
        self._take_unneeded = redis.register_script((folder / "take_unneeded.lua").read_text())

    async def use(self, digest: str, size: int, submission_id: str) -> None:
        """Notes that a submission needs a content. Waits some seconds if the content is being removed."""
        await self._begin(digest, size, submission_id, 0)

    async def begin_writing(self, digest: str, size: int, now_ms: int) -> None:
        """Begins to write a build's result. Waits some seconds if the content is being removed."""
        await self._begin(digest, size, "", now_ms + _WRITE_TIMEOUT_MS)

    async def _begin(self, digest: str, size: int, user: str, until_ms: int) -> None:
        keys = [_key(f"uses:{digest}"), _UNNEEDED, _REMOVING, _SIZES]
        args: list[str | int] = [digest, size, user, until_ms]
        for _ in range(_MAX_REMOVAL_POLLS):
            if int(await answer(self._use(keys=keys, args=args))):
                return
            await asyncio.sleep(_POLL_SECONDS)
        raise StoreUnavailable(f"an earlier content {digest} is still being removed; try again")

    async def built(self, build_name: str) -> str:
        """Returns the hash of a build's result; empty if there is none."""
        found = await answer(self._redis.hget(_BUILT, build_name))
        return found.decode() if found else ""

    async def note_built(self, build_name: str, digest: str, now_ms: int) -> bool:
        """Remembers a build's result after it was written. Returns False if no submission needs its source any more."""
        args: list[str | int] = [
            _key("uses:"),
            _key("builds-of:"),
            build_name,
            digest,
            now_ms,
            now_ms + _REPLACED_BUILD_RETENTION_MS,
        ]
        return bool(await answer(self._note_built(keys=[_BUILT, _UNNEEDED], args=args)))

    async def refused(self) -> list[str]:
        """Returns the refused submissions that were not yet released."""
        return sorted(member.decode() for member in await answer(self._redis.smembers(_REFUSED)))

    async def release(self, submission_id: str, digest: str, now_ms: int) -> None:
        """Notes that a refused submission no longer needs its content."""
        args: list[str | int] = [_key("uses:"), _key("builds-of:"), digest, submission_id, now_ms]
        await answer(self._release(keys=[_BUILT, _UNNEEDED, _REFUSED], args=args))

    async def take_unneeded(self, now_ms: int) -> list[str]:
        """Returns the contents to remove now, including those of an interrupted call.

        There are none while another arena removes contents.
        """
        args: list[str | int] = [_key("uses:"), now_ms, self._arena, _REMOVAL_LEASE_MS]
        found = await answer(self._take_unneeded(keys=[_UNNEEDED, _REMOVING, _REMOVES], args=args))
        return [digest.decode() for digest in found]

    async def goes_on_removing(self) -> bool:
        """Returns whether this arena still holds the right to remove, and renews it."""
        args: list[str | int] = [self._arena, _REMOVAL_LEASE_MS]
        return bool(await answer(self._keep_removing(keys=[_REMOVES], args=args)))

    async def removed(self, digest: str) -> None:
        """Notes that a content is gone."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hdel(_SIZES, digest)
                pipeline.zrem(_REMOVING, digest)
                await answer(pipeline.execute())

    async def total_bytes(self) -> int:
        """Returns the total size of all contents."""
        return sum(map(int, await answer(self._redis.hvals(_SIZES))))

    async def note_all(self, now_ms: int) -> None:
        """Notes the uses of everything stored. An arena of an earlier release notes none, and may have run since."""
        lapsed = {member.decode() for member in await answer(self._redis.zrange(_key("lapsed"), 0, -1))}
        listed = [
            found
            for list_name in ("all", "aside")
            for found in await answer(self._redis.zrange(_key(list_name), 0, -1))
        ]
        ids = [found.decode().split(":")[0] for found in listed]
        needed: set[str] = set()
        for at in range(0, len(ids), _CONTENTS_PER_CALL):
            needed |= await self._note_some(ids[at : at + _CONTENTS_PER_CALL], lapsed)
        if await answer(self._redis.exists(_key("uses-noted"))):
            return
        for program_name, digest in (await answer(self._redis.hgetall(_BUILT))).items():
            if program_name[:_HASH_DIGITS].decode() in needed:
                await self.note_built(program_name.decode(), digest.decode(), now_ms)
            else:
                await answer(self._redis.zadd(_UNNEEDED, {digest: now_ms}))
                await answer(self._redis.hdel(_BUILT, program_name))
        await answer(self._redis.set(_key("uses-noted"), 1))

    async def _note_some(self, ids: Sequence[str], lapsed: set[str]) -> set[str]:
        """Returns the hashes of the contents that some submissions need."""
        with unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for submission_id in ids:
                    pipeline.hget(_key(f"one:{submission_id}"), "what")
                found = await answer(pipeline.execute())
            needed = set()
            async with self._redis.pipeline(transaction=False) as pipeline:
                for submission_id, line in zip(ids, found, strict=True):
                    if submission_id in lapsed:
                        pipeline.sadd(_REFUSED, submission_id)
                    elif line is not None and (content := _content_of(line)) is not None:
                        digest, size = content
                        pipeline.sadd(_key(f"uses:{digest}"), submission_id)
                        pipeline.hset(_SIZES, digest, size)
                        needed.add(digest)
                await answer(pipeline.execute())
        return needed


def _content_of(line: bytes) -> tuple[str, int] | None:
    """Returns the hash and size of a submission's content; None if it cannot be read, and then nothing of it is
    removed.
    """
    try:
        with readable("a submission"):
            announced = json.loads(line)
            return str(announced["sha256"]), int(announced["size"])
    except BadStored:
        return None


def _key(part: str) -> str:
    return key(SUBMISSIONS_TAG, part)


_BUILT: Final = _key("built")
_UNNEEDED: Final = _key("unneeded")
_REMOVING: Final = _key("removing")
_REMOVES: Final = _key("removes")
_REFUSED: Final = _key("refused")
_SIZES: Final = _key("sizes")
