"""Making a backup."""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Final, Literal, final

from fudaba.records import SUFFIX
from fudaba_service.archive import INDEX
from fudaba_service.backup.container import BackupContents, BackupError, Bar, Header, Writer
from fudaba_service.backup.encryption import check_recipients, encrypting
from fudaba_service.backup.names import new_name
from fudaba_service.backup.pace import Pace
from fudaba_service.backup.reading import read
from fudaba_service.backup.scratch import scratch_folder
from fudaba_service.backup.store_copy import CopiedStore, examine
from fudaba_serving.redis.sentinel import shown
from fudaba_serving.redis.snapshot import snapshot_store
from fudaba_serving.redis.store_commands import StoreCopyError, check_commands
from fudaba_serving.redis.store_copy import copy_store

__all__ = [
    "DERIVED",
    "OF_AN_ARENA",
    "PARTS",
    "Encryption",
    "Part",
    "Sources",
    "back_up",
    "other_files",
    "part_in",
    "service_id",
]

_STORE: Final = "store"
_ARCHIVE: Final = "archive"
Part = Literal["arena", "service"]
PARTS: Final[tuple[Part, ...]] = ("arena", "service")
"""The data folders in the folder of `fudaba up`."""
# What a start makes anew: the lock of a run, and where its store listens.
_OF_A_RUN: Final = frozenset({"lock", "store.url"})
DERIVED: Final = "programs"
"""The folder of workers' unpacked and built submissions, which they make again if it is missing."""
_SERVICE_ID: Final = "service.id"
"""The file in an arena's folder with the id of its service."""
OF_AN_ARENA: Final = ("id", _SERVICE_ID)
"""Files that an arena's folder has, and a service's has not."""
TEMPORARY: Final = ".fudaba-"
"""The prefix of the names of unfinished files and folders."""
# A record is written, and then its match leaves the store; longer than this that never takes while the store answers.
_JUST_WRITTEN_SECONDS: Final = 600.0


@final
@dataclass(frozen=True, slots=True)
class Sources:
    """A data folder, and the stores that are not in it."""

    data: Path
    urls: Mapping[Part, str] = field(default_factory=dict)
    """The URL of the Redis that a part uses instead of an embedded store."""
    without_store: bool = False
    """Whether to leave the stores out."""

    @property
    def parts(self) -> list[PurePosixPath]:
        """The data folders in the folder, in the order of copying: itself, or those of `fudaba up`.

        The arena's comes first: so the service's copy knows every match that the arena's knows.
        """
        if any((self.data / name).is_dir() for name in (_STORE, _ARCHIVE)):
            return [PurePosixPath()]
        found = [
            PurePosixPath(name)
            for name in PARTS
            if any((self.data / name / inner).is_dir() for inner in (_STORE, _ARCHIVE))
            or (name in self.urls and (self.data / name).is_dir())
        ]
        return found or ([PurePosixPath()] if self.urls else [])

    def url(self, part: PurePosixPath) -> str | None:
        """Returns the URL of a part's Redis; None for an embedded store."""
        return self.urls.get(self.kind(part))

    def kind(self, part: PurePosixPath) -> Part:
        """Returns whose data folder a part is."""
        return next((name for name in PARTS if part.name == name), None) or part_in(self.data)


@final
@dataclass(frozen=True, slots=True)
class Encryption:
    """For whom a backup is encrypted, and with what it is verified."""

    recipients: Sequence[str] = ()
    """See `encrypting`. Without one it is not encrypted."""
    identity: Path | None = None
    """A recipient's identity file. Without one, an encrypted backup cannot be verified."""


def back_up(
    sources: Sources, place: Path, bar: Bar, pace: Pace, encryption: Encryption | None = None
) -> tuple[Path, BackupContents]:
    """Makes a backup of a data folder, which may be in use, and reads it again to verify it, if it can.

    `place` is a file that does not exist, or a folder, in which the backup gets a name of its own. Returns the file,
    which appears when it is complete. Raises `BackupError`; then there is no file. Of an encrypted backup nothing else
    is ever in its folder: the copies of stores are in the system's temporary folder.
    """
    data, place = (Path(os.path.abspath(path)) for path in (sources.data, place))  # noqa: PTH100  links stay as named
    sources, bar = replace(sources, data=data), pace.keeping(bar)
    folder = place if place.is_dir() else place.parent
    _check(sources, place, folder)
    encryption = encryption or Encryption()
    encrypted = bool(encryption.recipients)
    try:
        if encrypted:
            check_recipients(encryption.recipients)
        with ExitStack() as stack:
            made = stack.enter_context(scratch_folder(folder)) / "backup"
            copies = stack.enter_context(scratch_folder(Path(tempfile.gettempdir()))) if encrypted else made.parent
            contents = _write(sources, made, copies / "stores", encryption.recipients, bar, pace)
            if not encrypted or encryption.identity is not None:
                with bar(made.stat().st_size, "verifying") as moved:
                    contents = read(made, moved=moved, identity=encryption.identity)
            file = place / new_name(contents.header, is_encrypted=encrypted) if place == folder else place
            _publish(made, file)
            return file, contents
    except StoreCopyError as error:
        raise BackupError(str(error)) from error
    except OSError as error:
        raise BackupError(f"{error.filename or place}: {error.strerror or error}") from error


def _check(sources: Sources, place: Path, folder: Path) -> None:
    data = sources.data
    if not data.is_dir():
        raise BackupError(f"there is no data folder {data}; name the one that was given to --data")
    if not sources.parts:
        raise BackupError(f"{data} is not a data folder: it has neither a store nor an archive")
    for part in sources.parts if not sources.without_store else ():
        named = part.parts or sources.urls
        if named and sources.url(part) is None and not (data / part / _STORE).is_dir():
            kind = sources.kind(part)
            option = "--redis" if kind == "service" else "--arena-redis"
            raise BackupError(
                f"{data / part}, a data folder of the {kind}, has no store: name its Redis with {option}, or leave the"
                " stores out with --without-store"
            )
    if place != folder and (place.exists() or place.is_symlink()):
        raise BackupError(f"{place} exists; name another file")
    if not folder.is_dir():
        raise BackupError(f"{place} cannot be created: {folder} is not a folder")
    if place.resolve().is_relative_to(data.resolve()):
        raise BackupError(f"{place} lies in the data folder, and would be in the next backup; name a file elsewhere")


def _write(
    sources: Sources, made: Path, copies: Path, recipients: Sequence[str], bar: Bar, pace: Pace
) -> BackupContents:
    """Writes the backup to a new file `made`. The stores are copied to folders in `copies`."""
    data = sources.data
    files: list[tuple[PurePosixPath, Path]] = []
    parts, live, services, has_store = sources.parts, 0, set[str](), False
    for part in parts:
        found, held = _files_of(sources, part, copies / part, pace)
        files += [(part / path, place) for path, place in found]
        has_store = has_store or (copies / part / _STORE).is_dir()
        services.add((held.service if held is not None else "") or service_id(data / part))
        live += len(held.live) if held is not None else 0
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
        parts=" ".join(sources.kind(part) for part in parts),
        service=known.pop() if len(known := services - {""}) == 1 else "",
    )
    total = sum(place.stat().st_size for _, place in files if place.exists())
    # Tokens' hashes and the hands of live matches are in it.
    with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:  # noqa: PTH123
        sealed = encrypting(out, recipients) if recipients else nullcontext(out)
        with bar(total, "backing up") as moved, sealed as target:
            writer = Writer(target, header, moved)
            for path, place in files:
                try:
                    source = place.open("rb")
                except FileNotFoundError:
                    continue  # the file was removed meanwhile; the store's copy and the records were not
                with source:
                    writer.add(path, source)
            writer.finish()
        out.flush()
        os.fsync(out.fileno())
    return writer.contents


def _files_of(
    sources: Sources, part: PurePosixPath, copies: Path, pace: Pace
) -> tuple[list[tuple[PurePosixPath, Path]], CopiedStore | None]:
    """Returns the files of one data folder, and the matches in its store; None if the store is new or left out.

    The store is copied to a folder in `copies`.
    """
    began = time.time()
    data, store, url = sources.data / part, copies / _STORE, sources.url(part)
    has_store = not sources.without_store and (url is not None or (data / _STORE).is_dir())
    held = None
    if has_store:
        # The store first: whatever it says is over has its record by now.
        store.mkdir(mode=0o700, parents=True)
        if url is not None:
            snapshot_store(url, store, pace.moved)
            check_commands(store)  # what a restore would refuse must not become a backup
            held = examine(store)
            _check_owner(held, url, sources.kind(part), data)
        elif copy_store(data / _STORE, store, pace.moved):
            held = examine(store)
    files = [
        *((PurePosixPath(_STORE, *path.relative_to(store).parts), path) for path in _below(store)),
        *((path, place) for path, place in other_files(data) if held is None or _belongs(path, place, held, began)),
    ]
    return files, held


def _check_owner(held: CopiedStore, url: str, kind: Part, data: Path) -> None:
    """Checks that a Redis has the store of a data folder, and not that of another part. Raises `BackupError`."""
    if held.service and kind == "arena":
        raise BackupError(f"{shown(url)} is not the Redis of {data}: it has the store of a service")
    if not held.service and kind == "service":
        raise BackupError(f"{shown(url)} is not the Redis of {data}: no service has used it; is it another database?")


def part_in(data: Path) -> Part:
    """Returns whose data folder this is."""
    return "arena" if any((data / name).is_file() for name in OF_AN_ARENA) else "service"


def service_id(data: Path) -> str:
    """Returns the id of the service that an arena's folder names; empty if it names none."""
    try:
        return (data / _SERVICE_ID).read_text(encoding="utf-8").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return ""


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


def other_files(data: Path) -> Iterator[tuple[PurePosixPath, Path]]:
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


def _belongs(path: PurePosixPath, place: Path, held: CopiedStore, began: float) -> bool:
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
