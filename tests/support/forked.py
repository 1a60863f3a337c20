"""Processes of the command `fudaba` that need not import it: that takes ten times as long as all else until they serve.

They are forked from a process of the test worker that has imported everything.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import multiprocessing.forkserver
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import Final, final

_context: Final = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.support.forked_imports"])
_PR_SET_PDEATHSIG_CODE: Final = 1
_one_at_a_time: Final = threading.Lock()
"""Each start looks whether other processes have ended, and only one can read how."""


@final
class Forked:
    """`fudaba` with these arguments, in a session of its own, which writes to the end of a file.

    It runs the code `first` before everything else; `main` is another function to run, as `module:name`. It has the
    part of `subprocess.Popen` that tests use.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        output: Path,
        environment: Mapping[str, str],
        first: str = "",
        main: str = "fudaba.cli:main",
    ) -> None:
        self._process = _context.Process(
            target=_run, args=(list(arguments), str(output), dict(environment), first, main), daemon=True
        )
        with _one_at_a_time:
            self._process.start()

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit status, if it has ended."""
        return self.poll()

    def poll(self) -> int | None:
        """Returns its exit status, less than zero for a signal; None while it runs."""
        with _one_at_a_time:
            return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Returns its exit status, once it has ended."""
        wait_for([self._process.sentinel], timeout)
        status = self.poll()
        if status is None:
            raise subprocess.TimeoutExpired("fudaba", timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Sends a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Asks it to stop."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it as a power cut would."""
        self.send_signal(signal.SIGKILL)


def _run(arguments: list[str], output: str, environment: dict[str, str], first: str, main: str) -> None:
    """Does the work of the forked process."""
    os.setsid()
    _end_with_parent()
    place = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for descriptor in (1, 2):
        os.dup2(place, descriptor)
    os.close(place)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["fudaba", *arguments]
    exec(first, {})
    module, _, name = main.partition(":")
    getattr(import_module(module), name)()


def _end_with_parent() -> None:
    """Makes the kernel kill this process with the one it was forked from, which ends with the test worker."""
    if sys.platform != "linux":
        return
    # That one waits until all copies of this descriptor are closed: one must not keep the other.
    alive: int = multiprocessing.forkserver._forkserver._forkserver_alive_fd  # type: ignore[attr-defined]  # no other way
    os.close(alive)
    parent = os.getppid()
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG_CODE, int(signal.SIGKILL), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the process cannot be tied to the test worker")
    if os.getppid() != parent:  # it ended before the kernel knew
        os._exit(1)
