"""Starts a program of which nothing is left after its end, not even what it started in other sessions.

On Linux a process of its own, the reaper, stands between this process and the program: what the program leaves behind
becomes the reaper's child, so it finds and kills every descendant, whatever sessions and groups these made for
themselves, and none of anybody else. It does so too when this process dies. Elsewhere no system call makes a reaper:
there the program's process group is killed.

The reaper is a small Python of its own (`_reaper_process.py`, isolated, without site packages).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from fudaba import _reaper_process, tether

__all__ = ["KILL", "NOT_STARTED_STATUS", "REAPS", "STOP", "reaper_command", "start", "stop", "the_program"]

STOP: Final = _reaper_process.STOP
"""Makes the reaper ask the program to end, and kill the rest after a while."""
KILL: Final = _reaper_process.KILL
"""Makes the reaper kill the program and everything that it started, at once."""
NOT_STARTED_STATUS: Final = _reaper_process.NOT_STARTED_STATUS
"""The exit status if the program cannot be executed."""
REAPS: Final = sys.platform == "linux"
"""Whether there is a reaper on this system."""


def reaper_command(command: Sequence[str | os.PathLike[str]], grace_seconds: float) -> list[str]:
    """Returns the command of a reaper of a command. Start it in the thread that lives longest: everything ends with
    that thread.

    It ends as the program does, with the same exit status or signal. `STOP` gives the program `grace_seconds` to end.
    """
    prefix = [sys.executable, "-I", "-S", _reaper_process.__file__, str(os.getpid()), str(grace_seconds), "--"]
    return [*prefix, *(os.fspath(part) for part in command)]


def start(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str], output: int | IO[bytes], grace_seconds: float
) -> subprocess.Popen[bytes]:
    """Starts a command with an empty standard input; its output goes to `output`. `stop` ends it.

    If it cannot be executed, the status is `NOT_STARTED_STATUS`, and a line on `output` says why.
    """
    if not REAPS:
        return tether.start(command, end_with=signal.SIGKILL, cwd=cwd, env=env, output=output)
    return subprocess.Popen(
        reaper_command(command, grace_seconds),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        env=env,
        start_new_session=True,
    )


def stop(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Sends `STOP` or `KILL` to a process that `start` started."""
    if REAPS:
        process.send_signal(number)
        return
    try:
        os.killpg(process.pid, signal.SIGKILL if number is KILL else number)
    except ProcessLookupError:
        return  # all of them have ended
    except PermissionError:
        process.send_signal(number)  # macOS says so when some of them have ended


def the_program(process: subprocess.Popen[bytes]) -> int:
    """Returns the process id of the program itself, for a debugger; the reaper's own until there is one."""
    if not REAPS:
        return process.pid
    return min(_reaper_process.children().get(process.pid, []), default=process.pid)
