"""Processes of the command `fudaba` that need not import it: that takes ten times as long as all else until they serve.

They are forked from a process of the test worker, its fork server, which has imported everything. Where the workers are
forked, so are their fork servers, from a process that has (`tests/support/workers/servers.py`).
"""

from __future__ import annotations

import ctypes
import multiprocessing
import multiprocessing.forkserver
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from multiprocessing.connection import arbitrary_address  # type: ignore[attr-defined]  # its stubs lack it
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import Final, final

_context: Final = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.support.forked_imports"])
_PR_SET_PDEATHSIG_CODE: Final = 1
_FIRST_VERSION_WITH_SECRET: Final = (3, 14)
_MAX_PID_BYTES: Final = 20
_one_at_a_time: Final = threading.Lock()
"""Each start looks whether other processes have ended, and only one can read how."""


_LISTENER, _ALIVE, _PID = 100, 101, 102
"""The numbers of a fork server's files: where it listens, what ends it when it is closed, and where it says its id."""
_FORK_SERVER: Final = f"""
import os
from multiprocessing import forkserver

os.write({_PID}, str(os.getpid()).encode())
os.close({_PID})
try:
    forkserver.main({_LISTENER}, {_ALIVE}, [])
finally:
    os._exit(0)
"""


@final
class _Shared:
    """The process that the fork servers of all workers are forked from, as a worker knows it."""

    def __init__(self) -> None:
        self.address = ""
        """Its socket; nothing where there is no such process, or where this worker's fork server runs."""
        self.pid = 0
        """The fork server of this worker, unless it is a child of this process."""
        self.link = -1
        """A socket that is closed at this worker's end, at which its fork server is killed."""

    def fork(self) -> None:
        """Has it fork the fork server of this worker. It has to do so once."""
        if not self.address:
            return
        server, address = multiprocessing.forkserver._forkserver, arbitrary_address("AF_UNIX")
        with (
            socket.socket(socket.AF_UNIX) as listener,
            socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as link,
        ):
            listener.bind(address)
            listener.listen()
            alive, server._forkserver_alive_fd = os.pipe()  # type: ignore[attr-defined]  # no other way
            pid, says_pid = os.pipe()
            link.connect(self.address)
            request = repr(((_LISTENER, _ALIVE, _PID), _FORK_SERVER)).encode()
            socket.send_fds(link, [request], [listener.fileno(), alive, says_pid])
            os.close(alive)
            os.close(says_pid)
            said = os.read(pid, _MAX_PID_BYTES)
            os.close(pid)
            if not said:
                raise RuntimeError("the process that fork servers are forked from has ended; its last words say why")
            self.pid = int(said)
            self.link = link.detach()
        server._forkserver_address = address  # type: ignore[attr-defined]
        server.ensure_running = lambda: None  # type: ignore[method-assign]  # it is no child of this process
        self.address = ""


_shared: Final = _Shared()


def share(address: str) -> None:
    """Has the fork server of this process, and of each fork of it, forked by the process with a socket there.

    Where a fork server wants a secret, which it can only be told as it is started, each worker starts its own.
    """
    if sys.version_info < _FIRST_VERSION_WITH_SECRET:
        _shared.address = address


def fork_server() -> int:
    """Returns the id of this worker's fork server where it is no child of this process; else 0."""
    return _shared.pid


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
        with _one_at_a_time:
            _shared.fork()
            given = (_parent_pid(), list(arguments), str(output), dict(environment), first, main)
            self._process = _context.Process(target=_run, args=given, daemon=True)
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


def _parent_pid() -> int:
    """Returns the id of this worker's fork server, which it starts if need be."""
    server = multiprocessing.forkserver._forkserver
    server.ensure_running()
    pid: int = _shared.pid or server._forkserver_pid  # type: ignore[attr-defined]  # no other way
    return pid


def _run(parent: int, arguments: list[str], output: str, environment: dict[str, str], first: str, main: str) -> None:
    """Does the work of the forked process. `parent` is the id of the fork server that it was forked from."""
    os.setsid()
    _end_with(parent)
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


def _end_with(parent: int) -> None:
    """Makes the kernel kill this process with the one it was forked from, which ends with the test worker.

    That one may have ended before this line: the process that adopted this one must not be taken for it.
    """
    if sys.platform != "linux":
        return
    # That one waits until all copies of this descriptor are closed: one must not keep the other.
    alive: int = multiprocessing.forkserver._forkserver._forkserver_alive_fd  # type: ignore[attr-defined]  # no other way
    os.close(alive)
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG_CODE, int(signal.SIGKILL), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the process cannot be tied to the test worker")
    if os.getppid() != parent:  # it ended before the kernel knew whom to watch
        os._exit(1)
