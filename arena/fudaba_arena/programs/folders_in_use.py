"""Finds folders that processes of this host work in or have mounted. Nothing of them may be removed, locked or not."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["played_here"]

_PROC: Final = Path("/proc")
_ROOT_INDEX: Final = 3
"""The index of the field in a line of `mountinfo` that has the mounted folder within its file system."""


def played_here() -> frozenset[str]:
    """Returns the names of all folders above those that a process of this host works in or has mounted.

    Only root sees other users' processes. Empty if there is no `/proc`.
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
