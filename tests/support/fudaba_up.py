"""`fudaba up` in a folder of its own, with sockets there."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2
from tests.support.arena.running import environment, runs
from tests.support.folders import short_folder
from tests.support.forked import Forked
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.descendants import descendants
from tests.support.service.processes import FUDABA

__all__ = ["CHILDREN", "Up", "up"]

CHILDREN = ("web", "worker", "arena", "service")
"""In the order in which they stop."""


class Up:
    """`fudaba up` with sockets in its folder."""

    def __init__(
        self, folder: Path, *options: str, first: str = "", log: str = "log", packages: Path | None = None
    ) -> None:
        self.folder = folder
        self._log = folder / log
        self.arena = f"unix:{folder}/a"
        where = ["--data", str(folder / "d"), "--listen", f"unix:{folder}/s", "--arena-listen", self.arena]
        where += ["--web-listen", "127.0.0.1:0"]
        self.process = (
            Forked(["up", *where, *options], self._log, environment(), first)
            if packages is None
            else _of_release(packages, ["up", *where, *options], self._log)
        )

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8") if self._log.exists() else ""

    def wait_until_up(self) -> None:
        def says_so() -> bool:
            assert self.process.poll() is None, self.log
            return "Fudaba is up" in self.log

        wait_until(says_so, lambda: f"it is up: {self.log}")

    def child(self, name: str) -> int:
        """Returns the process id of a child, by its command and the folder that it uses."""
        own = {"worker": "arena", "web": "gateway.token"}.get(name, name)
        folder = str(self.folder / "d" / own).encode()
        command = name.encode() if name in {"worker", "web"} else b"serve"
        for pid in descendants(self.process.pid):
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue  # gone
            if folder in words and command in words and runs(pid):
                return pid
        return 0

    def counted(self) -> int:
        """Returns how many matches of the tournament count; -1 when nobody answers."""
        with Client(self.arena) as client:
            request = arena_pb2.GetTournamentRequest(tournament="lasting")
            try:
                return client.arena.GetTournament(request, timeout=5).tournament.progress.matches_counted
            except ServiceError:
                return -1

    def another(self, name: str, than: int) -> bool:
        """Returns whether a child has been started again."""
        return self.child(name) not in {0, than}

    def counted_beyond(self, matches: int) -> bool:
        """Returns whether more matches count."""
        return self.counted() > matches

    @property
    def web(self) -> str:
        """The gateway's address, once it has told it."""
        found: list[str] = re.findall(r"^  for browsers +(\S+?)(?:, .*)?$", self.log, re.MULTILINE)
        return found[-1]


def _of_release(packages: Path, words: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(
            [FUDABA, *words],
            env=environment() | {"PYTHONPATH": str(packages), "COLUMNS": "200"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


@contextmanager
def up(
    *options: str, folder: Path | None = None, first: str = "", log: str = "log", packages: Path | None = None
) -> Iterator[Up]:
    """Yields one in a folder of its own, or in this one. It has ended with its children when the block is left.

    `packages` is the folder of another release, whose `fudaba up` it then is.
    """
    with short_folder() if folder is None else nullcontext(folder) as place:
        running = Up(place, *options, first=first, log=log, packages=packages)
        try:
            yield running
        except BaseException as error:
            error.add_note(running.log)  # what it was doing is what one wants to know
            raise
        finally:
            children = [pid for pid in map(running.child, CHILDREN) if pid]
            running.process.kill()
            running.process.wait(PATIENCE)
            wait_until(lambda: not any(map(runs, children)), "its children end with it")
