"""The known length of an embedded server's append-only file: a file that is shorter has lost stored data.

A file that a disk, a copy or a person truncated ends in an unfinished write, or looks whole. Only the recorded length
shows how much is gone.
"""

from __future__ import annotations

import logging
import os
import re
import shlex
from pathlib import Path
from typing import Final

__all__ = ["NOTE", "accept", "gone", "in_flight", "lost", "note"]

log = logging.getLogger(__name__)

NOTE: Final = "appendonly.length"
"""The file in a server's data folder with the name of the file that the server appends to, and its length in bytes."""
_NOTED: Final = re.compile(r"(\S+) (\d+)\n")
_MAX_IN_FLIGHT_BYTES: Final = 8 * 1024 * 1024
"""The most bytes that may be on their way to the disk when a machine dies: two seconds of writes at full load."""
_SMALL_IN_FLIGHT_BYTES: Final = 256 * 1024
_IN_FLIGHT_DIVISOR: Final = 8
"""Of a small file, one byte in this many may have been in flight, or `_SMALL_IN_FLIGHT_BYTES` if that is more."""


def in_flight(size: int) -> int:
    """Returns the number of bytes at the end of a file of this size that may have been on their way to the disk."""
    return min(_MAX_IN_FLIGHT_BYTES, max(_SMALL_IN_FLIGHT_BYTES, size // _IN_FLIGHT_DIVISOR))


def note(folder: Path, path: Path) -> None:
    """Records the present length of the file. Raises OSError."""
    half = folder / f"{NOTE}.part"
    half.write_text(f"{path.name} {path.stat().st_size}\n")
    half.replace(folder / NOTE)


def lost(folder: Path, path: Path) -> str:
    """Returns the fault if the file has lost more than can have been in flight; otherwise an empty text.

    Logs a smaller loss. Raises OSError.
    """
    size = path.stat().st_size
    name, before = _noted(folder)
    if name != path.name or size >= before:
        return ""
    if before - size <= in_flight(before):
        log.warning("the store's file %s is shorter than it was: its last %d bytes are gone", path, before - size)
        return ""
    return (
        f"The store's file {path} has {size} bytes and had {before}: the disk, or a copy, has lost the last "
        f"{before - size} bytes of what was stored. Restore a backup; or copy the folder {folder} to a safe place and "
        f"then go on without them, with this command:\n  {accept(folder)}"
    )


def gone(folder: Path) -> str:
    """Returns the fault of a folder whose server has no file, if it once had a file with data; otherwise an empty text.

    Raises OSError.
    """
    name, before = _noted(folder)
    if not before:
        return ""
    return (
        f"The store's files below {folder} are gone: {name} had {before} bytes. Put them back, or restore a backup; or "
        f"begin with an empty store, with this command:\n  {accept(folder)}"
    )


def _noted(folder: Path) -> tuple[str, int]:
    """Returns the recorded name and length in bytes; an empty name if nothing is recorded. Raises OSError."""
    path = folder / NOTE
    try:
        noted = _NOTED.fullmatch(path.read_text(errors="replace"))
    except FileNotFoundError:
        return "", 0
    if noted is None:
        log.warning("%s is empty or damaged: what the store's files have lost since the last run is not noticed", path)
        return "", 0
    return noted[1], int(noted[2])


def accept(folder: Path) -> str:
    """Returns the shell command that makes the files count as whole, however much of them is left."""
    return f"rm -f {shlex.quote(os.fspath(folder / NOTE))}"
