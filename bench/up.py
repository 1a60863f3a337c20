"""`fudaba up` under measurement: a service, an arena, a worker and a gateway, with ladders of built-in bots."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from bench.processes import free_port

__all__ = ["create_ladder", "run_fudaba", "up"]


@contextmanager
def up(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Starts `fudaba up`. Yields the gateway's address, and the environment of an organiser's commands."""
    service, arena, web = (f"127.0.0.1:{free_port()}" for _ in range(3))
    command = [sys.executable, "-m", "fudaba", "up", "--data", str(folder), "--listen", service]
    command += ["--arena-listen", arena, "--web-listen", web]
    environment = os.environ | {"FUDABA_SERVER": service, "FUDABA_ARENA": arena}
    with (folder.parent / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        try:
            _until_served(f"http://{web}/", process)
            token = (folder / "organiser.token").read_text(encoding="utf-8").strip()
            yield f"http://{web}", environment | {"FUDABA_TOKEN": token}
        finally:
            process.terminate()
            process.wait()


def _until_served(url: str, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            with urlopen(url, timeout=10):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("fudaba up has ended")


def create_ladder(folder: Path, environment: dict[str, str], name: str, entries: int) -> None:
    """Creates a ladder of Naga with a number of built-in bots."""
    text = f'name = "{name}"\ngame = "naga"\noptions = {{ deals = 1 }}\nprovisional_blocks = 1\n'
    for number in range(entries):
        text += f'[[bots]]\nname = "{name}-{number}"\nbuiltin = "{("random", "first")[number % 2]}"\n'
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    run_fudaba(environment, "ladder", "create", str(file))


def run_fudaba(environment: dict[str, str], *words: str) -> None:
    """Runs a command, which must succeed."""
    subprocess.run([sys.executable, "-m", "fudaba", *words], env=environment, check=True, capture_output=True)
