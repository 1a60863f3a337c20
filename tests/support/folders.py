"""Folders of tests in which servers write."""

from __future__ import annotations

import contextlib
import errno
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.patience import PATIENCE, pause_seconds

_WRITTEN_MEANWHILE: Final = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT}
"""Errors of a removal in whose course something was written or went."""


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """Yields a new folder whose path is short enough for sockets in it."""
    place = Path(tempfile.mkdtemp(prefix="fudaba-test-"))
    try:
        yield place
    finally:
        remove_folder(place)


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
