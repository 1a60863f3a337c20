"""Making a backup."""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Final

from fudaba.records import SUFFIX
from fudaba_service.archive import INDEX
from fudaba_service.backup.container import BackupContents, BackupError, Header, Moved, Writer, read
from fudaba_service.backup.store_copy import CopiedMatches, examine
from fudaba_serving.redis.store_commands import StoreCopyError
from fudaba_serving.redis.store_copy import copy_store

__all__ = ["DERIVED", "PARTS", "Bar", "back_up"]

Bar = Callable[[int, str], AbstractContextManager[Moved]]
"""Opens a progress bar over this many bytes, with a label."""

_STORE: Final = "store"
_ARCHIVE: Final = "archive"
PARTS: Final = ("arena", "service")
"""The data folders in the folder of `fudaba up`."""
# What a start makes anew: the lock of a run, and where its store listens.
_OF_A_RUN: Final = frozenset({"lock", "store.url"})
DERIVED: Final = "programs"
"""The folder of workers' unpacked and built submissions, which they make again if it is missing."""
TEMPORARY: Final = ".fudaba-"
"""The prefix of the names of unfinished files and folders."""
# A record is written, and then its match leaves the store; longer than this that never takes while the store answers.
_JUST_WRITTEN_SECONDS: Final = 600.0


def back_up(data: Path, file: Path, bar: Bar, *, external: bool = False) -> BackupContents:
    """Makes a backup of a data folder, which may be in use, and reads it again to verify it.

    `external` leaves out the store, because the service uses its own Redis. `file` must not exist; it appears when it
    is complete. Raises `BackupError`; then there is no file.
    """
    data, file = Path(os.path.abspath(data)), Path(os.path.abspath(file))  # noqa: PTH100  links stay as they are named
    _check(data, file)
    try:
        with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=file.parent) as made:
            temporary = Path(made)
            _write(data, temporary, external=external, bar=bar)
            with bar((temporary / "backup").stat().st_size, "verifying") as moved:
                contents = read(temporary / "backup", moved=moved)
            _publish(temporary / "backup", file)
            return contents
    except StoreCopyError as error:
        raise BackupError(str(error)) from error
    except OSError as error:
        raise BackupError(f"{error.filename or file}: {error.strerror or error}") from error


def _check(data: Path, file: Path) -> None:
    if not data.is_dir():
        raise BackupError(f"there is no data folder {data}; name the one that was given to --data")
    if not _parts(data):
        raise BackupError(f"{data} is not a data folder: it has neither a store nor an archive")
    if file.exists() or file.is_symlink():
        raise BackupError(f"{file} exists; name another file")
    if not file.parent.is_dir():
        raise BackupError(f"{file} cannot be created: {file.parent} is not a folder")
    if file.resolve().is_relative_to(data.resolve()):
        raise BackupError(f"{file} lies in the data folder, and would be in the next backup; name a file elsewhere")


def _parts(data: Path) -> list[PurePosixPath]:
    """Returns the data folders in a folder, in the order of copying: itself, or those of `fudaba up`.

    The arena's comes first: so the service's copy knows every match that the arena's knows.
    """
    if any((data / name).is_dir() for name in (_STORE, _ARCHIVE)):
        return [PurePosixPath()]
    return [PurePosixPath(name) for name in PARTS if (data / name / _STORE).is_dir()]


def _write(data: Path, temporary: Path, *, external: bool, bar: Bar) -> None:
    """Writes the backup to a file `backup` in its own folder."""
    files: list[tuple[PurePosixPath, Path]] = []
    parts, live, has_store = _parts(data), 0, False
    for part in parts:
        found, of_part, stored = _files_of(data / part, temporary / "stores" / part, external=external)
        files += [(part / path, place) for path, place in found]
        live, has_store = live + of_part, has_store or stored
    if parts != [PurePosixPath()]:
        files += [
            (PurePosixPath(entry.name), entry)
            for entry in sorted(data.iterdir())
            if stat.S_ISREG(entry.stat().st_mode) and not entry.name.startswith(TEMPORARY)
        ]
    header = Header(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        release=version("fudaba"),
        store="embedded" if has_store else "external",
        live_matches=live,
    )
    total = sum(place.stat().st_size for _, place in files if place.exists())
    # Tokens' hashes and the hands of live matches are in it.
    with open(os.open(temporary / "backup", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:  # noqa: PTH123
        writer = Writer(out, header)
        with bar(total, "backing up") as moved:
            for path, place in files:
                try:
                    source = place.open("rb")
                except FileNotFoundError:
                    continue  # the file was removed meanwhile; the store's copy and the records were not
                with source:
                    writer.add(path, source, moved)
        writer.finish()
        out.flush()
        os.fsync(out.fileno())


def _files_of(data: Path, copies: Path, *, external: bool) -> tuple[list[tuple[PurePosixPath, Path]], int, bool]:
    """Returns the files of one data folder, its number of live matches, and whether its store is included.

    The store is copied to a folder in `copies`.
    """
    began = time.time()
    store = copies / _STORE
    has_store = not external and (data / _STORE).is_dir()
    held = None
    if has_store:
        # The store first: whatever it says is over has its record by now.
        store.mkdir(mode=0o700, parents=True)
        if copy_store(data / _STORE, store):
            held = examine(store)
    files = [
        *((PurePosixPath(_STORE, *path.relative_to(store).parts), path) for path in _below(store)),
        *((path, place) for path, place in _others(data) if held is None or _belongs(path, place, held, began)),
    ]
    return files, len(held.live) if held is not None else 0, has_store


def _below(folder: Path) -> Iterator[Path]:
    """Yields the regular files below a folder, in order. Links to files count as files."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if path.is_symlink():
                raise BackupError(
                    f"{path} is a link to a folder, which a backup would miss; link the upper one instead"
                )
            yield from _below(path)
        elif path.is_file():
            yield path


def _others(data: Path) -> Iterator[tuple[PurePosixPath, Path]]:
    """Yields the files of a data folder without its store. Its top entries may be links to other folders."""
    for entry in sorted(data.iterdir()):
        if entry.name in {_STORE, DERIVED} or entry.name in _OF_A_RUN or entry.name.startswith(TEMPORARY):
            continue
        if not entry.is_dir():
            if stat.S_ISREG(entry.stat().st_mode):
                yield PurePosixPath(entry.name), entry
            continue
        for path in _below(entry):
            named = PurePosixPath(entry.name, *path.relative_to(entry).parts)
            # The archive's names with a dot are records being written; its index is made anew from the records.
            if not (entry.name == _ARCHIVE and (path.name.startswith(".") or named.parts[1] == INDEX)):
                yield named, path


def _belongs(path: PurePosixPath, place: Path, held: CopiedMatches, began: float) -> bool:
    """Returns whether a file belongs to the moment of the store's copy.

    A match that is live in the copy must have no record beside it, whatever happened since. For a match younger than
    the copy, it is unknown whether its record may be shown.
    """
    if path.parts[0] != _ARCHIVE or path.suffix != SUFFIX:
        return True
    if path.stem in held.live:
        return False
    if path.stem in held.over:
        return True
    try:
        return place.stat().st_mtime < began - _JUST_WRITTEN_SECONDS
    except FileNotFoundError:
        return False


def _publish(made: Path, file: Path) -> None:
    """Gives a complete file its name. It never overwrites an existing file."""
    try:
        os.link(made, file)
    except FileExistsError:
        raise BackupError(f"{file} exists by now; name another file") from None
    except OSError:  # a file system without links
        if file.exists():
            raise BackupError(f"{file} exists by now; name another file") from None
        made.rename(file)
    descriptor = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
