"""Compares a backup with a data folder, which may be in use, and says what a restore would change. Changes nothing."""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Final, final

from fudaba.records import SUFFIX
from fudaba_service.backup.container import BackupContents, BackupError, Bar
from fudaba_service.backup.making import Sources, other_files, service_id
from fudaba_service.backup.reading import read
from fudaba_service.backup.restoring import check_destination, in_part, new_file
from fudaba_service.backup.scratch import scratch_folder
from fudaba_service.backup.store_copy import CopiedStore, examine
from fudaba_serving.redis.store_commands import StoreCopyError, check_commands, is_store_file
from fudaba_serving.redis.store_copy import copy_store

__all__ = ["Comparison", "compare"]

_STORE: Final = "store"
_ARCHIVE: Final = "archive"


@final
@dataclass(frozen=True, slots=True)
class Comparison:
    """A backup beside the folder that it would replace. Every set has what the folder has and the backup lacks, unless
    its text says otherwise.
    """

    contents: BackupContents
    refusal: str
    """Why a restore into the folder would be refused; empty if it would not."""
    store_known: bool
    """Whether both have a store. Without one, matches, bots and accounts are unknown, and these sets are empty."""
    other_service: str = ""
    """The id of the folder's service, if the backup is another one's."""
    records: frozenset[str] = frozenset()
    """Records that would be lost, by match."""
    begun_later: frozenset[str] = frozenset()
    """Live matches that would be lost."""
    set_back: frozenset[str] = frozenset()
    """Matches that are live in both, and go back to the moment of the backup."""
    played_again: frozenset[str] = frozenset()
    """Matches that are over in the folder and live in the backup."""
    bots: frozenset[str] = frozenset()
    accounts: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    """Other files, by their paths."""


@final
@dataclass(slots=True)
class _Side:
    """The contents of a folder or a backup."""

    files: set[PurePosixPath]
    stores: list[CopiedStore] = field(default_factory=list)
    services: set[str] = field(default_factory=set)

    @property
    def records(self) -> set[str]:
        return {path.stem for path in self.files if _is_record(path)}

    def of_stores(self, sets: Iterable[frozenset[str]]) -> frozenset[str]:
        return frozenset[str]().union(*sets)


def compare(file: Path, data: Path, bar: Bar, identity: Path | None = None) -> Comparison:
    """Compares a backup, which is verified, with the present state of a data folder. Raises `BackupError`.

    Copies of both stores are loaded in a temporary folder. `identity` is that of `read`.
    """
    try:
        refusal = _refusal(file, data)
        with scratch_folder(Path(tempfile.gettempdir())) as scratch:
            contents, there = _read_backup(file, scratch / "backup", bar, identity)
            if not data.is_dir() or not (sources := Sources(data.absolute())).parts:
                return Comparison(contents, refusal, store_known=False)
            if (sources.parts == [PurePosixPath()]) == any(in_part(path) != path for path in contents.files):
                raise BackupError(
                    f"{file} and {data} are not alike: one has the folders `arena` and `service`, and the other is such"
                    " a folder; name the other folder"
                )
            here = _read_folder(sources, scratch / "folder")
    except StoreCopyError as error:
        raise BackupError(str(error)) from error
    except OSError as error:
        raise BackupError(f"{error.filename or data}: {error.strerror or error}") from error
    there.services = {contents.header.service} - {""}
    return _compared(contents, refusal, here, there)


def _refusal(file: Path, data: Path) -> str:
    if not file.is_file():
        raise BackupError(f"there is no file {file}")
    try:
        check_destination(file, data)
    except BackupError as error:
        return str(error)
    return ""


def _compared(contents: BackupContents, refusal: str, here: _Side, there: _Side) -> Comparison:
    other = here.services and there.services and here.services.isdisjoint(there.services)
    lost_records = here.records - there.records
    files = frozenset(str(path) for path in here.files - there.files if not _is_record(path))
    known = bool(here.stores and there.stores)
    live_here, live_there = (side.of_stores(store.live for store in side.stores) for side in (here, there))
    bots, accounts = (
        here.of_stores(getattr(store, kind) for store in here.stores)
        - there.of_stores(getattr(store, kind) for store in there.stores)
        for kind in ("bots", "accounts")
    )
    again = frozenset(lost_records & live_there) if known else frozenset[str]()
    return Comparison(
        contents,
        refusal,
        known,
        other_service=min(here.services) if other else "",
        records=frozenset(lost_records) - again,
        begun_later=live_here - live_there if known else frozenset(),
        set_back=live_here & live_there,
        played_again=again,
        bots=bots if known else frozenset(),
        accounts=accounts if known else frozenset(),
        files=files,
    )


def _is_record(path: PurePosixPath) -> bool:
    return path.suffix == SUFFIX and _ARCHIVE in path.parts[:2]


def _read_folder(sources: Sources, copies: Path) -> _Side:
    side = _Side(set())
    for part in sources.parts:
        folder, copy = sources.data / part, copies / part / _STORE
        copy.mkdir(parents=True)
        if (folder / _STORE).is_dir() and copy_store(folder / _STORE, copy):
            side.stores.append(examine(copy))
        side.files |= {part / path for path, _ in other_files(folder)}
        side.services.add(service_id(folder))
    side.services |= {store.service for store in side.stores}
    side.services -= {""}
    return side


def _read_backup(file: Path, copies: Path, bar: Bar, identity: Path | None) -> tuple[BackupContents, _Side]:
    stores: set[Path] = set()

    def place(path: PurePosixPath, _info: tarfile.TarInfo) -> IO[bytes] | None:
        own = in_part(path)
        if own.parts[0] != _STORE:
            return None
        if not is_store_file(own.relative_to(_STORE)):
            raise BackupError(f"{file} is not a backup: {str(path)!r} does not belong into one")
        stores.add(copies / path.parents[1])
        return new_file(copies / path, 0o600)

    with bar(file.stat().st_size, "verifying") as moved:
        contents = read(file, place, moved, identity)
    side = _Side({path for path in contents.files if in_part(path).parts[0] != _STORE})
    for store in sorted(stores):
        check_commands(store)
        side.stores.append(examine(store))
    return contents, side
