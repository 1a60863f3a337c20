"""Restoring a backup into an empty folder."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Final

from fudaba_service.backup.container import BackupContents, BackupError, Bar
from fudaba_service.backup.making import DERIVED, PARTS, TEMPORARY
from fudaba_service.backup.reading import read
from fudaba_service.backup.store_copy import examine
from fudaba_serving.process.folder_lock import holder
from fudaba_serving.redis.store_commands import StoreCopyError, check_commands, is_store_file

__all__ = ["check_destination", "in_part", "new_file", "restore"]

_STORE: Final = "store"
_IGNORED: Final = frozenset({"lost+found"})
_OWNER_MODE: Final = 0o600
_GROUP_READ_MODE: Final = 0o040
"""The mode bits that a backup may set on a file: only its owner writes or runs it, and others cannot read it."""


def restore(file: Path, data: Path, bar: Bar, identity: Path | None = None) -> BackupContents:
    """Restores a backup into a folder that is empty or does not exist.

    Everything is verified, and the store is loaded once, before the folder gets any of it. Raises `BackupError`; then
    the folder is unchanged. `identity` is that of `read`.
    """
    data = Path(os.path.abspath(data))  # noqa: PTH100  links stay as they are named
    check_destination(file, data)
    try:
        with _staging(data) as staging:
            times: dict[Path, float] = {}
            now = time.time()

            def place(path: PurePosixPath, info: tarfile.TarInfo) -> IO[bytes] | None:
                own = in_part(path)
                if own.parts[0] == DERIVED:
                    return None
                if own.parts[0] == _STORE and not is_store_file(own.relative_to(_STORE)):
                    raise BackupError(f"{file} is not a backup: {str(path)!r} does not belong into one")
                times[staging / path] = info.mtime if 0 <= info.mtime <= now else now
                return new_file(staging / path, _OWNER_MODE | info.mode & _GROUP_READ_MODE)

            with bar(file.stat().st_size, "restoring") as moved:
                contents = read(file, place, moved, identity)
            for path, at in times.items():
                os.utime(path, (at, at))
            for store in _stores(staging):
                if store.is_dir():
                    check_commands(store)
                    examine(store)
            os.sync()
            _move(staging, data)
            os.sync()
            return contents
    except StoreCopyError as error:
        raise BackupError(f"{error}; take another backup") from error
    except OSError as error:
        raise BackupError(f"{error.filename or data}: {error.strerror or error}") from error


def in_part(path: PurePosixPath) -> PurePosixPath:
    """Returns a file's path in its data folder, which may be one of those of `fudaba up`."""
    return path.relative_to(path.parts[0]) if path.parts[0] in PARTS and len(path.parts) > 1 else path


def _stores(data: Path) -> list[Path]:
    """Returns the paths of the stores in a data folder, or in one of `fudaba up`."""
    return [data / _STORE, *(data / part / _STORE for part in PARTS)]


def check_destination(file: Path, data: Path) -> None:
    """Checks that a backup can be restored into a folder. Raises `BackupError`."""
    if not file.is_file():
        raise BackupError(f"there is no file {file}")
    if not data.exists() and not data.is_symlink():
        if not data.parent.is_dir():
            raise BackupError(f"{data} cannot be created: {data.parent} is not a folder; create that first")
        return
    if not data.is_dir():
        raise BackupError(f"{data} is not a folder; name another place")
    for locked in (*_stores(data), data):
        lock_holder = holder(locked)
        if lock_holder is not None:
            raise BackupError(
                f"{data} is in use by {lock_holder}; restore into another folder, and start the service there"
            )
    there = _entries(data)
    if there:
        raise BackupError(f"{data} is not empty: it has {there[0]}; restore into a new folder, or empty this one")


def _entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in _IGNORED)


@contextmanager
def _staging(data: Path) -> Iterator[Path]:
    """Yields a folder on the file system of `data`, removed afterwards: inside an empty folder, which may be a mount
    point.
    """
    made = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=data if data.is_dir() else data.parent))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=not made.exists())


def new_file(place: Path, mode: int) -> IO[bytes]:
    """Opens a new file with mode bits, and makes the folders above it."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = open(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")  # noqa: PTH123, SIM115  `read` closes
    os.fchmod(file.fileno(), mode)
    return file


def _move(staging: Path, data: Path) -> None:
    """Moves verified files to their destination."""
    if not data.exists():
        staging.rename(data)
        return
    others = [name for name in _entries(data) if name != staging.name]
    if others:
        raise BackupError(f"{data} is not empty any more: {others[0]} has appeared; restore into a new folder")
    # The store last: a service that is started too early finds a folder that it cannot have written.
    for entry in sorted(staging.iterdir(), key=lambda path: path.name == _STORE):
        entry.rename(data / entry.name)
