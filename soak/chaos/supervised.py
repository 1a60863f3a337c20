"""A process that is restarted when it ends, as by a supervisor. It notes whether the process ended by itself."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple, final

from tests.support.service.processes import Process

__all__ = ["Ended", "Supervised", "children", "freeze", "signal_process", "thaw"]

_POLL_SECONDS: Final = 0.05
_STOP_TIMEOUT_SECONDS: Final = 40.0
"""The timeout of a stop, in seconds. A service of several processes gives these fifteen seconds, and a machine under
faults is busy.
"""
_RESTART_SECONDS: Final = 0.5


class Ended(NamedTuple):
    """A process that ended by itself, or with a wrong status."""

    at: float
    name: str
    how: str
    log: str
    """The end of its log."""


@final
class Supervised:
    """A process. `command` makes its command line, which may change from start to start."""

    def __init__(
        self,
        folder: Path,
        name: str,
        command: Callable[[], list[str]],
        environment: dict[str, str],
        serves: Callable[[str], bool],
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.process = Process(folder, name)
        self.name = name
        self._command = command
        self._environment = environment
        self._serves = serves
        self.wanted = False
        """Whether it should run now."""
        self.may_end = False
        """Whether its end is expected now, as for a Redis whose disk is full."""
        self.starts = 0
        self.ended: list[Ended] = []
        self.before_start: Callable[[], None] = lambda: None

    @property
    def running(self) -> bool:
        """Whether the process exists, frozen or not."""
        return self.process.running

    @property
    def serving(self) -> bool:
        """Whether it runs and has finished starting."""
        return self.running and self._serves(self.process.log)

    def tail(self) -> str:
        """Returns the end of its log."""
        return "\n".join(self.process.log.splitlines()[-25:])

    def start(self) -> None:
        """Starts it, and keeps it running."""
        self.wanted = True
        if not self.process.running:
            self._launch()

    async def watch(self) -> None:
        """Restarts it whenever it has ended, until cancelled."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            if self.wanted and not self.process.running:
                self._note_end()
                await asyncio.sleep(_RESTART_SECONDS)
                if self.wanted and not self.process.running:
                    self._launch()

    async def kill(self) -> None:
        """Kills it as a power cut would. It stays down until `start`."""
        self.wanted = False
        if self.process.running:
            self.process.signal(signal.SIGKILL)
            await asyncio.to_thread(self.process.wait)

    async def stop(self) -> None:
        """Asks it to end. It stays down until `start`."""
        self.wanted = False
        if not self.running:
            return
        serving = self._serves(self.process.log)
        self.process.signal(signal.SIGTERM)
        if not await self._ends():
            self._report(f"did not stop within {_STOP_TIMEOUT_SECONDS:g} s of SIGTERM")
            await self.kill()
            return
        status = self.process.wait()
        # While it is starting nobody has taught it to end well.
        if status != 0 and serving:
            self._report(f"was told to stop, and ended with status {status}")

    async def _ends(self) -> bool:
        """Returns whether it ends soon."""
        until = time.monotonic() + _STOP_TIMEOUT_SECONDS
        while self.process.running and time.monotonic() < until:  # noqa: ASYNC110 - it tells nobody that it ends
            await asyncio.sleep(_POLL_SECONDS)
        return not self.process.running

    def freeze(self) -> None:
        """Stops it without ending it."""
        if self.process.running:
            self.process.freeze()

    def thaw(self) -> None:
        """Lets it continue."""
        if self.process.running:
            self.process.thaw()

    def _launch(self) -> None:
        self.before_start()
        self.starts += 1
        self.process.launch(self._command(), self._environment)

    def _note_end(self) -> None:
        status = self.process.wait()
        # A start that is refused says why, and is tried again.
        if self.may_end or not self._serves(self.process.log):
            return
        self._report(f"ended by itself with status {status}")

    def _report(self, fault: str) -> None:
        self.ended.append(Ended(time.monotonic(), self.name, fault, self.tail()))


def children(pid: int) -> list[int]:
    """Returns the processes that a process has started: a worker's bots, or a service's processes."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):  # it has gone in the meantime
            if int((place / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(place.name))
    return found


def signal_process(pid: int, number: signal.Signals) -> None:
    """Sends a signal to a process that may have gone in the meantime."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def freeze(process: Supervised, *, whole: bool) -> None:
    """Freezes a process; `whole` includes everything that it started, like a machine that is cut off."""
    if process.running:
        process.freeze()
        for pid in children(process.process.pid) if whole else []:
            signal_process(pid, signal.SIGSTOP)


def thaw(process: Supervised) -> None:
    """Thaws a process and everything that it started."""
    if process.running:
        for pid in children(process.process.pid):
            signal_process(pid, signal.SIGCONT)
        process.thaw()
