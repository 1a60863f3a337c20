"""Stops a process for a moment, as a machine does that has too much to do.

A process that a test itself stops meanwhile goes on at the end of the pause: what fails of that is no race.
"""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Final

from fudaba._reaper_process import children

__all__ = ["descendants", "pause_one"]

MAX_PAUSE_SECONDS: Final = 0.5
"""Less than anything that is tested may be silent for."""


def descendants(pid: int) -> list[int]:
    """Returns the processes that a process has started, and those that these have, and so on."""
    children_of, found = children(), [pid]
    for parent in found:
        found += children_of.get(parent, ())
    return found[1:]


def pause_one(run: int, drawn: random.Random) -> int | None:
    """Stops a process that a run has started. Returns the id of the process that lets it go on soon, and then ends.

    That one is in a session of its own: whatever becomes of who calls this, nothing stays stopped. None where there is
    nothing to stop.
    """
    running = [pid for pid in descendants(run) if _state(pid) not in "TZ"]
    if not running:
        return None
    pid, seconds = drawn.choice(running), drawn.uniform(0.01, MAX_PAUSE_SECONDS)
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    try:
        if pid not in descendants(run):  # it ended, and the id is somebody else's
            return None
        pausing = os.fork()
        if pausing == 0:
            _pause(handle, seconds)
        return pausing
    finally:
        os.close(handle)


def _pause(handle: int, seconds: float) -> None:
    """What the process does that stops another one."""
    try:
        os.setsid()
        signal.pidfd_send_signal(handle, signal.SIGSTOP)
        time.sleep(seconds)
        signal.pidfd_send_signal(handle, signal.SIGCONT)
    finally:
        os._exit(0)


def _state(pid: int) -> str:
    """Of /proc/PID/stat: `T` for one that is stopped, `Z` for one that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
