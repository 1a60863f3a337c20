"""The process of the house bots' worker, at one end of a pair of sockets. It ends when the other end is closed.

It is a new process, or a fork of this one, which has imported already what the worker needs: that takes a twentieth of
the time, but only a process with a single thread can fork (see `fudaba.forked_program`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from functools import partial
from typing import Final, NamedTuple, final

from fudaba import forked_program
from fudaba_service.house import worker
from fudaba_serving.process.tasks import spawn

__all__ = ["WorkerProcess", "forked", "started"]

_COMMAND: Final = (sys.executable, "-m", worker.__name__)
_STANDARD_ERROR_NUMBER: Final = 2


@final
class WorkerProcess(NamedTuple):
    """A running worker."""

    process: subprocess.Popen[bytes] | forked_program.ForkedProcess
    line: socket.socket
    """The service's end of the sockets."""


def forked() -> WorkerProcess | None:
    """Returns a worker that is a fork of this process; None if this process cannot fork."""
    if not forked_program.can_fork():
        return None
    try:
        ours, its = socket.socketpair()
    except OSError:
        return None  # `started` tries again, and says why it cannot
    with its:
        try:
            process = forked_program.fork(
                partial(_work, its.fileno()),
                [worker.__name__],
                end_with=signal.SIGKILL,
                env=dict(os.environ),
                output=_STANDARD_ERROR_NUMBER,
                pass_fds=[its.fileno()],
            )
        except OSError:
            ours.close()
            return None
    return WorkerProcess(process, ours)


def _work(number: int) -> None:
    """Runs the worker in a fork, at the socket with this descriptor."""
    with socket.socket(fileno=number) as line, line.makefile("rb") as requests, line.makefile("wb") as answers:
        worker.run(requests, answers)


async def started() -> WorkerProcess:
    """Starts a worker as a new process. If cancelled, it leaves none."""
    ours, its = socket.socketpair()
    # Not by the event loop: it forks, and what gRPC does in the child of a fork may end that child.
    starting = spawn(asyncio.to_thread(_start_and_close, its))
    try:
        return WorkerProcess(await asyncio.shield(starting), ours)
    except BaseException:
        ours.close()
        while not starting.done():  # no thread can be cancelled
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait((starting,))
        if starting.exception() is None:
            starting.result().kill()
            starting.result().wait()
        raise


def _start_and_close(its: socket.socket) -> subprocess.Popen[bytes]:
    with its:
        return _start(its)


def _start(its: socket.socket) -> subprocess.Popen[bytes]:
    return subprocess.Popen(_COMMAND, stdin=its.fileno(), stdout=its.fileno(), start_new_session=True)
