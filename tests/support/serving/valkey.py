"""The embedded Valkey: what runs, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.patience import PATIENCE, wait_until


@contextlib.contextmanager
def client(server: EmbeddedValkey) -> Iterator[Any]:
    with contextlib.closing(redis.Redis.from_url(server.url)) as connection:
        yield connection


def wait_until_written(connection: Any) -> None:
    """Waits until the kernel has all that was acknowledged: a busy disk lets the log lag behind the answers."""
    wait_until(lambda: connection.info("persistence")["aof_buffer_length"] == 0)


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


async def check_ended_if_given_up_while_it_starts(
    opened: contextlib.AbstractAsyncContextManager[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cancels whoever opens a folder while the server there is being started, and checks that it has ended."""
    begun, goes_on = threading.Event(), threading.Event()
    started: list[EmbeddedValkey] = []
    launch = EmbeddedValkey._launch

    def slowly(server: EmbeddedValkey, path: Path) -> None:
        started.append(server)
        begun.set()
        assert goes_on.wait(PATIENCE)
        launch(server, path)

    async def use() -> None:
        async with opened:
            raise AssertionError("it was opened")

    monkeypatch.setattr(EmbeddedValkey, "_launch", slowly)
    using = asyncio.create_task(use())
    assert await asyncio.to_thread(begun.wait, PATIENCE)
    using.cancel()
    await asyncio.sleep(0)
    goes_on.set()
    await asyncio.gather(using, return_exceptions=True)
    assert using.cancelled()
    [server] = started
    with server._changing:  # which its start has until it is over
        left = server.alive
    server.stop()
    assert not left
