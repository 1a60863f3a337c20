"""The process that the fork servers of a run's workers are forked from: it has imported what services and arenas need.

Each worker has a fork server of its own (`tests/support/forked.py`), which would import all of that for itself
otherwise.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from importlib import import_module
from multiprocessing.connection import wait

from tests.support.workers.forks import serve

__all__ = ["main"]


def main() -> None:
    """Serves at the socket whose number is the first argument, until its standard input is closed.

    It imports nothing before it is asked: many a run starts no server.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the workers
    alive = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nothing, number)
    os.close(nothing)
    listener = socket.socket(fileno=int(sys.argv[1]))
    if listener in wait([listener, alive]):
        import_module("tests.support.forked_imports")
    code = serve(listener, alive)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    exec(code, {})
