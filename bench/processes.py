"""Processes under measurement: starting them, and the CPU time they have used."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yields a Python process and its first line of output. It is ended at the end of the block."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True)
    if process.stdout is None:
        raise RuntimeError("the process has no output")
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def free_port() -> int:
    """Returns a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def children(pid: int) -> list[int]:
    """Returns the processes that a process has started."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def pin(pid: int, core: int) -> None:
    """Binds a process to one core, with its present and later threads."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), {core})


def own_bytes(pid: int) -> int:
    """Returns the memory that a process shares with no other (USS), in bytes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_"))


def cpu_seconds(pid: int) -> float:
    """Returns the CPU time, user and system, of a process with all its threads."""
    # Linux has a clock of every process, to the nanosecond (CPUCLOCK_SCHED); /proc counts in hundredths of a second.
    return time.clock_gettime(~pid << 3 | 2)
