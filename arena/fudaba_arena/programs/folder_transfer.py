"""The folders that versions keep between matches: taken to a worker for a match, and given back afterwards.

A version has its own kept folder in each ladder. It is an archive beside the submissions, in a folder or URL that all
workers share; the arena's store says which archive. An archive never changes. A match writes a new one, and the store
names it only once it is complete. So no death of a worker loses the earlier archive.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, final

import zstandard

from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.programs.host_steps import Scratch
from fudaba_arena.sandbox.folder_archive import KeptFiles
from fudaba_arena.store.answers import StoreUnavailable
from fudaba_arena.store.bots.kept_folders import FolderOwner, KeptFolder, KeptFolders
from fudaba_arena.submissions.contents import hash_of
from fudaba_serving.storage.urls import BadPlace, Storage, StorageUnavailable, storage_at

__all__ = ["ARCHIVE", "FolderTransfer", "Held"]

ARCHIVE: Final = "kept.tar"
"""The name of a match's archive, in a folder of its own."""
_PACKED: Final = "kept.tar.zst"
"""The compressed archive, as it is stored."""
_ZSTD_LEVEL: Final = 3
_MAX_TRIES: Final = 3
_POLL_SECONDS: Final = 5.0


@final
@dataclass(frozen=True, slots=True)
class Held:
    """The kept files of a version during a match."""

    whose: FolderOwner
    scratch: Scratch
    """The match's folder for the files."""
    kept: KeptFiles
    match: str
    """The match to which the files belong in the store; empty if the match's files are not kept."""
    sha256: str
    """The SHA-256 of the earlier archive; empty if there was none."""


@final
class FolderTransfer:
    """Fetches kept folders for matches, and writes them back after these; an arena removes the rest."""

    def __init__(
        self,
        place: str,
        folders: KeptFolders,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        """`place` is where submissions are kept. Raises `ArenaError`."""
        self._now_ms = now_ms
        try:
            self._storage: Storage = storage_at(place)
        except BadPlace as error:
            raise ArenaError(str(error)) from error
        self._folders = folders

    async def take(self, whose: FolderOwner, match_id: str, scratch: Scratch, *, lasts: bool) -> Held:
        """Gives a match the kept files of a version, in a folder of its own on this host.

        If it `lasts`, the match owns the files until they are given back; else it gets a copy. Raises `ArenaError`,
        `StoreUnavailable`, `OSError`.
        """
        kept, match = KeptFiles(scratch.folder / ARCHIVE), f"{match_id} {secrets.token_hex(8)}" if lasts else ""
        for _ in range(_MAX_TRIES):
            found = await self._folders.take(whose, match) if lasts else await self._folders.get(whose)
            if found is None:
                return Held(whose, scratch, kept, match, "")
            packed = scratch.folder / _PACKED
            if await self._fetch(found.name, packed):
                kept.size, kept.files = found.size, found.files
                unpacking = packed, found.sha256, kept.archive, whose
                await scratch.step("unpacking what the bot keeps", _unpacked, *unpacking)
                return Held(whose, scratch, kept, match, found.sha256)
        raise ArenaError(f"{_wording(whose)} is not in {self._storage.where}; {_ADVICE}")

    async def give_back(self, held: Held) -> str:
        """Keeps the files that a match has left. Returns for the author why they are not kept, or nothing.

        Raises `StoreUnavailable`, and `ArenaError` if the archive cannot be written: then nothing has changed.
        """
        if not held.match:
            return "what it wrote to its folder is not kept: the match counts in no ladder"
        now = await self._written(held)
        if await self._folders.give_back(held.whose, held.match, now, self._now_ms()):
            return ""
        return "what it wrote to its folder is not kept: the folder was emptied meanwhile, or another match has it"

    async def _written(self, held: Held) -> KeptFolder | None:
        """Writes the files of a match to their place. Returns None if they are unchanged."""
        kept, whose = held.kept, held.whose
        if not kept.archive.exists():
            return None
        packed = held.scratch.folder / _PACKED
        digest = await held.scratch.step("packing what the bot keeps", _packed, kept.archive, held.sha256, packed)
        if digest == held.sha256:
            return None
        name = f"kept/{whose.bot}@{whose.version}-{secrets.token_hex(8)}.tar.zst"
        await self._folders.begin_writing(name, self._now_ms())
        try:
            await self._storage.put_from(name, packed)
        except StorageUnavailable as error:
            raise ArenaError(f"{_wording(whose)} cannot be written: {error}") from error
        return KeptFolder(name, digest, kept.size, kept.files, self._now_ms())

    async def tidy(self) -> None:
        """Removes the archives that are no longer needed. Raises `StoreUnavailable`, `StorageUnavailable`."""
        names = await self._folders.unneeded(self._now_ms())
        await self._storage.remove(names)
        await self._folders.removed(names)

    async def run(self, say: Say) -> None:
        """Tidies at intervals, until cancelled."""
        while True:
            try:
                await self.tidy()
            except (StoreUnavailable, StorageUnavailable) as error:
                say(f"folders that bots no longer keep cannot be removed yet: {error}; trying again")
            await asyncio.sleep(_POLL_SECONDS)

    async def _fetch(self, name: str, into: Path) -> bool:
        """Writes an archive to a file. Returns False if it does not exist. Raises `ArenaError`, `OSError`."""
        file = await asyncio.to_thread(into.open, "wb")
        try:
            with file:
                async for piece in self._storage.pieces(name):
                    await asyncio.to_thread(file.write, piece)
        except FileNotFoundError:
            return False
        except StorageUnavailable as error:
            raise ArenaError(f"what a bot keeps cannot be read: {error}") from error
        return True


_ADVICE: Final = "bring it back from a backup, or have its author empty it with `fudaba bot kept BOT --empty`"


def _wording(whose: FolderOwner) -> str:
    return f"what {whose.bot}@{whose.version} keeps in {whose.ladder}"


def _unpacked(packed: Path, digest: str, archive: Path, whose: FolderOwner) -> None:
    """Writes the decompressed archive. Raises `ArenaError` if it is damaged."""
    hashed = sha256()
    try:
        with packed.open("rb") as source, archive.open("wb") as file:
            for piece in zstandard.ZstdDecompressor().read_to_iter(source):
                hashed.update(piece)
                file.write(piece)
    except zstandard.ZstdError:
        hashed = sha256()
    if hashed.hexdigest() != digest:
        archive.unlink()
        raise ArenaError(f"{_wording(whose)} is damaged; {_ADVICE}")


def _packed(archive: Path, before: str, into: Path) -> str:
    """Returns the hash of an archive, and compresses it into a file unless the hash is unchanged."""
    digest = hash_of(archive)
    if digest != before:
        with archive.open("rb") as source, into.open("wb") as file:
            zstandard.ZstdCompressor(level=_ZSTD_LEVEL).copy_stream(source, file, size=archive.stat().st_size)
    return digest
