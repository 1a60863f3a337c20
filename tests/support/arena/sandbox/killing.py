"""Programs that are killed at random moments, and what may be left of them."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.folder_archive import KeptFiles
from fudaba_arena.sandbox.leftovers import UIDS
from fudaba_arena.sandbox.sandbox import Cause
from tests.support.arena.running import runs
from tests.support.arena.sandbox.sandboxes import python

FAMILY = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for number in range(3): open(f"/tmp/{number}", "w").write("left")
if os.fork() == 0:
    os.setsid()
    os.fork()
print("ready", flush=True)
time.sleep(100_000)
"""


def groups(begin: str = "fudaba-") -> list[Path]:
    """Returns the control groups of sandboxes on this machine whose names begin so."""
    # Others come and go meanwhile, which `rglob` does not bear.
    return [
        Path(place, name) for place, names, _ in os.walk("/sys/fs/cgroup") for name in names if name.startswith(begin)
    ]


def processes(uids: range = UIDS) -> Iterator[int]:
    """Yields the processes that run under uids of sandboxes."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if place.stat().st_uid in uids and runs(int(place.name)):
                yield int(place.name)
        except FileNotFoundError:
            continue


async def ended_at_random(sandbox: Bubblewrap, chance: random.Random, free: asyncio.Semaphore, kept: KeptFiles) -> None:
    """Starts a program, and ends it after a moment in one of several ways. Nothing is left of it."""
    async with free:
        remembers, sealed = chance.randrange(2), chance.randrange(2)
        running = sandbox.start(replace(python(FAMILY), kept=kept if remembers else None, sealed=bool(sealed)))
        await asyncio.sleep(chance.choice((0, chance.uniform(0, 0.02), chance.uniform(0, 0.4))))
        manner = chance.randrange(3)
        if manner == 0:
            await running.kill()
        elif manner == 1:  # as a task that is cancelled does
            waiting = asyncio.create_task(running.kill(Cause.WALL))
            await asyncio.sleep(0)
            waiting.cancel()
            await running.wait()
        else:  # as whoever kills its first process
            os.kill(running.pid, signal.SIGKILL)
            await running.wait()
        assert running.remains() == []


async def end_many(sandbox: Bubblewrap, number: int) -> None:
    """Starts twenty at once, until this many were started and ended; half with a folder that lives on, half sealed."""
    chance, free = random.Random(number), asyncio.Semaphore(20)
    with tempfile.TemporaryDirectory() as place:
        kept = [KeptFiles(Path(place) / f"{index}.tar") for index in range(number)]
        await asyncio.gather(*(ended_at_random(sandbox, chance, free, archive) for archive in kept))
