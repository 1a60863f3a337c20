"""Starts a program of ours as a fork of this process, which has imported once what several programs need.

A fork starts in milliseconds, while a new Python imports for most of a second, and it shares the memory of imported
modules. gRPC does not survive a fork once its core has started, with the first channel or server; nor does anything
else with threads. So a process forks only while it has a single thread, and creates nothing of gRPC's itself. Where
forking is impossible, programs start as new processes.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final, final

from fudaba import _tether_process

__all__ = ["ForkedProcess", "can_fork", "fork", "load"]

_FAILED_STATUS: Final = 1
_BLAS_THREADS: Final = "OPENBLAS_NUM_THREADS"
_TASKS: Final = Path("/proc/self/task")
_FILES: Final = Path("/proc/self/fd")
_STAT: Final = Path("/proc/self/stat")
_ARGUMENTS_INDEX: Final = 45
"""The indices of the addresses of a process's arguments in its `stat`, after the name: the first byte, and the end."""


def can_fork() -> bool:
    """Returns whether a fork of this process is as good as a new one: on Linux, with a single thread."""
    if sys.platform != "linux":
        return False
    try:
        return sum(1 for _ in _TASKS.iterdir()) == 1
    except OSError:  # a system without /proc
        return False


def load(modules: Iterable[str]) -> None:
    """Imports modules for all later forks of this process.

    A module that cannot be imported is skipped: the program that needs it fails and says why.
    """
    gc.disable()  # no garbage comes of imports
    given = os.environ.get(_BLAS_THREADS)
    if given is None:
        os.environ[_BLAS_THREADS] = "1"  # numpy starts threads otherwise
    try:
        for module in modules:
            with suppress(Exception):
                import_module(module)
    finally:
        if given is None:
            del os.environ[_BLAS_THREADS]  # it is not for the bots that a program starts
        gc.freeze()  # what is imported stays: no fork looks through it
        gc.enable()


@final
class ForkedProcess:
    """A fork, with the parts of `subprocess.Popen` that its users need."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None

    def poll(self) -> int | None:
        """Returns its exit status, negative for a signal; None while it runs."""
        if self._status is None:
            try:
                ended, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # this process ignores SIGCHLD: nobody knows the status, as with `Popen`
                ended, status = self.pid, 0
            if ended:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status

    def wait(self) -> int:
        """Waits for its end. Returns its exit status, negative for a signal."""
        while (status := self.poll()) is None:
            with suppress(ChildProcessError):  # as in `poll`
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        return status

    def send_signal(self, number: int) -> None:
        """Sends a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kills the process."""
        self.send_signal(signal.SIGKILL)


def fork(
    main: Callable[[], object],
    arguments: Sequence[str],
    *,
    end_with: signal.Signals,
    env: Mapping[str, str],
    output: int,
    pass_fds: Collection[int] = (),
) -> ForkedProcess:
    """Runs `main` in a fork of this process, as a program with these arguments, of which the first is its name.

    The fork has its own session and is tied to this process, as by `fudaba.tether`. It gets an empty standard input;
    standard output and error both go to `output`. Of this process's other files it has only `pass_fds`. Call it in the
    main thread, while `can_fork` holds.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # or both would write what is kept
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return ForkedProcess(pid)
    status = _FAILED_STATUS
    try:
        try:
            os.setsid()
            _only_files(output, pass_fds)
            _tether_process.tie_by_kernel(int(end_with), parent)
            os.environ.clear()
            os.environ.update(env)
            sys.argv = [*arguments]
            _show(arguments)
            main()
            status = 0
        except BaseException as error:  # noqa: BLE001  an end like that of a new Python
            status = _status(error)
        _finish()
    finally:
        os._exit(status)  # whatever happens, nothing gets to the frames of the process that was forked


def _only_files(output: int, kept: Collection[int]) -> None:
    """Gives a fork its standard files, and closes all others except these."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, file in enumerate((nothing, output, output)):
        os.dup2(file, number)
    for name in os.listdir(_FILES):  # noqa: PTH208  pathlib takes longer
        number = int(name)
        if number > 2 and number not in kept:
            with suppress(OSError):  # the folder that was listed is closed already
                os.close(number)
    encoding = sys.stdout.encoding if sys.stdout is not None else None
    errors = sys.stdout.errors if sys.stdout is not None else None
    sys.stdout = os.fdopen(1, "w", buffering=1, encoding=encoding, errors=errors, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding=encoding, errors="backslashreplace", closefd=False)


def _show(arguments: Sequence[str]) -> None:
    """Shows the arguments in lists of processes, as far as the parent's arguments leave room."""
    try:
        first, end = map(int, _STAT.read_text().rpartition(")")[2].split()[_ARGUMENTS_INDEX : _ARGUMENTS_INDEX + 2])
    except (OSError, ValueError):
        return  # nothing depends on it
    room = end - first
    if room > 1:
        words = b"\0".join(os.fsencode(argument) for argument in arguments)[: room - 1]
        ctypes.memmove(first, words.ljust(room, b"\0"), room)


def _status(error: BaseException) -> int:
    """Returns the exit status of a program that ends with this exception, and prints the reason."""
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        message = f"{error.code}\n"
    else:
        message = "".join(traceback.format_exception(error))
    with suppress(OSError, ValueError):  # nobody may be left who reads it
        sys.stderr.write(message)
    return _FAILED_STATUS


def _finish() -> None:
    """Does what Python does at its end, but runs no `atexit` functions, since they belong to the parent."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as `multiprocessing` does at this place
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
