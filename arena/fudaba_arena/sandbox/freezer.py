"""The kernel's freezer: all processes of a control group stop at once, and later go on as if nothing had happened.

Version 2 has `cgroup.freeze` in every group but the root. Version 1 has a controller of its own, with `freezer.state`.
A frozen process neither runs on a core nor waits for one. In version 1, signals do not kill a frozen process before it
is thawed; `cgroups.remove` and `Group.kill` handle that.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, final

__all__ = ["STATE_V1", "STATE_V2", "Freezer", "thaw"]

STATE_V2: Final = "cgroup.freeze"
STATE_V1: Final = "freezer.state"
_BUSY: Final = b"RD"
"""The states of a thread that runs, wants to run, or waits for a disk."""
_STAT_BYTES: Final = 512


@final
class Freezer:
    """Freezes a group, and reports the states of its threads."""

    def __init__(self, folder: Path, cpu_seconds: Callable[[], float | None]) -> None:
        """`cpu_seconds` returns the processor time of the group until now; None if it is not counted."""
        self._folder = folder
        self._cpu_seconds = cpu_seconds

    def freeze(self) -> None:
        """Freezes all processes, including new ones. Does not wait until they are frozen."""
        _set(self._folder, frozen=True)

    def thaw(self) -> None:
        """Thaws the processes. They may run when this returns."""
        thaw(self._folder)

    @property
    def frozen(self) -> bool:
        """Whether all of them have stopped by now."""
        if (self._folder / STATE_V2).exists():
            return "frozen 1" in _read(self._folder / "cgroup.events")
        return _read(self._folder / STATE_V1).strip() == "FROZEN"

    def cpu(self) -> float:
        """Returns the processor time of the group until now, in seconds; if it is not counted, the clock's time."""
        found = self._cpu_seconds()
        return time.monotonic() if found is None else found

    @property
    def at_rest(self) -> bool:
        """Whether every thread waits for something other than a core or a disk."""
        return not any(_state(thread) in _BUSY for thread in self._threads())

    def _threads(self) -> Sequence[str]:
        return (_read(self._folder / "cgroup.threads") or _read(self._folder / "tasks")).split()


def thaw(folder: Path) -> None:
    """Thaws the processes of a group, if it exists and can be frozen. Raises `OSError`."""
    _set(folder, frozen=False)


def _set(folder: Path, *, frozen: bool) -> None:
    """Writes the state of an existing group, without creating a file. Raises `OSError`."""
    for name, value in ((STATE_V2, b"1" if frozen else b"0"), (STATE_V1, b"FROZEN" if frozen else b"THAWED")):
        try:
            file = os.open(folder / name, os.O_WRONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            os.write(file, value)
        except OSError as error:
            if error.errno != errno.ENODEV:  # the group has been removed since
                raise
        finally:
            os.close(file)
        return


def _state(thread: str) -> bytes:
    """Returns the state of a thread as one letter; empty if it has ended."""
    try:
        file = os.open(f"/proc/{thread}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, _STAT_BYTES).rpartition(b") ")[2][:1]
    except OSError:
        return b""
    finally:
        os.close(file)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
