"""The embedded Valkey: what runs, and its end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import redis

from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.patience import PATIENCE


@contextlib.contextmanager
def client(server: EmbeddedValkey) -> Iterator[Any]:
    with contextlib.closing(redis.Redis.from_url(server.url)) as connection:
        yield connection


def wait_until_written(connection: Any) -> None:
    """Waits until the kernel has all that was acknowledged: a busy disk lets the log lag behind the answers."""
    wait_until(lambda: connection.info("persistence")["aof_buffer_length"] == 0)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


def runs(pid: int) -> bool:
    """Returns whether it runs; an ended process that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill(server: EmbeddedValkey) -> None:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: not server.alive)


def parent_process(folder: Path, then: str) -> subprocess.Popen[str]:
    """Returns another Python process that starts a server in the folder, prints its pid, and goes on with `then`."""
    program = f"""
import time
from pathlib import Path
from fudaba_serving.redis.valkey import EmbeddedValkey
server = EmbeddedValkey(Path({str(folder)!r}))
server.start()
print(server.pid, server.socket_path, flush=True)
{then}
"""
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
