"""Opens files in a stranger's folder without being led elsewhere."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path, PurePosixPath
from typing import IO, Final

__all__ = ["open_beneath"]

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NOT_THERE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.ENAMETOOLONG, errno.EINVAL})


def open_beneath(folder: Path, name: str) -> IO[bytes] | None:
    """Returns a regular file below a folder, by the stranger's path; None if there is none.

    An absolute path, a path with `..`, one over a link, and a pipe or device, which is never waited for, count as none.
    Raises `OSError` for the host's faults.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or ".." in path.parts or "\0" in name:
        return None
    try:
        place = os.open(folder, _FOLDER)
        try:
            for part in path.parts[:-1]:
                inner = os.open(part, _FOLDER, dir_fd=place)
                os.close(place)
                place = inner
            file = os.open(path.parts[-1], _FILE, dir_fd=place)
        finally:
            os.close(place)
    except OSError as error:
        if error.errno in _NOT_THERE:
            return None
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        return None
    return os.fdopen(file, "rb")
