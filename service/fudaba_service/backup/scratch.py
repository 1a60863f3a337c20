"""Folders for unfinished backups and for restores on trial, which also go if the process is killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

__all__ = ["scratch_folder"]

_PREFIX: Final = ".fudaba-scratch-"


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """Yields a new folder in `parent`, for its owner alone, and removes it in the end.

    First it removes those that killed processes have left: the lock of such a folder is free. Raises OSError.
    """
    for left in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError), _locked(left):
            shutil.rmtree(left)
    with ExitStack() as stack:
        made = _locked_folder(parent, stack)
        try:
            yield made
        finally:
            shutil.rmtree(made)


def _locked_folder(parent: Path, stack: ExitStack) -> Path:
    """Returns a new folder whose lock `stack` holds.

    It makes another one if another process takes the folder for a dead process's, and removes it before it is locked.
    """
    while True:
        made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        with suppress(FileNotFoundError, BlockingIOError), ExitStack() as locking:
            locking.enter_context(_locked(made))
            if made.is_dir():
                stack.push(locking.pop_all())
                return made


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder. Raises BlockingIOError if another process holds it, and OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
