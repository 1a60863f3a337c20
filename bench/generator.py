"""The compiled load generator, `bench/load_generator`: built when needed, and run as a separate process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from bench.processes import pin
from bench.rows import Skipped

__all__ = ["Generator", "Taken", "Times", "generator"]

_SOURCE: Final = Path(__file__).parent / "load_generator"


@dataclass
class Times:
    """The times of repeated operations, in milliseconds."""

    count: int
    p50: float
    p99: float
    longest: float


@dataclass
class Taken:
    """A generator's work since the last call."""

    seconds: float
    units: int
    """Answers, or round trips."""
    messages: int
    up: float
    """The mean number of bytes sent to the server for one unit."""
    down: float
    asked: int
    """The number of matches in which a bot was asked something."""
    refused: int
    """The number of refused answers."""
    ended: int
    """The number of ended streams."""
    moved: int
    """The number of matches that have continued."""
    last: float
    """The seconds until the last of these had continued."""
    wait: Times
    """The time from an answer until the next decision, or a round trip."""
    late: Times
    """The time from the timeout of a decision until it was closed."""

    @property
    def rate(self) -> float:
        """The units per second."""
        return self.units / self.seconds


@final
class Generator:
    """A running generator."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def tell(self, line: str) -> str:
        """Sends it a line. Returns its answer."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the generator has no input or output")
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the generator has ended; what it printed above says why")
        return answer

    def taken(self) -> Taken:
        """Returns its work since the last call."""
        return self._read("take")

    def looked(self) -> Taken:
        """Returns the same without resetting the counts."""
        return self._read("look")

    def _read(self, command: str) -> Taken:
        read: dict[str, Any] = json.loads(self.tell(command))
        units = max(1, read["Units"])
        return Taken(
            read["Seconds"], read["Units"], read["Messages"], read["Up"] / units, read["Down"] / units,
            read["Asked"], read["Refused"], read["Ended"], read["Moved"], read["Last"],
            _times(read["Wait"]), _times(read["Late"]),
        )  # fmt: skip


def _times(read: dict[str, Any]) -> Times:
    return Times(read["Count"], read["P50"], read["P99"], read["Max"])


@contextmanager
def generator(
    core: int | None, *, kind: str, port: str, tokens: Sequence[str] = (), **settings: object
) -> Iterator[Generator]:
    """Yields a generator of this kind, `play` or `echo`, on its own core. Its settings are those of `config` in
    main.go.

    Raises `Skipped` if it cannot be built.
    """
    process = subprocess.Popen([_built()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if core is not None:
            pin(process.pid, core)
        running = Generator(process)
        running.tell(json.dumps({"kind": kind, "address": f"127.0.0.1:{port}", "tokens": list(tokens), **settings}))
        yield running
    finally:
        process.kill()
        process.communicate()


def _built() -> Path:
    """Returns the program, rebuilt if its source has changed."""
    go = shutil.which("go")
    if go is None:
        raise Skipped("it needs Go, which builds the load generator")
    program = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fudaba-bench" / "load"
    subprocess.run([go, "build", "-o", program, "."], cwd=_SOURCE, check=True)
    return program
