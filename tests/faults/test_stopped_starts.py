"""SIGTERM at any moment of a start: the process ends by itself, leaves nothing behind, and the next start works.

A moment is a count of what Python's audit hooks tell, such as an opened file, a connection or a child: so each run has
the same moments, however fast the machine is.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, final

import pytest

from tests.support.arena.running import Service, environment, service
from tests.support.arena.standing import Arena
from tests.support.folders import paths_below, short_folder
from tests.support.forked import Forked
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import free_port
from tests.support.sizes import exhaustive

MOMENT_COUNT: Final = 20
SEVERAL: Final = pytest.mark.nightly(
    "the same with one process; `test_processes.py` has one of several end before it has served"
)
_STOPS: Final = """
import os, signal, sys

count, place, me = 0, os.open({place!r}, os.O_CREAT | os.O_WRONLY), os.getpid()

def at_moment(event, arguments):
    global count
    if os.getpid() != me:
        return
    count += 1
    os.pwrite(place, b"%d" % count, 0)
    if count == {moment}:
        os.kill(me, signal.SIGTERM)

sys.addaudithook(at_moment)
"""


@final
class Program:
    """A program that serves, in a folder of its own."""

    def __init__(self, folder: Path, serves: str, *arguments: str) -> None:
        self.folder = folder
        self._serves = serves
        self._arguments = arguments
        self._log = folder / "log"
        self._counted = folder / "moments"

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8") if self._log.exists() else ""

    def starts_and_stops(self) -> int:
        """Returns how many moments a start has that nobody disturbs."""
        self._log.unlink(missing_ok=True)
        running = self._start(0)
        wait_until(lambda: self._serves in self.log or running.poll() is not None, lambda: f"it serves: {self.log}")
        moments = int(self._counted.read_text())
        running.terminate()
        assert running.wait(PATIENCE) == 0, self.log
        return moments

    def is_stopped_at(self, moment: int) -> None:
        """Starts it and asks it to stop at that moment; it ends and leaves no process."""
        self._log.unlink(missing_ok=True)
        status = self._start(moment).wait(PATIENCE)
        assert status in {0, -signal.SIGTERM}, self.log
        assert not re.search("Traceback|ERROR|CRITICAL|exception", self.log), self.log
        wait_until(lambda: not self._processes(), lambda: f"no process is left: {self._processes()}")

    def files(self) -> set[str]:
        """Returns what is in the folder, without the numbers in names."""
        return {
            re.sub(r"[0-9a-f]{8,}|\d+", "N", str(path.relative_to(self.folder))) for path in paths_below(self.folder)
        }

    def _start(self, moment: int) -> Forked:
        first = _STOPS.format(place=str(self._counted), moment=moment)
        return Forked(self._arguments, self._log, environment(), first)

    def _processes(self) -> list[str]:
        """Returns the commands of living processes that have the folder in them."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue  # gone
            if f"{self.folder}/" in command:
                found.append(command)
        return found


Starts = Callable[[Path], Program]


@pytest.fixture
def hosted() -> Iterator[Service]:
    with service() as running:
        yield running


def holds(program: Starts) -> None:
    """Asserts that a program may be asked to stop at all moments of its start."""
    with short_folder() as undisturbed:
        usual = program(undisturbed)
        moments = usual.starts_and_stops()
        files = usual.files()
    wanted = MOMENT_COUNT if exhaustive() else 1
    for number in range(wanted):
        with short_folder() as folder:
            stopped = program(folder)
            stopped.is_stopped_at(1 + moments * (2 * number + 1) // (2 * wanted))
            stopped.starts_and_stops()
            assert stopped.files() == files


@pytest.mark.exhaustive
@pytest.mark.parametrize("processes", ["1", pytest.param("2", marks=SEVERAL)])
def test_a_service_may_be_stopped_while_it_starts(processes: str) -> None:
    def serve(folder: Path) -> Program:
        options = ["--data", str(folder / "d"), "--listen", f"127.0.0.1:{free_port()}", "--processes", processes]
        return Program(folder, "fudaba serves on", "serve", *options, "--organiser-token-file", str(folder / "token"))

    holds(serve)


def _arena(hosted: Service, folder: Path) -> Program:
    options = ["--data", str(folder / "d"), "--listen", f"unix:{folder}/a", "--server", hosted.address]
    token = folder / "token"
    token.write_text(hosted.arena_token)
    return Program(folder, "fudaba arena serves on", "arena", "serve", *options, "--token-file", str(token))


@pytest.mark.exhaustive
def test_an_arena_may_be_stopped_while_it_starts(hosted: Service) -> None:
    holds(lambda folder: _arena(hosted, folder))


@pytest.mark.exhaustive
def test_a_worker_may_be_stopped_while_it_starts(hosted: Service) -> None:
    with short_folder() as place:
        arena = Arena(hosted, place, "--workers").start()

        def work(folder: Path) -> Program:
            options = ["--data", str(place / "data"), "--logs", str(folder / "logs"), "--server", hosted.address]
            options += ["--token-file", str(place / "token")]
            return Program(folder, "fudaba arena worker plays as", "arena", "worker", *options)

        try:
            holds(work)
        finally:
            assert arena.stop() == 0, arena.output


@pytest.mark.nightly("the starts of its parts are stopped at a moment each, by the other tests here")
def test_all_of_fudaba_on_one_machine_may_be_stopped_while_it_starts() -> None:
    def up(folder: Path) -> Program:
        options = ["--listen", f"unix:{folder}/s", "--arena-listen", f"unix:{folder}/a", "--web-listen", "127.0.0.1:0"]
        return Program(folder, "Fudaba is up", "up", "--data", str(folder / "d"), *options)

    holds(up)
