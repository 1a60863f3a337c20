"""The first stage of a tethered process, which runs this file as a script; `fudaba.tether` says what it is for.

It is started for every store and every process of several, so it imports little: nothing of the kit, and not subprocess
or signal, which import much themselves.
"""

from __future__ import annotations

import ctypes
import os
import sys

__all__ = ["BY_GUARDIAN", "BY_KERNEL", "tie_by_kernel"]

BY_KERNEL = "kernel"
BY_GUARDIAN = "guardian"
_PR_SET_PDEATHSIG = 1
_FAILED_STATUS = 125
_NOT_STARTED_STATUS = 127


def tie_by_kernel(number: int, parent: int) -> None:
    """Asks the kernel to signal this process when its parent ends. Ends the process if the parent already has."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
        _fail(_FAILED_STATUS, f"cannot tie the process to its parent: {os.strerror(ctypes.get_errno())}")
    if os.getppid() != parent:  # the parent died before the kernel knew of the request
        _fail(_FAILED_STATUS, "the parent process has ended")


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
    if method == BY_KERNEL:
        tie_by_kernel(int(number), int(parent))
    else:
        _tie_by_guardian(int(number))
    try:
        os.execvp(command[0], command)  # noqa: S606  there is no shell on purpose
    except OSError as error:
        _fail(_NOT_STARTED_STATUS, f"cannot start {command[0]}: {error.strerror}")


if __name__ == "__main__":
    _main(sys.argv[1:])
