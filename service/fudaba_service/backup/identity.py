"""Which service and which data folders a backup is of, also where its header does not say so."""

from __future__ import annotations

import tarfile
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO, Final

from fudaba_service.backup.container import BackupError, Header, Moved
from fudaba_service.backup.making import OF_AN_ARENA, PARTS, part_in, service_id
from fudaba_service.backup.reading import read, read_header
from fudaba_service.backup.restoring import in_part, new_file
from fudaba_service.backup.scratch import scratch_folder
from fudaba_service.backup.store_copy import examine
from fudaba_serving.redis.store_commands import StoreCopyError, check_commands, is_store_file

__all__ = ["identify"]

_STORE: Final = "store"
_OWNER_MODE: Final = 0o600


def identify(file: Path, scratch: Path, moved: Moved = lambda _: None, identity: Path | None = None) -> Header:
    """Returns the header of a backup, with its service and parts.

    The header of an early release, such as 0.1.0a1, does not say of which parts the backup is. The backup is then
    read whole, and what names them is kept below the folder `scratch` meanwhile. `moved` is called with the number of
    bytes of each piece that is read. `identity` is that of `read`. Raises `BackupError`.
    """
    header = read_header(file, identity)
    if header.parts:
        return header
    try:
        with scratch_folder(scratch) as folder:
            return _with_parts(header, file, folder, moved, identity)
    except StoreCopyError as error:
        raise BackupError(str(error)) from error
    except OSError as error:
        raise BackupError(f"{error.filename or scratch}: {error.strerror or error}") from error


def _with_parts(header: Header, file: Path, folder: Path, moved: Moved, identity: Path | None) -> Header:
    """Reads into `folder` what names the parts and the service."""

    def place(path: PurePosixPath, _info: tarfile.TarInfo) -> IO[bytes] | None:
        own = in_part(path)
        of_store = own.parts[0] == _STORE and is_store_file(own.relative_to(_STORE))
        return new_file(folder / path, _OWNER_MODE) if of_store or str(own) in OF_AN_ARENA else None

    contents = read(file, place, moved, identity)
    tops = {path.parts[0] for path in contents.files if len(path.parts) > 1}
    places = {part: folder / part for part in PARTS if part in tops} or {part_in(folder): folder}
    services = {header.service} | {service_id(place) for place in places.values()}
    store = places.get("service", folder / "none") / _STORE
    if store.is_dir():
        check_commands(store)
        services.add(examine(store).service)
    known = services - {""}
    return replace(header, parts=" ".join(places), service=known.pop() if len(known) == 1 else "")
