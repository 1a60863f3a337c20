"""Keeps what was submitted, in a folder or at a URL, under its SHA-256: so two that are equal are kept once, and none
ever changes.

Whoever reads one gets what was put there, or is told that it is damaged: what is read is hashed again. Putting the
right content there once more mends it.
"""

from __future__ import annotations

import asyncio
import re
from hashlib import sha256
from typing import Final, final

from fudaba.storage import BadPlace, Storage, StorageUnavailable, storage_at
from fudaba_arena.errors import ArenaError

__all__ = ["ContentsDamaged", "ContentsUnavailable", "KeptContents"]

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@final
class ContentsUnavailable(ArenaError):
    """What was submitted cannot be read or written now."""


@final
class ContentsDamaged(ArenaError):
    """What is kept is not what was submitted."""


@final
class KeptContents:
    """The operations. All but `prepare` raise `ContentsUnavailable`."""

    def __init__(self, place: str) -> None:
        """A folder, or a URL. Raises `ArenaError` for what can be neither."""
        try:
            self._storage: Storage = storage_at(place)
        except BadPlace as error:
            raise ArenaError(str(error)) from error

    async def prepare(self) -> None:
        """Checks that something can be kept. Raises `ArenaError`."""
        try:
            await self._storage.prepare()
        except (BadPlace, StorageUnavailable) as error:
            raise ArenaError(str(error)) from error

    async def put(self, content: bytes) -> str:
        """Keeps a content, if it is not kept already; its hash. It is on disk when this returns."""
        digest = await asyncio.to_thread(_hash, content)
        name = _name(digest)
        try:
            if not await self._storage.create(name, content) and await self._storage.read(name) != content:
                await self._storage.put(name, content)
        except StorageUnavailable as error:
            raise ContentsUnavailable(f"the submission cannot be kept: {error}") from error
        return digest

    async def get(self, digest: str) -> bytes | None:
        """A content; None where there is none of this hash. Raises `ContentsDamaged`."""
        if not _DIGEST.fullmatch(digest):
            return None
        try:
            content = await self._storage.read(_name(digest))
        except StorageUnavailable as error:
            raise ContentsUnavailable(f"the submission cannot be read: {error}") from error
        if content is not None and await asyncio.to_thread(_hash, content) != digest:
            raise ContentsDamaged(
                f"{self._storage.where}/{_name(digest)} is damaged: it has another hash than its name says. Bring it "
                "back from a backup, or have its author submit it again"
            )
        return content

    async def has(self, digest: str) -> bool:
        """Whether a content is kept. It is not read for this."""
        if not _DIGEST.fullmatch(digest):
            return False
        try:
            return await self._storage.has(_name(digest))
        except StorageUnavailable as error:
            raise ContentsUnavailable(f"the submission cannot be read: {error}") from error


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


def _name(digest: str) -> str:
    return f"{digest[:2]}/{digest}"
