"""A folder of backups: the names of those in it, the newest, and which are removed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from fudaba_service.backup.container import BackupError, Header, Moved
from fudaba_service.backup.identity import identify

__all__ = ["MIN_KEPT_BACKUPS", "new_name", "newest", "newest_of_service", "remove_old"]

MIN_KEPT_BACKUPS: Final = 2
"""The smallest number of backups that a folder may keep: the newest may be of a fault that nobody has seen yet."""
_NAME: Final = re.compile(r"fudaba-\d{8}T\d{6}Z\.tar\.zst")


def new_name() -> str:
    """Returns the name of a backup that is made now."""
    return f"fudaba-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.tar.zst"


def newest(folder: Path) -> Path:
    """Returns the newest backup in a folder. Raises `BackupError` if there is none."""
    found = max(_named(folder), default=None)
    if found is None:
        raise BackupError(f"{folder} has no backup that `fudaba backup` has named; name a file")
    return found


def newest_of_service(folder: Path, scratch: Path) -> Path:
    """Returns the newest backup in a folder that has a service, not an arena alone. `scratch` is that of `identify`.

    A damaged backup that is newer is not passed over. Raises `BackupError`, also if there is no such backup.
    """
    for path in sorted(_named(folder), reverse=True):
        if "service" in identify(path, scratch).parts.split():
            return path
    if any(_named(folder)):
        raise BackupError(
            f"{folder} has backups of an arena alone, and a stamp is for backups that have the service: leave out"
            " --stamp, or name another folder"
        )
    return newest(folder)


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
    others = []
    for path in sorted(path for path in _named(made.parent) if path != made):
        try:
            other = identify(path, made.parent, moved)
        except BackupError:
            continue  # damaged, or of another release: that is for a person to judge
        if (other.service, other.parts) == (header.service, header.parts):
            others.append(path)
    old = others[: 1 - max(keep, MIN_KEPT_BACKUPS)]
    try:
        for path in old:
            path.unlink(missing_ok=True)  # another run may remove it, too
    except OSError as error:
        raise BackupError(
            f"the backup was made, but the older {error.filename} cannot be removed: {error.strerror or error}"
        ) from error
    return old


def _named(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_file())
