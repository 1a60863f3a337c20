"""Stores submissions in a folder or at a URL under their SHA-256. Equal ones are stored once, and none ever changes.

Every read is hashed again, so a reader gets what was stored or an error that it is damaged. Storing the right content
again mends it. Contents come from files and go to files, and are never in memory as a whole.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Final, final

from fudaba_arena.errors import ArenaError
from fudaba_serving.storage.urls import BadPlace, Storage, StorageUnavailable, storage_at

__all__ = ["ContentsDamaged", "ContentsUnavailable", "KeptContents", "hash_of"]

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@final
class ContentsUnavailable(ArenaError):
    """Submissions cannot be read or written now."""


@final
class ContentsDamaged(ArenaError):
    """A stored file is not what was submitted."""


@final
class KeptContents:
    """The bytes of submissions, by their hash. All methods but `prepare` raise `ContentsUnavailable`."""

    def __init__(self, place: str) -> None:
        """Opens a folder or a URL. Raises `ArenaError` for a place that is neither."""
        try:
            self._storage: Storage = storage_at(place)
        except BadPlace as error:
            raise ArenaError(str(error)) from error

    async def prepare(self) -> None:
        """Checks that the storage can be written. Raises `ArenaError`."""
        try:
            await self._storage.prepare()
        except (BadPlace, StorageUnavailable) as error:
            raise ArenaError(str(error)) from error

    async def put(self, source: Path, digest: str) -> None:
        """Stores the content of a file with this hash, unless it is already stored. Afterwards it is on disk.

        Raises `OSError` if the file cannot be read.
        """
        name = _name(digest)
        try:
            if not await self._storage.create_from(name, source) and await self._kept_hash(name) != digest:
                await self._storage.put_from(name, source)
        except StorageUnavailable as error:
            raise ContentsUnavailable(f"the submission cannot be kept: {error}") from error

    async def fetch(self, digest: str, into: Path) -> bool:
        """Writes a content to a file. Returns False if there is none with this hash.

        Raises `ContentsDamaged`, and `OSError` if the file cannot be written; the part already written stays.
        """
        if not _DIGEST.fullmatch(digest):
            return False
        hashed = sha256()
        file = await asyncio.to_thread(into.open, "wb")
        try:
            with file:
                async for piece in self._storage.pieces(_name(digest)):
                    await asyncio.to_thread(file.write, piece)
                    await asyncio.to_thread(hashed.update, piece)
        except FileNotFoundError:
            return False
        except StorageUnavailable as error:
            raise ContentsUnavailable(f"the submission cannot be read: {error}") from error
        if hashed.hexdigest() != digest:
            raise ContentsDamaged(
                f"{self._storage.where}/{_name(digest)} is damaged: it has another hash than its name says. Bring it "
                "back from a backup, or have its author submit it again"
            )
        return True

    async def remove(self, digests: Collection[str]) -> None:
        """Removes contents. Missing ones are ignored."""
        try:
            await self._storage.remove([_name(digest) for digest in digests])
        except StorageUnavailable as error:
            raise ContentsUnavailable(f"what was refused cannot be removed: {error}") from error

    async def has(self, digest: str) -> bool:
        """Returns whether a content is stored, without reading it."""
        if not _DIGEST.fullmatch(digest):
            return False
        try:
            return await self._storage.has(_name(digest))
        except StorageUnavailable as error:
            raise ContentsUnavailable(f"the submission cannot be read: {error}") from error

    async def _kept_hash(self, name: str) -> str:
        """Returns the hash of a stored file; empty if it is gone."""
        hashed = sha256()
        try:
            async for piece in self._storage.pieces(name):
                await asyncio.to_thread(hashed.update, piece)
        except FileNotFoundError:
            return ""
        return hashed.hexdigest()


def hash_of(path: Path) -> str:
    """Returns the SHA-256 of a file's content, read in pieces. Raises `OSError`."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _name(digest: str) -> str:
    return f"{digest[:2]}/{digest}"
