"""A process that has imported everything, and forks for whoever asks at a socket. It asks by way of `stand_in.py`."""

from __future__ import annotations

import ast
import fcntl
import os
import shlex
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import Final, final

__all__ = ["listen", "serve", "write_stand_in"]

_MAX_REQUEST_BYTES: Final = 65_536
_MAX_FILES: Final = 64
_STAND_IN: Final = Path(__file__).with_name("stand_in.py")


def listen(address: Path) -> socket.socket:
    """Returns a socket at which `serve` can be asked, in a folder that nobody else may enter."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(address))
    listener.listen()
    return listener


def write_stand_in(program: Path, address: Path) -> None:
    """Writes a program that may be called as Python is, with `-c CODE`, and has what serves at the address fork."""
    words = shlex.join([sys.executable, "-IS", str(_STAND_IN), str(address)])
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    program.chmod(0o700)


@final
class _Fork:
    """A fork that runs, and the link to the process that stands in for it."""

    def __init__(self, pid: int, link: socket.socket) -> None:
        self._pid = pid
        self.link = link
        self.ended = os.pidfd_open(pid)
        """Readable once it has ended."""

    def kill(self) -> None:
        """Ends it, since the process that stands in for it has been killed."""
        signal.pidfd_send_signal(self.ended, signal.SIGKILL)

    def report(self) -> None:
        """Says how it has ended."""
        _, status = os.waitpid(self._pid, 0)
        with suppress(BrokenPipeError):  # the process that stands in for it may have been killed
            self.link.send(str(os.waitstatus_to_exitcode(status)).encode())
        self.close()

    def close(self) -> None:
        """Closes what belongs to it here."""
        os.close(self.ended)
        self.link.close()


def serve(listener: socket.socket, alive: int) -> str:
    """Forks for everybody who asks. In a fork it returns the code that was sent; in this process it never returns.

    `alive` is a pipe that is closed at its other end when nobody will ask any more. This process ends then, as soon as
    all that it has forked has ended. No thread must run in it.
    """
    forks: list[_Fork] = []
    asked = True
    while asked or forks:
        waited: list[socket.socket | int] = [listener, alive] if asked else []
        for fork in forks:
            waited += fork.ended, fork.link
        ready = set(wait(waited))
        for fork in [*forks]:
            if fork.ended in ready:
                forks.remove(fork)
                fork.report()
            elif fork.link in ready:
                fork.kill()
        if alive in ready:
            asked = False
            listener.close()
        elif listener in ready and (code := _answer(listener, alive, forks)) is not None:
            return code
    os._exit(0)


def _answer(listener: socket.socket, alive: int, forks: list[_Fork]) -> str | None:
    """Forks for whoever is next; in the fork it returns the code that was sent."""
    link, _ = listener.accept()
    request, files, _, _ = socket.recv_fds(link, _MAX_REQUEST_BYTES, _MAX_FILES)
    if not request:  # it was killed before it could ask
        link.close()
        return None
    pid = os.fork()
    if pid == 0:
        for fork in forks:
            fork.close()
        link.close()
        listener.close()
        os.close(alive)
        numbers, code = ast.literal_eval(request.decode())
        _take(files, numbers)
        return str(code)
    for file in files:
        os.close(file)
    forks.append(_Fork(pid, link))
    return None


def _take(files: Sequence[int], numbers: Sequence[int]) -> None:
    """Gives open files the numbers that they had where they come from."""
    above = 1 + max(*files, *numbers)
    moved = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, above) for file in files]
    for file in files:
        os.close(file)
    for file, number in zip(moved, numbers, strict=True):
        os.dup2(file, number)
        os.close(file)
