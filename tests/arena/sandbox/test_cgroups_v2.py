"""Control groups of version 2, as a tree of files that behaves as the kernel's: few hosts of these tests have it."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from pathlib import Path
from typing import Final

import pytest

from fudaba_arena.sandbox import cgroups
from fudaba_arena.sandbox.cgroups import Cgroups, Counts, Group
from fudaba_arena.tournament.limits import Limits
from tests.support.patience import PATIENCE

ALL: Final = "cpuset cpu io memory hugetlb pids rdma misc"
LIMITS: Final = Limits(cores=1.5, memory=50_000_000, processes=20)


class Tree:
    """The file system of version 2, mounted in a folder, with this process in the group `/system/worker`."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place = place
        self.refuses: dict[str, int] = {}
        """For each name of a file, with what error a write to it ends."""
        self.own = place / "system" / "worker"
        self.mounted = "/"
        self.path = "/system/worker"
        self.make(self.own)
        self._plain_read, self._plain_write = cgroups._read, cgroups._write
        monkeypatch.setattr(cgroups, "_read", self._read)
        monkeypatch.setattr(cgroups, "_write", self._write)

    def make(self, folder: Path, processes: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cgroup.controllers").write_text(f"{ALL}\n")
        (folder / "cgroup.subtree_control").write_text("")
        (folder / "cgroup.procs").write_text(processes)

    def _read(self, path: Path) -> str:
        if path == Path("/proc/self/mountinfo"):
            return (
                "22 1 0:20 / /proc rw - proc proc rw\n"
                f"31 22 0:27 {self.mounted} {self.place} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
            )
        return f"0::{self.path}\n" if path == Path("/proc/self/cgroup") else self._plain_read(path)

    def _write(self, path: Path, value: object) -> None:
        if path.name in self.refuses:
            raise OSError(self.refuses[path.name], os.strerror(self.refuses[path.name]))
        if path.name == "cgroup.subtree_control" and self._plain_read(path.parent / "cgroup.procs").strip():
            raise OSError(errno.EBUSY, "Device or resource busy")  # a group with processes hands nothing on
        if path.name == "cgroup.procs":
            for other in self.place.rglob("cgroup.procs"):  # a process is in one group
                left = [pid for pid in other.read_text().split() if pid != str(value)]
                other.write_text("".join(f"{pid}\n" for pid in left))
            known = path.read_text() if path.exists() else ""
            path.write_text(f"{known}{value}\n")
            return
        self._plain_write(path, value)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    return Tree(tmp_path / "cgroup", monkeypatch)


def text(path: Path) -> str:
    return path.read_text().strip()


@pytest.mark.parametrize("mounted", ["/", "/docker/a1b2"], ids=["whole", "a container's part"])
def test_what_the_kernel_offers_is_handed_on_to_the_groups_of_bots(tree: Tree, mounted: str) -> None:
    tree.mounted, tree.path = mounted, f"{mounted.rstrip('/')}/system/worker"
    found = Cgroups.find()
    assert (found.version, found.why_not, found.pins) == ("v2", "", True)
    assert set(found.parents) == {"memory", "pids", "cpu", "cpuset"}
    assert set(found.parents.values()) == {tree.own}
    assert text(tree.own / "cgroup.subtree_control") == "+cpu +cpuset +memory +pids"
    assert not [path for path in tree.own.iterdir() if path.is_dir()], "nothing is left of the trial"


def test_a_group_with_processes_moves_all_of_them_into_one_of_their_own(tree: Tree) -> None:
    tree.make(tree.own, "17\n23\n")
    assert Cgroups.find().why_not == ""
    assert text(tree.own / "cgroup.procs") == ""
    assert (tree.own / "fudaba-host" / "cgroup.procs").read_text().split() == ["17", "23"]
    assert "+memory" in text(tree.own / "cgroup.subtree_control")


@pytest.mark.parametrize(
    ("error", "advice"), [(errno.EROFS, "see its control groups writable"), (errno.EACCES, "Delegate=yes")]
)
def test_what_is_in_the_way_is_told_with_what_to_do(tree: Tree, error: int, advice: str) -> None:
    tree.refuses["cgroup.subtree_control"] = error
    found = Cgroups.find()
    assert (found.version, found.parents) == ("", {})
    assert found.why_not.startswith("no control group for memory, pids, cpu, cpuacct: ")
    assert advice in found.why_not


def test_a_controller_that_is_not_there_is_missing_and_the_others_hold(tree: Tree) -> None:
    (tree.own / "cgroup.controllers").write_text("cpu pids\n")
    found = Cgroups.find()
    assert (found.version, set(found.parents), found.pins) == ("v2", {"cpu", "pids"}, False)
    assert found.why_not == "no control group for memory: the kernel or the container does not offer them"


def group(tree: Tree, cores: tuple[int, ...] = ()) -> tuple[Group, Path]:
    bot_group = Cgroups.find().group("fudaba-1-x", cores)
    [folder] = bot_group.folders
    assert folder == tree.own / "fudaba-1-x"
    return bot_group, folder


def test_a_bots_group_has_all_its_limits(tree: Tree) -> None:
    bot_group, folder = group(tree, (2, 3))
    folder.mkdir()
    (folder / "memory.swap.max").write_text("max\n")  # as the kernel has it where swap is counted
    bot_group.make(LIMITS)
    assert {path.name: text(path) for path in folder.iterdir()} == {
        "memory.max": "50000000",
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "24",  # four are the sandbox's own
        "cpu.max": "150000 100000",
        "cpuset.cpus": "2,3",
    }
    assert bot_group.entrances == [folder / "cgroup.procs"]


def test_where_swap_is_not_counted_or_no_cores_are_chosen_nothing_is_said_of_them(tree: Tree) -> None:
    bot_group, folder = group(tree)
    bot_group.make(LIMITS)
    assert {path.name for path in folder.iterdir()} == {"memory.max", "memory.oom.group", "pids.max", "cpu.max"}


def test_what_a_bot_has_used_is_read_as_the_kernel_writes_it(tree: Tree) -> None:
    bot_group, folder = group(tree)
    assert bot_group.counts() == Counts(0.0, None, 0, 0, 0, 1)
    bot_group.make(LIMITS)
    (folder / "cpu.stat").write_text(
        "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\nnr_periods 30\nnr_throttled 7\nthrottled_usec 90\n"
    )
    (folder / "memory.peak").write_text("49999872\n")
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 12\noom 1\noom_kill 3\noom_group_kill 1\n")
    (folder / "pids.events").write_text("max 5\n")
    (folder / "pids.current").write_text("9\n")
    assert bot_group.counts() == Counts(2.5, 49_999_872, 3, 5, 7, 5)
    (folder / "pids.current").write_text("4\n")
    assert bot_group.counts().processes == 5, "older kernels do not note the most: what was seen counts"
    (folder / "pids.peak").write_text("24\n")
    assert bot_group.counts().processes == 20
    (folder / "cgroup.threads").write_text("41\n42\n")
    assert list(bot_group.threads) == [41, 42]


@pytest.mark.parametrize("kills", [True, False], ids=["with cgroup.kill", "before Linux 5.14"])
def test_all_of_a_group_is_killed_and_nothing_new_begins_in_it(tree: Tree, kills: bool) -> None:
    bot_group, folder = group(tree)
    bot_group.make(LIMITS)
    if kills:
        (folder / "cgroup.kill").write_text("")
    running = subprocess.Popen(["sleep", "1000"])
    try:
        (folder / "cgroup.procs").write_text(f"{running.pid}\n0\n")  # 0 is one of another namespace
        assert not bot_group.kill()
        assert running.wait(PATIENCE) == -signal.SIGKILL
        assert not bot_group.kill(), "a process that is gone is no matter, and the group is not empty yet"
    finally:
        running.kill()
    assert text(folder / ("cgroup.kill" if kills else "pids.max")) == ("1" if kills else "0")
    (folder / "cgroup.procs").write_text("")
    assert bot_group.kill()
