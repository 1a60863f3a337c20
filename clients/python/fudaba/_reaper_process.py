"""The reaper's own process, which runs this file as a script; `fudaba.reaper` says what it is for.

It is started for every bot of every match, so it imports little: nothing of the kit, nor pathlib or typing.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time

__all__ = ["KILL", "NOT_STARTED_STATUS", "STOP", "children"]

STOP = signal.SIGTERM
KILL = signal.SIGINT
NOT_STARTED_STATUS = 127
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_DUMPABLE = 4
_FAILED_STATUS = 125
_POLL_SECONDS = 0.01
_PATIENCE_SECONDS = 10.0
_PARENT_FIELD_INDEX = 1
"""The index of the parent in /proc/PID/stat, counted after the name in brackets."""


def children() -> dict[int, list[int]]:
    """Returns by process id the children of every process of this machine that this user may see."""
    found: dict[int, list[int]] = {}
    for process, parent in _parents(_processes()).items():
        found.setdefault(parent, []).append(process)
    return found


def _processes() -> set[int]:
    return {int(name) for name in os.listdir("/proc") if name.isdecimal()}  # noqa: PTH208  # as the docstring says


def _parents(processes: set[int]) -> dict[int, int]:
    """Returns the parents of the processes that still exist."""
    found: dict[int, int] = {}
    for process in processes:
        try:
            with open(f"/proc/{process}/stat", "rb") as stat:  # noqa: PTH123  # without pathlib, as the docstring says
                found[process] = int(stat.read().rpartition(b")")[2].split()[_PARENT_FIELD_INDEX])
        except OSError:
            continue
    return found


def _main(arguments: list[str]) -> None:
    parent, grace, _, *command = arguments
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    heard = {signal.SIGCHLD, STOP, KILL, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    for option, value in ((_PR_SET_CHILD_SUBREAPER, 1), (_PR_SET_PDEATHSIG, int(STOP))):
        if prctl(option, value, 0, 0, 0) != 0:
            _fail(_FAILED_STATUS, f"cannot become the reaper of {command[0]}: {os.strerror(ctypes.get_errno())}")
    if os.getppid() != int(parent):  # the parent died before the kernel knew of the request
        _fail(_FAILED_STATUS, "the parent process has ended")
    reaper = os.getpid()
    program = os.fork()
    if program == 0:
        os.setsid()
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if os.getppid() == reaper:
            _execute(command)
        os._exit(_FAILED_STATUS)
    status = _wait(program, heard, int(parent), float(grace))
    _kill_the_rest()
    _end_as(status)


def _execute(command: list[str]) -> None:
    try:
        with open("/proc/self/environ", "rb") as given:  # noqa: PTH123  # Python has added to its own, as LC_CTYPE
            pairs = [pair.partition(b"=") for pair in given.read().split(b"\0") if pair]
        os.execvpe(command[0], command, {name: value for name, _, value in pairs})  # noqa: S606  no shell, on purpose
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(NOT_STARTED_STATUS)


def _wait(program: int, heard: set[signal.Signals], parent: int, grace_seconds: float) -> int:
    """Waits until the program has ended, and ends it on request. Returns its status."""
    deadline: float | None = None
    while True:
        if deadline is None:
            number = signal.sigwaitinfo(heard).si_signo
        else:
            signalled = signal.sigtimedwait(heard, max(0.0, deadline - time.monotonic()))
            number = KILL if signalled is None else signalled.si_signo
        while (ended := _reaped(os.WNOHANG)) is not None and ended[0] != 0:
            if ended[0] == program:
                return ended[1]
        if number in (STOP, signal.SIGHUP) and os.getppid() == parent:
            _signal_group(program, signal.SIGTERM)
            deadline = deadline or time.monotonic() + grace_seconds
        elif number != signal.SIGCHLD:  # at once; also when nobody waits for it any more
            _signal_group(program, signal.SIGKILL)
            deadline = None


def _signal_group(program: int, number: signal.Signals) -> None:
    try:
        os.killpg(program, number)
    except ProcessLookupError:  # it has just been forked, and has no session yet
        _signal_all({program}, number)
    except PermissionError:  # all of them run as somebody else
        return


def _reaped(options: int) -> tuple[int, int] | None:
    """Returns an ended child and its status; 0 if none has ended, None if there is none."""
    try:
        return os.waitpid(-1, options)
    except ChildProcessError:
        return None


def _kill_the_rest() -> None:
    """Kills every descendant. It first stops them until it finds no new one, since they could otherwise go on forking.

    A process of another user, or one that hangs in the kernel, is given up after a while.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while (ended := _reaped(os.WNOHANG)) is not None and time.monotonic() < deadline:
        if ended[0] == 0:
            _signal_all(_stopped(), signal.SIGKILL)
            time.sleep(_POLL_SECONDS)


def _stopped() -> set[int]:
    """Stops the descendants. Returns them.

    Children that end right after leaving another one are caught in the moment between: so it looks only at new
    processes, for as long as it finds a new descendant. A missed one is caught in the next round.
    """
    reaper = os.getpid()
    family, strangers = {reaper}, set[int]()
    while True:
        while (ended := _reaped(os.WNOHANG)) is not None and ended[0] != 0:
            family.discard(ended[0])
        there = _processes()
        family &= there  # the id of a process that has ended may soon be another's
        strangers &= there
        parents = _parents(there - strangers - family)
        fresh: set[int] = set()
        while found := {process for process, parent in parents.items() if parent in family} - family:
            _signal_all(found, signal.SIGSTOP)
            family |= found
            fresh |= found
        if not fresh:
            return family - {reaper}
        known = {0, *strangers, *parents}
        strangers |= {process for process, parent in parents.items() if parent in known} - family


def _signal_all(processes: set[int], number: signal.Signals) -> None:
    for process in processes:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):  # the process has ended, or runs as another user
            continue


def _end_as(status: int) -> None:
    """Ends with the program's exit status or signal."""
    if os.WIFSIGNALED(status):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # the program has dumped its core, if it should
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


def _fail(status: int, message: str) -> None:
    sys.stderr.write(f"{message}\n")
    sys.exit(status)


if __name__ == "__main__":
    _main(sys.argv[1:])
