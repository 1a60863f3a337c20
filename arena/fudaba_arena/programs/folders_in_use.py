"""Finds folders that processes of this host work in, or have mounted: nothing of them may be removed, locked or not."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["played_here"]

_PROC: Final = Path("/proc")
_ROOT_INDEX: Final = 3
"""The field of a line of `mountinfo` with the folder that is mounted, as its file system has it."""


def played_here() -> frozenset[str]:
    """Returns the names of all folders on the way to what a process of this host works in, or has mounted.

    Of others' processes only root sees that. Empty where there is no `/proc`.
    """
    names: set[str] = set()
    seen: set[Path] = set()
    for process in _PROC.glob("[0-9]*"):
        with suppress(OSError):  # the process has ended, or belongs to another user
            names.update((process / "cwd").readlink().parts)
            namespace = (process / "ns" / "mnt").readlink()
            if namespace not in seen:
                mounts = (process / "mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
                seen.add(namespace)
                names.update(part for line in mounts for part in line.split(" ")[_ROOT_INDEX].split("/"))
    return frozenset(names)
