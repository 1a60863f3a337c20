"""What the tests cost: TEST_COSTS=FOLDER has each test's wall time and CPU written there, and the costly files told.

The CPU is that of the process which runs the test and of all that descend from it, also of servers that nobody has
waited for yet. What a fixture of many tests costs is put down to the test that asked for it first, and what servers do
during a short test to the next one that is not: to look at all processes takes longer than many a test.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.support.forked import fork_server

_TICK: Final = os.sysconf("SC_CLK_TCK")
_SHORT_SECONDS: Final = 0.1
"""A test of less wall time than this is short."""
_MAX_FILES_SHOWN: Final = 20
"""The number of files that are told, those that cost the most CPU."""


def cpu_seconds(pid: int) -> float:
    """Returns the CPU of a process, of its children that have been waited for, and of all that live below it."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:  # it has ended
        return 0
    ticks = sum(map(int, stat.rpartition(")")[2].split()[11:15]))
    return ticks / _TICK + sum(cpu_seconds(child) for task in tasks for child in _children(task))


def _children(task: Path) -> list[int]:
    """Returns the processes that a thread has begun."""
    try:
        return [int(child) for child in (task / "children").read_text().split()]
    except OSError:  # it has ended, and its process goes on
        return []


def _spent() -> float:
    """Returns the CPU of this process and of all below it and below its fork server, which may be no child of it."""
    server = fork_server()
    return cpu_seconds(os.getpid()) + (cpu_seconds(server) if server else 0)


class Costs:
    """A plugin that measures. Each process of the run has a file of its own in the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._put_down = 0.0
        """The CPU seconds that were put down to tests, or spent before the first of them."""
        if "PYTEST_XDIST_WORKER" not in os.environ:  # whoever begins the run leaves nothing of an earlier one
            for path in folder.glob("*.tsv"):
                path.unlink()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Writes a line for a test."""
        if not self._put_down:
            self._put_down = _spent()
        wall, own = time.monotonic(), time.process_time()
        try:
            return (yield)
        finally:
            took = time.monotonic() - wall
            if took < _SHORT_SECONDS:
                spent = time.process_time() - own
                self._put_down += spent
            else:
                whole = _spent()
                spent = max(0, whole - self._put_down)  # less than that is left where a process has ended unwaited for
                self._put_down = whole
            # Not known earlier: a worker is forked from a process that has this plugin.
            name = os.environ.get("PYTEST_XDIST_WORKER", "main")
            with (self._folder / f"{name}.tsv").open("a") as lines:
                lines.write(f"{took:.2f}\t{spent:.2f}\t{item.nodeid}\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tells which files cost most."""
        files = by_file(self._folder)
        terminalreporter.section("costs")
        cpu, wall = sum(file.cpu for file in files), sum(file.wall for file in files)
        terminalreporter.write_line(f"{cpu:.0f} s of CPU and {wall:.0f} s of wall time in all; of these:")
        for file in files[:_MAX_FILES_SHOWN]:
            terminalreporter.write_line(
                f"{file.cpu:7.1f} s CPU {file.wall:7.1f} s wall {file.tests:5} tests  {file.name}"
            )


class FileCosts(NamedTuple):
    """What the tests of a file cost."""

    name: str
    tests: int
    wall: float
    """In seconds, as is the CPU."""
    cpu: float


def by_file(folder: Path) -> list[FileCosts]:
    """Returns what the tests of each file cost; the most CPU first."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for path in folder.glob("*.tsv"):
        for line in path.read_text().splitlines():
            wall, cpu, test = line.split("\t", 2)
            found[test.partition("::")[0]].append((float(wall), float(cpu)))
    files = [
        FileCosts(name, len(costs), sum(wall for wall, _ in costs), sum(cpu for _, cpu in costs))
        for name, costs in found.items()
    ]
    return sorted(files, key=lambda file: -file.cpu)
