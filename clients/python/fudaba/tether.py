"""Starts a process that ends with the process that started it, even if that one is killed.

On Linux the kernel does it (`PR_SET_PDEATHSIG`). The kernel watches the *thread* that started the child, so call
`start` from a thread that lives as long as the child should. Elsewhere a small guardian process waits on a pipe whose
other end only the parent holds; when the pipe closes, it signals the child.

The child first runs this file as a script (isolated, without site packages), which ties itself to the parent and then
becomes the command. So nothing runs between fork and exec in the parent, which may have many threads.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

__all__ = ["how_ended", "start"]

_PR_SET_PDEATHSIG = 1
_BY_KERNEL = "kernel"
_BY_GUARDIAN = "guardian"
_FAILED = 125
_NOT_STARTED = 127


def start(
    command: Sequence[str | os.PathLike[str]],
    *,
    end_with: signal.Signals = signal.SIGTERM,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    output: int | IO[bytes] | None = None,
    pass_fds: Sequence[int] = (),
    guardian: bool = sys.platform != "linux",
) -> subprocess.Popen[bytes]:
    """Starts a command in a session of its own, tied to this process.

    The command gets an empty standard input; standard output and error both go to `output`. If it cannot be executed,
    the process ends with status 127 and a line on `output`. Keep the returned object: with a guardian, dropping it
    ends the child.
    """
    method = _BY_GUARDIAN if guardian else _BY_KERNEL
    prefix = [sys.executable, "-I", "-S", __file__, method, str(int(end_with)), str(os.getpid()), "--"]
    return subprocess.Popen(
        [*prefix, *(os.fspath(part) for part in command)],
        stdin=subprocess.PIPE if guardian else subprocess.DEVNULL,
        stdout=output,
        stderr=None if output is None else subprocess.STDOUT,
        cwd=cwd,
        env=env,
        pass_fds=tuple(pass_fds),
        start_new_session=True,
    )


def how_ended(status: int) -> str:
    """An exit status in words."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


def _tie_by_kernel(number: int, parent: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
        _fail(_FAILED, f"cannot tie the process to its parent: {os.strerror(ctypes.get_errno())}")
    if os.getppid() != parent:  # it died before the kernel was told
        _fail(_FAILED, "the parent process has ended")


def _tie_by_guardian(number: int) -> None:
    child = os.getpid()
    if os.fork() == 0:
        os.closerange(1, 256)  # the child's log and lock are not the guardian's to keep open
        while os.read(0, 1):
            pass
        if os.getppid() == child:  # otherwise the child is gone and its number may be somebody else's
            os.kill(child, number)
        os._exit(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def _fail(status: int, message: str) -> None:
    sys.stderr.write(f"{message}\n")
    sys.exit(status)


def _main(arguments: list[str]) -> None:
    method, number, parent, _, *command = arguments
    if method == _BY_KERNEL:
        _tie_by_kernel(int(number), int(parent))
    else:
        _tie_by_guardian(int(number))
    try:
        os.execvp(command[0], command)  # noqa: S606  there is no shell on purpose
    except OSError as error:
        _fail(_NOT_STARTED, f"cannot start {command[0]}: {error.strerror}")


if __name__ == "__main__":
    _main(sys.argv[1:])
