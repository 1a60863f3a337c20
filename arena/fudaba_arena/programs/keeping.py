"""The folders that versions keep from match to match: taken to a worker for a match, and given back afterwards.

What a version keeps belongs to it in one ladder. It is an archive beside what was submitted, at a folder or URL that
all workers share; which archive it is, the arena's store says. An archive never changes: a match leaves a new one, and
only once that is written does the store name it. So what was there before is lost in no way that a worker can die.
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

from fudaba.storage import BadPlace, Storage, StorageUnavailable, storage_at
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.programs.host_steps import host_step
from fudaba_arena.sandbox.kept import Kept
from fudaba_arena.store.answers import StoreUnavailable
from fudaba_arena.store.kept_folders import KeptFolder, KeptFolders, Whose

__all__ = ["ARCHIVE", "Held", "Keeping"]

ARCHIVE: Final = "kept.tar"
"""What the archive of a match is called, in a folder of its own."""
_LEVEL: Final = 3
_TRIES: Final = 3
_LOOK: Final = 5.0


@final
@dataclass(frozen=True, slots=True)
class Held:
    """What a version keeps, as a match has it."""

    whose: Whose
    kept: Kept
    match: str
    """Whose it is in the store; empty where what the match leaves is not kept."""
    sha256: str
    """Of the archive as it was; empty for none."""


@final
class Keeping:
    """The operations of one worker or arena."""

    def __init__(
        self,
        place: str,
        folders: KeptFolders,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        """`place` is where submissions are. Raises `ArenaError`."""
        self._now_ms = now_ms
        try:
            self._storage: Storage = storage_at(place)
        except BadPlace as error:
            raise ArenaError(str(error)) from error
        self._folders = folders

    async def take(self, whose: Whose, match_id: str, folder: Path, *, lasts: bool) -> Held:
        """Has a match find what a version keeps, in a folder of the match's own on this host.

        Where it `lasts`, the folder is the match's until it is given back; else the match gets a copy. Raises
        `ArenaError`, `StoreUnavailable`, `OSError`.
        """
        kept, match = Kept(folder / ARCHIVE), f"{match_id} {secrets.token_hex(8)}" if lasts else ""
        for _ in range(_TRIES):
            found = await self._folders.take(whose, match) if lasts else await self._folders.get(whose)
            if found is None:
                return Held(whose, kept, match, "")
            content = await self._read(found.name)
            if content is not None:
                kept.size, kept.files = found.size, found.files
                await host_step("unpacking what the bot keeps", _unpacked, content, found.sha256, kept.archive, whose)
                return Held(whose, kept, match, found.sha256)
        raise ArenaError(f"{_what(whose)} is not in {self._storage.where}; {_ADVICE}")

    async def give_back(self, held: Held) -> str:
        """Keeps what a match has left; why not, for the author, or nothing.

        Raises `StoreUnavailable`, and `ArenaError` when the archive cannot be written: then everything is as it was.
        """
        if not held.match:
            return "what it wrote to its folder is not kept: the match counts in no ladder"
        now = await self._written(held)
        if await self._folders.give_back(held.whose, held.match, now, self._now_ms()):
            return ""
        return "what it wrote to its folder is not kept: the folder was emptied meanwhile, or another match has it"

    async def _written(self, held: Held) -> KeptFolder | None:
        """What a match has left, in its place; None where that is as it was."""
        kept, whose = held.kept, held.whose
        if not kept.archive.exists():
            return None
        digest, content = await host_step("packing what the bot keeps", _packed, kept.archive, held.sha256)
        if not content:
            return None
        name = f"kept/{whose.bot}@{whose.version}-{secrets.token_hex(8)}.tar.zst"
        await self._folders.begin_writing(name, self._now_ms())
        try:
            await self._storage.put(name, content)
        except StorageUnavailable as error:
            raise ArenaError(f"{_what(whose)} cannot be written: {error}") from error
        return KeptFolder(name, digest, kept.size, kept.files, self._now_ms())

    async def tidy(self) -> None:
        """Removes the archives that nobody needs any more. Raises `StoreUnavailable`, `StorageUnavailable`."""
        names = await self._folders.unneeded(self._now_ms())
        await self._storage.remove(names)
        await self._folders.removed(names)

    async def run(self, say: Say) -> None:
        """Does so now and then, for ever."""
        while True:
            try:
                await self.tidy()
            except (StoreUnavailable, StorageUnavailable) as error:
                say(f"what bots no longer keep is not removed: {error}; trying again")
            await asyncio.sleep(_LOOK)

    async def _read(self, name: str) -> bytes | None:
        try:
            return await self._storage.read(name)
        except StorageUnavailable as error:
            raise ArenaError(f"what a bot keeps cannot be read: {error}") from error


_ADVICE: Final = "bring it back from a backup, or have its author empty it with `fudaba bot kept BOT --empty`"


def _what(whose: Whose) -> str:
    return f"what {whose.bot}@{whose.version} keeps in {whose.ladder}"


def _unpacked(content: bytes, digest: str, archive: Path, whose: Whose) -> None:
    """Writes an archive as it was. Raises `ArenaError` for one that is damaged."""
    hashed = sha256()
    try:
        with archive.open("wb") as file:
            for piece in zstandard.ZstdDecompressor().read_to_iter(content):
                hashed.update(piece)
                file.write(piece)
    except zstandard.ZstdError:
        hashed = sha256()
    if hashed.hexdigest() != digest:
        archive.unlink()
        raise ArenaError(f"{_what(whose)} is damaged; {_ADVICE}")


def _packed(archive: Path, before: str) -> tuple[str, bytes]:
    """The hash of an archive, and it compressed; nothing where the hash is the one before."""
    with archive.open("rb") as file:
        digest = sha256()
        while piece := file.read(1 << 20):
            digest.update(piece)
        if digest.hexdigest() == before:
            return before, b""
        file.seek(0)
        return digest.hexdigest(), zstandard.ZstdCompressor(level=_LEVEL).compress(file.read())
