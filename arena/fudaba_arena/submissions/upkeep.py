"""Keeps contents while a submission needs them. Refused submissions and their builds are removed.

The store lists what is to be removed, so the next call finishes the work of a killed process.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import final

from fudaba_arena.forms import BadStored, readable
from fudaba_arena.store.contents.content_uses import ContentUses
from fudaba_arena.store.submissions.submissions import Submissions
from fudaba_arena.submissions.contents import ContentsUnavailable, KeptContents

__all__ = ["Upkeep"]


@final
class Upkeep:
    """The contents of one arena. The operations raise `StoreUnavailable` and `ContentsUnavailable`."""

    def __init__(self, contents: KeptContents, uses: ContentUses) -> None:
        self._contents = contents
        self._uses = uses
        self.total_bytes = 0
        """The total size of everything that was kept at the last look."""

    async def open(self, now_ms: int) -> None:
        """Checks that contents can be stored, and notes those of earlier releases. Raises `ArenaError`."""
        await self._contents.prepare()
        await self._uses.note_all(now_ms)
        self.total_bytes = await self._uses.total_bytes()

    async def keep(self, source: Path, digest: str, size: int, submission_id: str) -> None:
        """Stores the content of a file, with this hash and size, for a submission. Raises `OSError`."""
        await self._uses.use(digest, size, submission_id)
        await self._contents.put(source, digest)

    async def remove_unneeded(self, kept: Submissions, now_ms: int) -> None:
        """Removes refused submissions, and what dead workers wrote without a user."""
        for submission_id in await self._uses.refused():
            stored = await kept.get(submission_id)
            try:
                with readable(f"submission {submission_id}"):
                    digest = "" if stored is None else str(json.loads(stored.announced_line)["sha256"])
            except BadStored:
                continue  # its needs are unknown, so its content stays
            await self._uses.release(submission_id, digest, now_ms)
        failed: ContentsUnavailable | None = None
        for digest in await self._uses.take_unneeded(now_ms):
            if not await self._uses.goes_on_removing():
                return  # this process stood still, and another arena removes now
            try:
                await self._contents.remove([digest] if digest else [])
            except ContentsUnavailable as error:
                failed = error
            else:
                await self._uses.removed(digest)
        self.total_bytes = await self._uses.total_bytes()
        if failed is not None:
            raise failed
