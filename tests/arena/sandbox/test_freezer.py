"""A program can be frozen with all that it has started, and killed while it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.cgroups import Cgroups, Group
from fudaba_arena.sandbox.freezer import STATE_V1, STATE_V2, Freezer, thaw
from fudaba_arena.sandbox.leftovers import sweep
from fudaba_arena.sandbox.sandbox import Cause
from fudaba_arena.sandbox.waits import Waits
from tests.support.arena.running import runs
from tests.support.arena.sandbox.freezing import WAYS, frozen_by
from tests.support.arena.sandbox.killing import groups
from tests.support.arena.sandbox.sandboxes import python, said
from tests.support.patience import until, wait_until

pytestmark = pytest.mark.asyncio(loop_scope="module")

COUPLE = """
import os
os.fork()
print("ready", flush=True)
while True: pass
"""
WORKER = """
import asyncio, sys
from pathlib import Path
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.cgroups import Cgroups
from tests.support.arena.sandbox.freezing import frozen_by
from tests.support.arena.sandbox.sandboxes import python, said

found = Cgroups.find()
Cgroups.find = lambda: frozen_by(sys.argv[2], found)

async def main():
    sandbox = Bubblewrap.open(Path(sys.argv[1]))
    running = sandbox.start(python(sys.stdin.read(), freezes=True))
    await said(running, "ready")
    running.freezer.freeze()
    while not running.freezer.frozen: await asyncio.sleep(0.01)
    print("pids", *running.threads(), flush=True)
    await asyncio.sleep(1000)

asyncio.run(main())
"""


def files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.fixture(params=WAYS)
def freezing(request: pytest.FixtureRequest, bubblewrap: Bubblewrap, monkeypatch: pytest.MonkeyPatch) -> Bubblewrap:
    """Returns a sandbox that freezes programs in each way that this host has."""
    monkeypatch.setattr(bubblewrap, "cgroups", frozen_by(request.param, bubblewrap.cgroups))
    return bubblewrap


@pytest.mark.exhaustive
async def test_what_is_frozen_stands_still_and_does_not_wait_for_a_core(freezing: Bubblewrap) -> None:
    waits = Waits()
    running = freezing.start(python(COUPLE, freezes=True, waits=waits))
    await said(running, "ready")
    freezer = running.freezer
    assert freezer is not None
    assert not freezer.at_rest
    freezer.freeze()
    await until(lambda: freezer.frozen, "both stand still")
    before, beside = freezer.cpu(), freezing.start(python("while True: pass"))
    await until(lambda: (beside.counts().cpu or 0.0) > 0.5, "another's work meanwhile")
    await beside.kill()
    assert freezer.cpu() == before
    freezer.thaw()
    await until(lambda: freezer.cpu() > before, "they go on")
    await running.kill()
    assert running.remains() == []


@pytest.mark.exhaustive
async def test_a_frozen_program_is_killed_and_nothing_stays(freezing: Bubblewrap) -> None:
    running = freezing.start(python(COUPLE, freezes=True))
    await said(running, "ready")
    assert running.freezer is not None
    running.freezer.freeze()
    await until(lambda: running.freezer is not None and running.freezer.frozen, "it stands still")
    ending = await running.kill()
    assert ending.cause is Cause.KILLED
    assert running.remains() == []
    running.freezer.freeze()  # of one that is gone this does nothing
    running.freezer.thaw()


@pytest.mark.exhaustive
async def test_a_frozen_program_that_goes_over_a_limit_ends_by_it(freezing: Bubblewrap) -> None:
    running = freezing.start(python(COUPLE, freezes=True, limits={"wall": 0.5}))
    assert running.freezer is not None
    running.freezer.freeze()
    assert (await running.wait()).cause is Cause.WALL
    assert running.remains() == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.exhaustive
async def test_the_frozen_programs_of_a_worker_that_was_killed_are_removed(
    need_sandbox: None, root: Path, way: str
) -> None:
    frozen_by(way, Cgroups.find())
    command = [sys.executable, "-c", WORKER, str(root), way]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(COUPLE)
    worker.stdin.close()
    line = ""
    while not line.startswith("pids"):
        line = worker.stdout.readline()
        assert line, "the worker ended"
    folder = next((root / "owners").glob(f"{worker.pid}-*"))
    pids = [int(pid) for pid in line.split()[1:]]
    worker.kill()
    worker.wait()
    worker.stdout.close()
    assert sweep(root) == [folder.name]
    wait_until(lambda: not any(runs(pid) for pid in pids), "their end")
    assert not folder.exists()
    assert not [path for path in groups() if f"-{folder.name}-" in path.name]


@pytest.mark.exhaustive
async def test_only_what_is_to_be_frozen_is_in_a_group_for_that(freezing: Bubblewrap) -> None:
    group = freezing.cgroups.group("g")
    assert group.freezer is None
    assert freezing.cgroups.group("g", freezes=True).freezer is not None
    if freezing.cgroups.version == "v1":
        assert not {freezing.cgroups.parents["freezer"] / "g"} & {*group.folders}


@pytest.mark.parametrize(
    ("state", "said_frozen", "report_file", "frozen", "thawed"),
    [
        (STATE_V2, "1", ("cgroup.events", "populated 1\nfrozen {}\n"), "1", "0"),
        (STATE_V1, "FROZEN", (STATE_V1, "{}\n"), "FROZEN", "THAWED"),
    ],
)
async def test_each_version_is_frozen_by_its_own_file(
    tmp_path: Path, state: str, said_frozen: str, report_file: tuple[str, str], frozen: str, thawed: str
) -> None:
    version = "v2" if state == STATE_V2 else "v1"
    group = Group(version, dict.fromkeys(("cpu", "freezer"), tmp_path))
    (tmp_path / state).touch()
    (tmp_path / "cpu.stat").write_text("usage_usec 2500000\nnr_throttled 0\n", encoding="ascii")
    (tmp_path / "cgroup.threads").write_text("", encoding="ascii")
    freezer = group.freezer
    assert isinstance(freezer, Freezer)
    freezer.freeze()
    assert (tmp_path / state).read_text(encoding="ascii") == frozen
    (tmp_path / report_file[0]).write_text(report_file[1].format(said_frozen), encoding="ascii")
    assert freezer.frozen
    if version == "v2":
        assert freezer.cpu() == 2.5
    thaw(tmp_path)
    assert (tmp_path / state).read_text(encoding="ascii").startswith(thawed)
    assert {*files(tmp_path)} == {state, "cpu.stat", "cgroup.threads", report_file[0]}


async def test_where_nothing_can_be_frozen_nothing_is_written(tmp_path: Path) -> None:
    Freezer(tmp_path, lambda: None).freeze()
    thaw(tmp_path / "gone")
    assert not files(tmp_path)
