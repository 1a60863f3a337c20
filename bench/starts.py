"""What people wait for at a terminal: help, a local match, and `fudaba up` until it serves.

Starts are warm: each command runs once before it is measured. CPU is that of the process and of all that it started and
that has ended; `fudaba up` goes on, so its start is measured in seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from bench.processes import free_port
from bench.rows import Row, progress, row

__all__ = ["MATCH", "cpu_of", "measure_starts", "until_up"]

MATCH: Final = ("match", "local", "naga", "--bot", "random", "--bot", "first", "--matches", "1")
_FUDABA: Final = (sys.executable, "-m", "fudaba")
_UP: Final = "Fudaba is up."


def measure_starts(runs: int) -> Iterator[Row]:
    """Measures the starts, in turn with one another."""
    with tempfile.TemporaryDirectory(prefix="fudaba-bench-") as place:
        folder = Path(place)
        starts: dict[tuple[str, str], Callable[[], float]] = {
            ("CPU of `fudaba --help`", "≤ 0.15"): lambda: cpu_of(folder, "--help"),
            ("CPU of `fudaba match local` of one Naga match", "≤ 0.6"): lambda: cpu_of(folder, *MATCH),
            ("`fudaba up` until it serves", "≤ 1.5"): lambda: until_up(folder),
        }
        for start in starts.values():
            start()
        taken: dict[tuple[str, str], list[tuple[float, float]]] = {named: [] for named in starts}
        for run in range(runs):
            progress("starts", run, runs)
            for named, start in starts.items():
                taken[named].append((start(), 1.0))
    for (label, wanted), seconds in taken.items():
        yield row(label, "a second", wanted, seconds, "s")


def cpu_of(folder: Path, *words: str) -> float:
    """Runs a command in a folder, which must succeed. Returns the CPU seconds of it and of all that it started."""
    process = subprocess.Popen([*_FUDABA, *words], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"fudaba {' '.join(words)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


def until_up(folder: Path) -> float:
    """Starts `fudaba up` on a new data folder, and stops it. Returns the seconds until it said that it is up."""
    service, arena, web = (f"127.0.0.1:{free_port()}" for _ in range(3))
    with tempfile.TemporaryDirectory(dir=folder) as data:
        command = [*_FUDABA, "up", "--data", data, "--listen", service, "--arena-listen", arena, "--web-listen", web]
        begin = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            assert process.stdout is not None  # it is a pipe
            up = any(line.startswith(_UP) for line in process.stdout)
            seconds = time.perf_counter() - begin
            process.terminate()
            process.stdout.read()  # it may still have to write
    if not up:
        raise RuntimeError("fudaba up has ended")
    return seconds
