"""The service under measurement. It is started by its command line, which builds of different ages share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, final

__all__ = ["Service", "lines_until", "serve", "service"]

_STOP_TIMEOUT_SECONDS = 60.0


@final
@dataclass(frozen=True, slots=True)
class Service:
    """A running service. It listens on 127.0.0.1."""

    pid: int
    port: str
    token: str
    """The organiser's token; empty if the store had one before this start."""
    redis_url: str
    """The URL of its embedded store."""


def serve(data: Path, address: str, *options: str) -> subprocess.Popen[str]:
    """Starts a service, whose output says when it serves. No setting of it comes from the environment."""
    command = [sys.executable, "-m", "fudaba", "serve", "--data", str(data), "--listen", address, *options]
    env = {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def lines_until(output: IO[str] | None, start: str) -> str:
    """Returns the lines up to the first one with this beginning. Raises `RuntimeError` if the service ends before."""
    lines: list[str] = []
    while not lines or not lines[-1].startswith(start):
        line = output.readline() if output is not None else ""
        if not line:
            raise RuntimeError(f"the service ended: {''.join(lines)}")
        lines.append(line)
    return "".join(lines)


@contextmanager
def service(data: Path, *options: str) -> Iterator[Service]:
    """Yields a service with these further options of `fudaba serve`. It is stopped at the end of the block.

    Raises `RuntimeError` if it does not start.
    """
    process = serve(data, "127.0.0.1:0", "--grace", "0", *options)
    try:
        lines = lines_until(process.stdout, "fudaba serves").splitlines()
        token = lines[0].split()[-1] if lines[0].startswith("organiser token") else ""
        yield Service(process.pid, lines[-1].rpartition(":")[2], token, f"unix://{data}/store/valkey.sock")
    finally:
        process.terminate()
        process.wait(_STOP_TIMEOUT_SECONDS)
        if process.stdout is not None:
            process.stdout.close()
