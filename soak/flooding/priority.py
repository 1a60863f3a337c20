"""The priorities of processes: attackers come last, and good callers first, as if they had their own machines."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

__all__ = ["first", "niced"]

_GOOD_NICE_LEVEL: Final = -10


@asynccontextmanager
async def niced(
    nice: int, *command: str, environment: Mapping[str, str] | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Runs a command, whose output is read, at a priority until the block is left."""
    process = await asyncio.create_subprocess_exec(
        "nice", "-n", str(nice - os.getpriority(os.PRIO_PROCESS, 0)), *command,
        stdout=asyncio.subprocess.PIPE, start_new_session=True, env=environment,
    )  # fmt: skip
    try:
        while not _nice_session(process.pid, nice):  # noqa: ASYNC110  # the kernel tells nobody when
            await asyncio.sleep(0.1)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@contextlib.contextmanager
def first() -> Iterator[None]:
    """Raises the priority of this process with all its threads for a while. Without root's rights it stays
    unchanged.
    """
    if os.getuid() != 0:
        yield
        return
    threads = [int(path.name) for path in Path("/proc/self/task").iterdir()]
    before = os.getpriority(os.PRIO_PROCESS, 0)
    of_session = _session_nice(os.getpid())
    try:
        _nice_session(os.getpid(), _GOOD_NICE_LEVEL)
        for thread in threads:
            os.setpriority(os.PRIO_PROCESS, thread, _GOOD_NICE_LEVEL)
        yield
    finally:
        _nice_session(os.getpid(), of_session)
        for thread in threads:
            with contextlib.suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, thread, before)


def _session_nice(pid: int) -> int:
    """Returns the priority of a process's session; 0 for none. If Linux shares processors among sessions, they have
    priorities, and that of a process counts only within its session.
    """
    with contextlib.suppress(OSError, ValueError):  # elsewhere there is no such file, or it is empty
        return int(Path(f"/proc/{pid}/autogroup").read_text().rpartition(" ")[2])
    return 0


def _nice_session(pid: int, nice: int) -> bool:
    """Sets that priority, if there is one. Returns False if it was set a moment ago and cannot be set again yet."""
    try:
        Path(f"/proc/{pid}/autogroup").write_text(str(nice))
    except BlockingIOError:  # without root's rights it may be set once in a tenth of a second
        return False
    except OSError:
        pass  # there is none, or the process has ended
    return True
