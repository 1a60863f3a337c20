"""Nothing stays of programs that are killed at any moment, nor of a worker that dies with programs in sandboxes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from fudaba_arena.sandbox.bubblewrap import Bubblewrap, Wrapped
from fudaba_arena.sandbox.cgroups import Cgroups
from fudaba_arena.sandbox.leftovers import Home, sweep
from fudaba_arena.sandbox.sandbox import SandboxUnavailable
from tests.support.arena.running import runs
from tests.support.arena.sandbox.killing import FAMILY, end_many, groups
from tests.support.arena.sandbox.sandboxes import python, said
from tests.support.arena.sandbox.small_disk import fill, small_disk
from tests.support.folders import paths_below
from tests.support.patience import wait_until

pytestmark = pytest.mark.asyncio(loop_scope="module")

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
from tests.support.arena.sandbox.sandboxes import python, said
from tests.support.arena.sandbox.small_disk import fill, small_disk
from tests.support.arena.sandbox.killing import FAMILY, end_many, groups

async def main():
    place = Path(sys.argv[1])
    sandbox = Bubblewrap.open(place) if sys.argv[2] == "bubblewrap" else Unsafe.open(print, place)
    running = [sandbox.start(python(code)) for code in (sys.stdin.read(), "while True: pass", "while True: pass")]
    await said(running[0], "ready")
    print("pids", *(one.pid for one in running), flush=True)
    await asyncio.sleep(1000)

asyncio.run(main())
"""


@pytest.mark.exhaustive
async def test_of_fifty_programs_killed_at_random_moments_nothing_is_left(bubblewrap: Bubblewrap) -> None:
    await end_many(bubblewrap, 50)


@pytest.mark.nightly("the same of fifty")
async def test_of_five_hundred_programs_killed_at_random_moments_nothing_is_left(bubblewrap: Bubblewrap) -> None:
    await end_many(bubblewrap, 500)


@pytest.mark.exhaustive
async def test_where_the_disk_is_full_nothing_is_started_and_nothing_left(need_sandbox: None, root: Path) -> None:
    with small_disk(root / "small", "256k"):
        sandbox = Bubblewrap.open(root / "small")
        before = tree(root / "small")
        filler = fill(root / "small")
        with pytest.raises((SandboxUnavailable, OSError), match="No space left"):
            sandbox.start(python("print('here')"))
        filler.unlink()
        assert tree(root / "small") == before
        ending = await sandbox.start(python("print('here')")).wait()
        assert ending.code == 0
        await sandbox.close()
        assert not [path for path in tree(root / "small") if "owners/" in str(path)]


def tree(folder: Path) -> list[Path]:
    return sorted(paths_below(folder))


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
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


async def test_without_control_groups_a_strike_kills_once_and_waits_for_nothing(
    bubblewrap: Bubblewrap, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process may take long to end: whoever waits for that lets the worker's loop go on."""
    monkeypatch.setattr(bubblewrap, "cgroups", Cgroups("", {}, "there are none"))
    running = bubblewrap.start(python("import time; print('ready', flush=True); time.sleep(100_000)"))
    await said(running, "ready")
    # Nothing but the strike can end this one, so the strike finds it.
    with subprocess.Popen(["sleep", "100000"], user=running._held.uid.number) as other:  # noqa: ASYNC220  # a moment
        try:
            assert not running._strike(), "something was left"
            await running.kill()
            assert not runs(other.pid), "nothing is left"
            assert running.remains() == []
        finally:
            other.kill()


async def test_a_uid_is_nobody_elses_until_it_is_given_back(root: Path) -> None:
    home, other = Home.open(root / "uids-test"), Home.open(root / "uids-test")
    taken = [(home if number % 2 else other).uid() for number in range(20)]
    assert len({taken_uid.number for taken_uid in taken}) == 20
    for uid in taken:
        uid.free()
    home.close()
    other.close()
