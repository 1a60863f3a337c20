"""A folder of backups: the newest in it, and which are removed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fudaba_service.backup.container import BackupError, Header, Moved
from fudaba_service.backup.identity import identify
from fudaba_service.backup.names import ENCRYPTED_SUFFIX, kind_in_name, named

__all__ = ["MIN_KEPT_BACKUPS", "chosen", "remove_old"]

MIN_KEPT_BACKUPS: Final = 2
"""The smallest number of backups that a folder may keep: the newest may be of a fault that nobody has seen yet."""


def chosen(folder: Path, scratch: Path, identity: Path | None, *, only_looks: bool, for_stamp: bool) -> Path:
    """Returns the backup for which a folder stands: to look at, for a stamp, or to go back to. `scratch` and `identity`
    are those of `identify`. Raises `BackupError`.
    """
    if for_stamp:
        return _newest_of_service(folder, scratch, identity)
    return _newest(folder) if only_looks else _only_newest(folder, scratch, identity)


def _newest(folder: Path) -> Path:
    """Returns the newest backup in a folder. Raises `BackupError` if there is none."""
    found = max(named(folder), default=None)
    if found is None:
        raise BackupError(f"{folder} has no backup that `fudaba backup` has named; name a file")
    return found


def _only_newest(folder: Path, scratch: Path, identity: Path | None) -> Path:
    """Returns the newest backup in a folder whose backups are all of the same service and of the same data folders.

    An older backup that cannot be read counts if its name says what it is of. Raises `BackupError`, also if the backups
    differ: the newest may not be the one to go back to.
    """
    newest = _newest(folder)
    kinds: dict[tuple[str, str], Path] = {}
    for path in sorted(named(folder), reverse=True):
        try:
            header = identify(path, scratch, identity=identity)
            kind: tuple[str, str] | None = header.service, header.parts
        except BackupError:
            if path == newest:
                raise
            kind = kind_in_name(path)
        if kind is not None:
            kinds.setdefault(kind, path)
    if len(kinds) > 1:
        listed = "; ".join(
            f"{path.name} (of {' and '.join(parts.split()) or 'unknown folders'}, service {service or 'unknown'})"
            for (service, parts), path in kinds.items()
        )
        raise BackupError(
            f"{folder} has backups of different services or data folders: name one of them. The newest of each:"
            f" {listed}"
        )
    return newest


def _newest_of_service(folder: Path, scratch: Path, identity: Path | None) -> Path:
    """Returns the newest backup in a folder that has a service, not an arena alone.

    A damaged backup that is newer is not passed over. Raises `BackupError`, also if there is no such backup.
    """
    for path in sorted(named(folder), reverse=True):
        if "service" in identify(path, scratch, identity=identity).parts.split():
            return path
    if any(named(folder)):
        raise BackupError(
            f"{folder} has backups of an arena alone, and a stamp is for backups that have the service: leave out"
            " --stamp, or name another folder"
        )
    return _newest(folder)


def remove_old(made: Path, keep: int, header: Header, moved: Moved) -> list[Path]:
    """Removes the oldest backups like `made` from its folder until it has `keep`. Returns the removed ones.

    It removes only files with names of this module that are backups of the same service and of the same data folders,
    and never `made` itself, which sorts among the oldest if the clock was set back. `header` is that of `made`, and
    `moved` is called as by `identify`. Raises `BackupError`, also if its service is unknown, since the others could be
    anybody's.
    """
    if not header.service:
        raise BackupError(
            "the backup was made, but none was removed: it does not say of which service it is, since no service has"
            " used that store yet"
        )
    kind = header.service, header.parts
    others = [path for path in sorted(named(made.parent)) if path != made and _kind(path, made.parent, moved) == kind]
    old = others[: 1 - max(keep, MIN_KEPT_BACKUPS)]
    try:
        for path in old:
            path.unlink(missing_ok=True)  # another run may remove it, too
    except OSError as error:
        raise BackupError(
            f"the backup was made, but the older {error.filename} cannot be removed: {error.strerror or error}"
        ) from error
    return old


def _kind(file: Path, scratch: Path, moved: Moved) -> tuple[str, str] | None:
    """Returns the service and the data folders of a backup; None if it does not say them."""
    if file.name.endswith(ENCRYPTED_SUFFIX):
        return kind_in_name(file)
    try:
        header = identify(file, scratch, moved)
    except BackupError:
        return None  # damaged, or of another release: that is for a person to judge
    return header.service, header.parts
