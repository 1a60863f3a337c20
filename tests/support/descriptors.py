"""Limits of open files: those under which a process starts, and those that strike while it runs."""

from __future__ import annotations

import contextlib
import resource
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MAX_FILES: Final = 200
"""The number of files that the servers of these tests may have open: half of them are for callers."""
STARTS_WITH_FEW: Final = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({MAX_FILES}, {MAX_FILES}))"
"""Code with which a forked process starts under that limit."""


def open_files(pid: int) -> int:
    """Returns the number of files that a process has open."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


@contextlib.contextmanager
def none_left(*pids: int) -> Iterator[None]:
    """Lets these processes open no more files until the block is left, but for those that they close meanwhile."""
    before = {pid: resource.prlimit(pid, resource.RLIMIT_NOFILE) for pid in pids}
    for pid, (_, hard) in before.items():
        numbers = {int(number.name) for number in Path(f"/proc/{pid}/fd").iterdir()}
        lowest_free = min(set(range(len(numbers) + 1)) - numbers)  # the next file would have it
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (lowest_free, hard))
    try:
        yield
    finally:
        for pid, limit in before.items():
            with contextlib.suppress(ProcessLookupError):  # the assertions of the test say that it has ended
                resource.prlimit(pid, resource.RLIMIT_NOFILE, limit)


@contextlib.contextmanager
def connected(address: str, count: int, hello: bytes, patience_seconds: float) -> Iterator[list[socket.socket]]:
    """Yields connections to `host:port` or `unix:/path`, each of which has said hello and asks for nothing."""
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(count):
            if address.startswith("unix:"):
                connection = stack.enter_context(socket.socket(socket.AF_UNIX))
                connection.settimeout(patience_seconds)
                connection.connect(address.removeprefix("unix:"))
            else:
                host, _, port = address.rpartition(":")
                connection = stack.enter_context(socket.create_connection((host, int(port)), patience_seconds))
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it is closed at once
                connection.sendall(hello)
            connections.append(connection)
        yield connections
