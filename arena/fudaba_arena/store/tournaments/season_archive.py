"""The archive of finished seasons: their closed blocks move from the store to files, in the arena's folder or at a URL.

A file has up to `_MAX_LINES_PER_FILE` lines of the sequence (see `closed_block`), compressed. Its name says which
lines, and ends with the beginning of their SHA-256: so every writer makes the same file. Under `archived`, the store
lists the files with their full SHA-256.

The files are written first, and read again. Then one atomic step replaces the sequence by their names, if its length is
unchanged. A process that dies before that leaves files that the next one writes again. There is no state in between, so
no line is ever lost or doubled. If a store that loses its tail brings the sequence back, it is moved again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Self, final

import zstandard
from redis.asyncio import Redis

from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import known_fields, readable, with_unknown
from fudaba_arena.store.answers import StoreUnavailable, answer, key, read_at_once
from fudaba_serving.storage.urls import BadPlace, Storage, StorageUnavailable, storage_at

__all__ = ["Moved", "SeasonArchive", "SeasonUnavailable"]

_MAX_LINES_PER_FILE: Final = 5000
_MAX_FILE_BYTES: Final = 256 * 1024 * 1024
"""The largest size of a file."""
_PUT: Final = (
    "#!lua flags=allow-oom\n"  # the script frees memory, so it may run on a full store
    "if (redis.call('GET', KEYS[2]) or '') ~= ARGV[1] then return 0 end\n"
    "if redis.call('LLEN', KEYS[1]) ~= tonumber(ARGV[2]) then return 0 end\n"
    "redis.call('SET', KEYS[2], ARGV[3])\nredis.call('UNLINK', KEYS[1])\nreturn 1"
)


class SeasonUnavailable(StoreUnavailable):
    """The files of a finished season cannot be read or written now."""


@final
@dataclass(frozen=True, slots=True)
class _File:
    name: str
    entries: int
    """The number of lines of the sequence in it; stored under this name."""
    sha256: str
    """The SHA-256 of the lines, each followed by a line feed."""
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Fields that a later release has stored; they are kept."""


@final
@dataclass(frozen=True, slots=True)
class Moved:
    """The first lines of a sequence, which have left the store."""

    place: str = ""
    """The folder or URL of the files; empty for the one in the arena's folder."""
    files: tuple[_File, ...] = ()
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Fields that a later release has stored; they are kept."""

    @property
    def line_count(self) -> int:
        """The number of lines."""
        return sum(file.entries for file in self.files)

    def stored(self) -> bytes:
        """Returns its stored form."""
        return json.dumps(
            with_unknown(asdict(self) | {"files": [with_unknown(asdict(file)) for file in self.files]})
        ).encode()

    @classmethod
    def from_stored(cls, raw: bytes | None) -> Self:
        """Reads a stored value."""
        if raw is None:
            return cls()
        with readable("which files have the closed blocks of a season"):
            values = known_fields(cls, json.loads(raw), "the list of a season's files")
            files = (known_fields(_File, file, "a file of a season") for file in values["files"])
            return cls(**values | {"files": tuple(_File(**file) for file in files)})


@final
class SeasonArchive:
    """Writes and reads the files."""

    def __init__(self, redis: Redis, folder: Path | None, place: str = "") -> None:
        """`folder` is the archive in the arena's folder, None if there is none; `place` is another folder or a URL."""
        self._redis = redis
        self._folder = folder
        self._place = place
        self._storages: dict[str, Storage] = {}

    async def prepare(self) -> None:
        """Checks that files can be written to the configured place, if there is one. Raises `ArenaError`."""
        try:
            if self._place:
                await self._storage(self._place).prepare()
        except (BadPlace, StorageUnavailable) as error:
            raise ArenaError(f"--archive: {error}") from error

    async def move(self, name: str) -> int:
        """Moves the stored part of a tournament's sequence. Returns the number of blocks.

        Raises `StoreUnavailable`, `SeasonUnavailable` or `ArenaError`.
        """
        raw, length = await read_at_once(self._redis, ("GET", key(name, "archived")), ("LLEN", key(name, "closed")))
        before = Moved.from_stored(raw)
        if not length:
            return 0
        files = list(before.files)
        place = before.place if before.files else self._place
        for begin in range(0, length, _MAX_LINES_PER_FILE):
            lines = await answer(
                self._redis.lrange(key(name, "closed"), begin, min(begin + _MAX_LINES_PER_FILE, length) - 1)
            )
            if lines:
                files.append(await self._write(name, place, sum(file.entries for file in files) + 1, lines))
        after = replace(before, place=place, files=tuple(files))
        return length if await self._put(name, raw or b"", length, after) else 0

    async def pages(self, moved: Moved) -> AsyncIterator[list[bytes]]:
        """Yields the lines that have left the store, in order.

        Raises `SeasonUnavailable`, or `ArenaError` if they are damaged.
        """
        for file in moved.files:
            yield await self._read(moved.place, file)

    async def _put(self, name: str, before: bytes, length: int, after: Moved) -> bool:
        """Replaces the sequence by the names of the files. Returns False if either has changed meanwhile."""
        keys = key(name, "closed"), key(name, "archived")
        return bool(await answer(self._redis.eval(_PUT, 2, *keys, before, length, after.stored())))

    async def _write(self, name: str, place: str, first: int, lines: list[bytes]) -> _File:
        plain = b"".join(line + b"\n" for line in lines)
        digest = sha256(plain).hexdigest()
        file = _File(f"{name}/{first:09}-{digest[:16]}.blocks.zst", len(lines), digest)
        packed = await asyncio.to_thread(zstandard.ZstdCompressor(level=9).compress, plain)
        try:
            await self._storage(place).put(file.name, packed)
        except StorageUnavailable as error:
            raise SeasonUnavailable(str(error)) from error
        await self._read(place, file)
        return file

    async def _read(self, place: str, file: _File) -> list[bytes]:
        storage, packed = self._storage(place), None
        try:
            packed = await storage.read(file.name)
            if packed is None and self._place not in {"", place}:  # the files were moved to the current archive
                storage = self._storage(self._place)
                packed = await storage.read(file.name)
        except StorageUnavailable as error:
            raise SeasonUnavailable(str(error)) from error
        if packed is None:
            where = f"{storage.where} has no file {file.name}"
            raise SeasonUnavailable(f"{where}; bring it back, or name the place where it is with --archive")
        lines = await asyncio.to_thread(_unpacked, packed, file.sha256)
        if lines is None:
            raise ArenaError(
                f"{storage.where}/{file.name} is damaged: it is not what was written; bring it back from a backup"
            )
        return lines

    def _storage(self, place: str) -> Storage:
        place = place or str(self._folder or "")
        if not place:
            raise ArenaError("the blocks of this season lie in the arena's folder; name that with --data")
        if place not in self._storages:
            try:
                self._storages[place] = storage_at(place)
            except BadPlace as error:
                raise ArenaError(str(error)) from error
        return self._storages[place]


def _unpacked(packed: bytes, digest: str) -> list[bytes] | None:
    """Returns the lines in a file; None if their SHA-256 differs."""
    try:
        plain = zstandard.ZstdDecompressor().decompress(packed, max_output_size=_MAX_FILE_BYTES)
    except zstandard.ZstdError:
        return None
    return plain.split(b"\n")[:-1] if sha256(plain).hexdigest() == digest else None
