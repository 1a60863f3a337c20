"""Nothing stays of programs that are killed at any moment, nor of a worker that dies with programs in sandboxes."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fudaba_arena.sandbox.bubblewrap import Bubblewrap, Wrapped
from fudaba_arena.sandbox.leftovers import UIDS, Home, sweep
from fudaba_arena.sandbox.sandbox import Cause
from tests.arena.running import runs
from tests.arena.sandbox.conftest import python, said
from tests.service.processes import wait_until

pytestmark = pytest.mark.asyncio(loop_scope="module")

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
COUPLE = """
import os, time
if os.fork(): print("ready", flush=True)
time.sleep(100_000)
"""
WORKER = """
import asyncio, sys
from pathlib import Path
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.unsafe import Unsafe
from tests.arena.sandbox.conftest import python, said

async def main():
    place = Path(sys.argv[1])
    sandbox = Bubblewrap.open(place) if sys.argv[2] == "bubblewrap" else Unsafe.open(print, place)
    running = [sandbox.start(python(code)) for code in (sys.stdin.read(), "while True: pass", "while True: pass")]
    await said(running[0], "ready")
    print("pids", *(one.pid for one in running), flush=True)
    await asyncio.sleep(1000)

asyncio.run(main())
"""


def groups() -> list[Path]:
    """The control groups of sandboxes of this test's worker processes."""
    return [path for path in Path("/sys/fs/cgroup").rglob("fudaba-*") if path.is_dir()]


def processes(uids: range = UIDS) -> Iterator[int]:
    """The processes that run under uids of sandboxes."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if place.stat().st_uid in uids and runs(int(place.name)):
                yield int(place.name)
        except FileNotFoundError:
            continue


async def ended_at_random(sandbox: Bubblewrap, chance: random.Random, free: asyncio.Semaphore, code: str) -> None:
    """Starts a program, and ends it after a moment in one of several ways. Nothing is left of it."""
    async with free:
        running = sandbox.start(python(code))
        await asyncio.sleep(chance.choice((0, chance.uniform(0, 0.02), chance.uniform(0, 0.4))))
        how = chance.randrange(3)
        if how == 0:
            await running.kill()
        elif how == 1:  # as a task that is cancelled does
            waiting = asyncio.create_task(running.kill(Cause.WALL))
            await asyncio.sleep(0)
            waiting.cancel()
            await running.wait()
        else:  # as whoever kills its first process
            os.kill(running.pid, signal.SIGKILL)
            await running.wait()
        assert running.remains() == []


async def end_many(sandbox: Bubblewrap, number: int) -> None:
    """Twenty at once, until so many were started and ended."""
    chance, free = random.Random(number), asyncio.Semaphore(20)
    await asyncio.gather(*(ended_at_random(sandbox, chance, free, FAMILY) for _ in range(number)))


async def test_of_fifty_programs_killed_at_random_moments_nothing_is_left(bubblewrap: Bubblewrap) -> None:
    await end_many(bubblewrap, 50)


@pytest.mark.exhaustive
async def test_of_five_hundred_programs_killed_at_random_moments_nothing_is_left(bubblewrap: Bubblewrap) -> None:
    await end_many(bubblewrap, 500)


async def test_a_loop_that_ends_takes_its_programs_with_it(need_sandbox: None, root: Path) -> None:
    """As a worker does whose tasks are cancelled: nobody awaits their end."""
    started: list[Wrapped] = []

    async def leave() -> None:
        sandbox = Bubblewrap.open(root / "left")
        running = sandbox.start(python(FAMILY))
        started.append(running)
        await said(running, "ready")

    await asyncio.to_thread(asyncio.run, leave())
    assert started[0].remains() == []


@pytest.mark.parametrize("kind", ["bubblewrap", "unsafe"])
async def test_what_a_worker_left_that_was_killed_is_removed(need_sandbox: None, root: Path, kind: str) -> None:
    command = [sys.executable, "-c", WORKER, str(root), kind]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220
    assert worker.stdin is not None
    assert worker.stdout is not None
    # Without a sandbox a process that leaves its group is not found, and files are the host's.
    worker.stdin.write(FAMILY if kind == "bubblewrap" else COUPLE)
    worker.stdin.close()
    line = ""
    while not line.startswith("pids"):
        line = worker.stdout.readline()
        assert line, "the worker ended"
    folder = next((root / "owners").glob(f"{worker.pid}-*"))
    assert sweep(root) == []  # it lives
    pids = [int(pid) for pid in line.split()[1:]]
    assert all(runs(pid) for pid in pids)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    assert folder.exists()
    assert sweep(root) == [folder.name]
    assert not folder.exists()
    wait_until(lambda: not any(runs(pid) for pid in pids), "their end")
    assert not [path for path in groups() if f"-{folder.name}-" in path.name]
    assert sweep(root) == []


async def test_a_uid_is_nobody_elses_until_it_is_given_back(root: Path) -> None:
    home, other = Home.open(root / "uids-test"), Home.open(root / "uids-test")
    taken = [(home if number % 2 else other).uid() for number in range(20)]
    assert len({one.number for one in taken}) == 20
    for one in taken:
        one.free()
    home.close()
    other.close()
