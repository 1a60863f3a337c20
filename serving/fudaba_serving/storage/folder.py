"""A storage in a folder. It writes as carefully as a database: atomically, and to the disk before a call returns."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from fudaba_serving.storage.contract import StorageUnavailable

__all__ = ["FolderStorage"]

_PIECE_BYTES: Final = 4 * 1024 * 1024
_NEW: Final = ".new-"
"""The prefix of a file's name while the file is being written."""
_LEFT: Final = re.compile(r"\.new-[a-z0-9_]{8}")
_LEFT_EARLIER: Final = re.compile(r"\.(new-)?[a-z0-9_]{8}")
"""The names of unfinished files, also of those that earlier releases left.

Files of other programs might have such names, too.
"""
_SHARD_CHARS: Final = 2
"""The length of the name of a folder that contains only files of a storage."""
_LEFT_SECONDS: Final = 86_400.0
"""The age in seconds, since the last write, at which an unfinished file has lost its writer.

A folder is swept once in this time at most.
"""


@final
class FolderStorage:
    """See `Storage`. Files lie in folders below this one, no deeper than their names say."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._swept: dict[Path, float] = {}
        """For each folder, the monotonic time until which it is not swept again."""

    @property
    def where(self) -> str:
        """See `Storage`."""
        return str(self._folder)

    def path(self, name: str) -> Path:
        """Returns the path at which a file is, or will be."""
        return self._folder / name

    async def prepare(self) -> None:
        """See `Storage`."""
        await asyncio.to_thread(self._prepare)

    async def read(self, name: str) -> bytes | None:
        """See `Storage`."""
        return await asyncio.to_thread(self._read, name)

    async def has(self, name: str) -> bool:
        """See `Storage`."""
        return await asyncio.to_thread(self._has, name)

    async def pieces(self, name: str) -> AsyncIterator[bytes]:
        """See `Storage`."""
        try:
            file = await asyncio.to_thread(self.path(name).open, "rb")
            try:
                while piece := await asyncio.to_thread(file.read, _PIECE_BYTES):
                    yield piece
            finally:
                file.close()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StorageUnavailable(f"{self.path(name)} cannot be read: {error}") from error

    async def read_all(self, names: Sequence[str]) -> list[bytes | None]:
        """See `Storage`."""
        return await asyncio.to_thread(lambda: [self._read(name) for name in names])

    async def create(self, name: str, content: bytes) -> bool:
        """See `Storage`."""
        return await asyncio.to_thread(self._write, name, content, replace=False)

    async def create_from(self, name: str, source: Path) -> bool:
        """See `Storage`."""
        return await asyncio.to_thread(self._write, name, source, replace=False)

    async def put_from(self, name: str, source: Path) -> None:
        """See `Storage`."""
        await asyncio.to_thread(self._write, name, source, replace=True)

    async def put(self, name: str, content: bytes) -> None:
        """See `Storage`."""
        await asyncio.to_thread(self._write, name, content, replace=True)

    async def remove(self, names: Sequence[str]) -> None:
        """See `Storage`."""
        await asyncio.to_thread(self._remove, names)

    async def names(self, suffix: str) -> AsyncIterator[list[str]]:
        """See `Storage`."""
        for folder in await asyncio.to_thread(lambda: sorted(path for path in self._folder.glob("*") if path.is_dir())):
            if found := await asyncio.to_thread(lambda: sorted(folder.glob(f"*{suffix}"))):  # noqa: B023  # awaited here
                yield [f"{folder.name}/{path.name}" for path in found if not path.name.startswith(".")]

    def _prepare(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._folder):
                pass
            for path in (self._folder, *self._folder.iterdir()):
                if path.is_dir():
                    self._sweep(path)
        except OSError as error:
            there = next((ancestor for ancestor in (self._folder, *self._folder.parents) if ancestor.exists()), None)
            why = f"{there} is not a folder" if there is not None and not there.is_dir() else error.strerror
            raise StorageUnavailable(f"the folder {self._folder} cannot be written: {why}") from error

    def _has(self, name: str) -> bool:
        try:
            self.path(name).stat()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StorageUnavailable(f"{self.path(name)} cannot be read: {error}") from error
        return True

    def _read(self, name: str) -> bytes | None:
        try:
            return self.path(name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageUnavailable(f"{self.path(name)} cannot be read: {error}") from error

    def _write(self, name: str, content: bytes | Path, *, replace: bool) -> bool:
        path = self.path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._give_to_owner(path.parent)
            self._sweep(path.parent)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=_NEW, delete=False) as file:
                try:
                    self._give_to_owner(file.name)
                    if isinstance(content, bytes):
                        file.write(content)
                    else:
                        with content.open("rb") as source:
                            shutil.copyfileobj(source, file, _PIECE_BYTES)
                    file.flush()
                    os.fsync(file.fileno())
                    stands = _publish(Path(file.name), path, replace=replace)
                finally:
                    Path(file.name).unlink(missing_ok=True)
            _sync(path.parent)
        except OSError as error:
            raise StorageUnavailable(f"{path} cannot be written: {error}") from error
        return stands

    def _sweep(self, folder: Path) -> None:
        """Removes the unfinished files that killed processes left, unless that was done recently.

        Skips a folder that it may not read: it may belong to another user, as `lost+found` does on a separate disk.
        """
        if time.monotonic() < self._swept.get(folder, 0.0):
            return
        self._swept[folder] = time.monotonic() + _LEFT_SECONDS
        left = _LEFT_EARLIER if len(folder.name) == _SHARD_CHARS and folder != self._folder else _LEFT
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") and left.fullmatch(entry.name):
                    with suppress(FileNotFoundError):  # it got its name just now, or another process sweeps
                        about = entry.stat(follow_symlinks=False)
                        if stat.S_ISREG(about.st_mode) and time.time() - about.st_mtime > _LEFT_SECONDS:
                            Path(entry.path).unlink()

    def _give_to_owner(self, path: Path | str) -> None:
        """Gives files that root creates to the owner of the storage's folder, because the two may share the storage.

        Raises `OSError`.
        """
        if os.geteuid() == 0:
            owner = self._folder.stat()
            os.chown(path, owner.st_uid, owner.st_gid)

    def _remove(self, names: Sequence[str]) -> None:
        try:
            for name in names:
                self.path(name).unlink(missing_ok=True)
        except OSError as error:
            raise StorageUnavailable(f"{error.filename} cannot be removed: {error.strerror}") from error


def _publish(written: Path, path: Path, *, replace: bool) -> bool:
    """Gives a file its name. Returns False if another file has the name and must not be replaced."""
    if replace:
        written.replace(path)
        return True
    try:
        path.hardlink_to(written)
    except FileExistsError:
        return False
    return True


def _sync(folder: Path) -> None:
    """Writes the names in a folder to the disk, because a caller deletes a thing elsewhere as soon as it is stored
    here.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
