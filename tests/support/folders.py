"""Folders of tests in which servers write."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.patience import PATIENCE, pause_seconds

_WRITTEN_MEANWHILE: Final = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT}
"""Errors of a removal in whose course something was written or went."""


_IN_MEMORY: Final = Path("/dev/shm")
_MIN_FREE_BYTES: Final = 4_000_000_000


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """Yields a new folder whose path is short enough for sockets in it.

    It is in memory, where that has room: a disk that many tests use can keep a store from its fsync for longer than the
    five seconds that servers wait for a store. TMPDIR names another place.
    """
    place = Path(tempfile.mkdtemp(prefix="fudaba-test-", dir=memory_folder()))
    try:
        yield place
    finally:
        remove_folder(place)


def memory_folder() -> Path | None:
    """Returns the folder in memory if it has room and programs can be run in it; None for the usual folder."""
    if "TMPDIR" in os.environ or not _IN_MEMORY.is_dir() or not os.access(_IN_MEMORY, os.W_OK):
        return None
    found = os.statvfs(_IN_MEMORY)
    runs_programs = sys.platform == "linux" and not found.f_flag & os.ST_NOEXEC
    return _IN_MEMORY if runs_programs and found.f_bavail * found.f_frsize >= _MIN_FREE_BYTES else None


def paths_below(folder: Path) -> Iterator[Path]:
    """Yields each path below a folder that a process may be changing meanwhile, which `Path.rglob` fails at."""
    for place, folders, files in os.walk(folder):
        yield from (Path(place, name) for name in (*folders, *files))


def file_sizes(folder: Path) -> list[int]:
    """Returns the sizes in bytes, in order, of the files below a folder that a process may be changing meanwhile."""
    found = []
    for path in paths_below(folder):
        with contextlib.suppress(FileNotFoundError):  # it is gone
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                found.append(status.st_size)
    return sorted(found)


def remove_folder(place: Path) -> None:
    """Removes a folder, and fails when something in it is written for ever.

    The store of a server that was killed ends a moment later, and writes until then.
    """
    begun = time.monotonic()
    while place.exists():
        try:
            shutil.rmtree(place)
        except OSError as error:
            waited = time.monotonic() - begun
            if error.errno not in _WRITTEN_MEANWHILE or waited >= PATIENCE:
                raise
            time.sleep(pause_seconds(waited))
