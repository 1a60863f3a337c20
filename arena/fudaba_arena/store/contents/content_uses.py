"""The uses of kept contents: what nobody needs any more is removed.

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

A build is called after the hash of its source, with more behind it. What is about to be written is among the unneeded
until somebody needs it: so what a worker leaves that dies is removed, too. Nobody begins to need a content while it is
removed: who wants to waits until it is gone.
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
"""The time for which a content may be on its way."""
_REPLACED_BUILD_RETENTION_MS: Final = 600_000
"""The time for which a replaced build is kept for those that have just asked for it."""
_POLL_SECONDS: Final = 0.2
_MAX_REMOVAL_POLLS: Final = 50
"""How often a content is looked for before a caller who wants it must try again."""
_REMOVAL_LEASE_MS: Final = 60_000
"""The time for which nobody else removes anything after an arena has asked what to remove, or has said that something
is removed."""
_HASH_DIGITS: Final = 64
_CONTENTS_PER_CALL: Final = 1_000


@final
class ContentUses:
    """The operations. They raise `StoreUnavailable`, and can be repeated."""

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
        """Notes that a submission needs a content. Waits some seconds for one that is being removed."""
        await self._begin(digest, size, submission_id, 0)

    async def begin_writing(self, digest: str, size: int, now_ms: int) -> None:
        """Begins to write what a build has made. Waits some seconds for one that is being removed."""
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
        """Returns the hash of what a build has made; empty for none."""
        found = await answer(self._redis.hget(_BUILT, build_name))
        return found.decode() if found else ""

    async def note_built(self, build_name: str, digest: str, now_ms: int) -> bool:
        """Remembers what a build has made, which was written. Returns False when no submission needs its source any
        more.
        """
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
        """Returns the submissions that were refused, and of which `release` was not said yet."""
        return sorted(member.decode() for member in await answer(self._redis.smembers(_REFUSED)))

    async def release(self, submission_id: str, digest: str, now_ms: int) -> None:
        """Notes that a submission that was refused needs its content no more."""
        args: list[str | int] = [_key("uses:"), _key("builds-of:"), digest, submission_id, now_ms]
        await answer(self._release(keys=[_BUILT, _UNNEEDED, _REFUSED], args=args))

    async def take_unneeded(self, now_ms: int) -> list[str]:
        """Returns the contents that are to be removed now, those of a call that was broken off among them.

        There are none while another arena removes.
        """
        args: list[str | int] = [_key("uses:"), now_ms, self._arena, _REMOVAL_LEASE_MS]
        found = await answer(self._take_unneeded(keys=[_UNNEEDED, _REMOVING, _REMOVES], args=args))
        return [digest.decode() for digest in found]

    async def goes_on_removing(self) -> bool:
        """Returns whether this arena is still the one that removes, and is for another while."""
        args: list[str | int] = [self._arena, _REMOVAL_LEASE_MS]
        return bool(await answer(self._keep_removing(keys=[_REMOVES], args=args)))

    async def removed(self, digest: str) -> None:
        """Notes that a content is not there any more."""
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hdel(_SIZES, digest)
                pipeline.zrem(_REMOVING, digest)
                await answer(pipeline.execute())

    async def total_bytes(self) -> int:
        """Returns how large all contents are together."""
        return sum(map(int, await answer(self._redis.hvals(_SIZES))))

    async def note_all(self, now_ms: int) -> None:
        """Notes the uses of what is stored: an arena of an earlier release notes none, and may have been here since."""
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
        """Returns the hashes of those of some submissions that need their content."""
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
    """Returns the hash and size of a submission's content; None where it cannot be read: nothing of it is removed
    then.
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
