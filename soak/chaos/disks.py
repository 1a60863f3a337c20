"""Small disks that can fill up: tmpfs in a mount namespace of this process, which ends with it."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path
from typing import Final, final

__all__ = ["Disk", "own_mounts"]

_CLONE_NEWNS_FLAG: Final = 0x00020000  # CLONE_NEWNS
_BALLAST: Final = ".ballast"


def own_mounts() -> bool:
    """Gives this process its own mount namespace. Returns False if that is not permitted.

    Call it before there are other threads, since it affects only this thread and the processes that it starts.
    """
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "unshare") or library.unshare(_CLONE_NEWNS_FLAG) != 0:
        return False
    return subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True, check=False).returncode == 0


@final
class Disk:
    """A folder with its own file system, if that is possible."""

    def __init__(self, folder: Path, megabytes: int, *, mounts: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        options = f"size={megabytes}m"
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        self.can_fill = mounts and subprocess.run(command, capture_output=True, check=False).returncode == 0

    def fill(self) -> None:
        """Fills the disk."""
        with (self.folder / _BALLAST).open("ab", buffering=0) as ballast:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while True:
                        if ballast.write(b"\0" * size) < size:
                            break
                except OSError:
                    continue

    def free(self) -> None:
        """Makes room again."""
        (self.folder / _BALLAST).unlink(missing_ok=True)

    def unmount(self) -> None:
        """Unmounts the file system, even if it is in use."""
        if self.can_fill:
            subprocess.run(["umount", "-l", os.fspath(self.folder)], capture_output=True, check=False)
