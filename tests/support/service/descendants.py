"""The processes below a process."""

from __future__ import annotations

import contextlib
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """Returns the processes that a process has started."""
    found = []
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if place.name.isdecimal() and int((place / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(place.name))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
