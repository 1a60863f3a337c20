"""Of a program that is reaped nothing is left, whatever sessions its children made, and however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba import reaper
from fudaba.cli import cli
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.skipif(not reaper.REAPS, reason="there is no reaper on this system")

FORKER = """\
import os, subprocess, sys, time
from pathlib import Path

SLEEPS = "import os, sys, time; open(sys.argv[1] + str(os.getpid()), 'w').close(); time.sleep(3600)"

def child(kind):
    return [sys.executable, "-c", SLEEPS, sys.argv[1] + "/" + kind + "-"]

subprocess.Popen(child("session"), start_new_session=True)
subprocess.Popen(child("same"))
subprocess.Popen(["setsid", "sh", "-c", "trap '' TERM HUP INT; \\"$@\\" & exit", "sh", *child("orphan")]).wait()
while len(os.listdir(sys.argv[1])) < 3:
    time.sleep(0.01)
"""
"""A program with a child in a session of its own, one beside it, and one whose parent has ended; then goes on."""

OPENED = "open(sys.argv[1] + '/../ready', 'w')"
READY = f"{OPENED}; time.sleep(3600)"
FORKS_ON = """\
import os, time
while True:
    if os.fork():
        os._exit(0)
    os.setsid()
    time.sleep(0.0005)
"""
BOT = """\
import fudaba

class Forker(fudaba.Bot):
    def choose(self, decision):
        return 0

fudaba.run(Forker)
"""


def eventually(holds: Callable[[], bool], awaited: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, awaited
        time.sleep(0.01)


def runs(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def marked(mark: str) -> set[int]:
    """Returns the processes that have this in their environment."""
    found = set()
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            with suppress(OSError):  # it has ended, or is somebody else's
                if f"MARK={mark}".encode() in (process / "environ").read_bytes().split(b"\0"):
                    found.add(int(process.name))
    return found


def children(folder: Path) -> list[int]:
    """Returns the children that a forker has started, once there are three."""
    eventually(lambda: len(list(folder.iterdir())) == 3, "the children did not start")
    return [int(path.name.rpartition("-")[2]) for path in folder.iterdir()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "children"
    made.mkdir()
    return made


def started(folder: Path, then: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", FORKER + then, str(folder)]
    return reaper.start(command, cwd=folder, env=dict(os.environ), output=subprocess.DEVNULL, grace_seconds=PATIENCE)


@pytest.mark.parametrize(
    ("then", "status"),
    [
        ("sys.exit(7)", 7),
        ("os.kill(os.getpid(), 6)", -signal.SIGABRT),
        ("os.kill(os.getpid(), 9)", -signal.SIGKILL),
        ("os.kill(os.getpid(), 15)", -signal.SIGTERM),
    ],
)
def test_nothing_is_left_of_a_program_that_ends_and_its_end_is_told_as_it_was(
    then: str, status: int, folder: Path
) -> None:
    process = started(folder, then)
    assert process.wait(PATIENCE) == status
    assert not any(runs(pid) for pid in children(folder))


@pytest.mark.parametrize("number", [reaper.STOP, reaper.KILL])
def test_nothing_is_left_of_a_program_that_is_ended(number: signal.Signals, folder: Path) -> None:
    process = started(folder, "time.sleep(3600)")
    left = children(folder)
    assert all(runs(pid) for pid in left)
    reaper.stop(process, number)
    assert process.wait(PATIENCE) < 0
    assert not any(runs(pid) for pid in left)


def test_a_program_that_is_asked_to_end_may_end_by_itself(folder: Path) -> None:
    then = f"import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [15]); {OPENED}; signal.sigwait([15]); sys.exit(3)"
    process = started(folder, then)
    eventually((folder.parent / "ready").exists, "the program did not start")
    reaper.stop(process, reaper.STOP)
    assert process.wait(PATIENCE) == 3


def test_a_program_that_does_not_end_in_time_is_killed(folder: Path) -> None:
    then = f"import signal; signal.signal(15, signal.SIG_IGN); {READY}"
    command = [sys.executable, "-c", FORKER + then, str(folder)]
    process = reaper.start(command, cwd=folder, env=dict(os.environ), output=subprocess.DEVNULL, grace_seconds=0.1)
    eventually((folder.parent / "ready").exists, "the program did not start")
    reaper.stop(process, reaper.STOP)
    assert process.wait(PATIENCE) == -signal.SIGKILL
    assert not any(runs(pid) for pid in children(folder))


@pytest.mark.exhaustive
def test_a_program_that_forks_on_and_on_is_ended(tmp_path: Path) -> None:
    """Each child leaves one in a session of its own and ends: killing those that are seen would never end."""
    program = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', sys.argv[1]]); time.sleep(3600)"
    command = [sys.executable, "-c", program, FORKS_ON]
    env = {"MARK": str(tmp_path)}
    process = reaper.start(command, cwd=tmp_path, env=env, output=subprocess.DEVNULL, grace_seconds=0)
    eventually(lambda: len(marked(str(tmp_path)) - {process.pid, reaper.the_program(process)}) > 0, "nothing forks")
    reaper.stop(process, reaper.KILL)
    assert process.wait(PATIENCE) == -signal.SIGKILL
    assert not marked(str(tmp_path))


def test_nothing_is_left_when_the_process_that_started_it_is_killed(folder: Path) -> None:
    program = f"""
import os, subprocess, sys, time
from pathlib import Path
from fudaba import reaper
command = [sys.executable, "-c", {FORKER + "time.sleep(3600)"!r}, {str(folder)!r}]
reaper.start(command, cwd=Path("/"), env=dict(os.environ), output=subprocess.DEVNULL, grace_seconds={PATIENCE})
time.sleep(3600)
"""
    with subprocess.Popen([sys.executable, "-c", program]) as parent:
        left = children(folder)
        parent.kill()
    eventually(lambda: not any(runs(pid) for pid in left), "something was left behind")


def test_of_two_programs_only_the_one_that_ends_loses_its_children(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    a, b = started(tmp_path / "a", "time.sleep(3600)"), started(tmp_path / "b", "time.sleep(3600)")
    of_a, of_b = children(tmp_path / "a"), children(tmp_path / "b")
    reaper.stop(a, reaper.KILL)
    a.wait(PATIENCE)
    assert not any(runs(pid) for pid in of_a)
    assert all(runs(pid) for pid in of_b)
    assert runs(reaper.the_program(b))
    assert reaper.the_program(b) != b.pid
    reaper.stop(b, reaper.KILL)
    b.wait(PATIENCE)


def test_what_cannot_be_executed_says_so(tmp_path: Path) -> None:
    output = tmp_path / "output"
    with output.open("wb") as file:
        process = reaper.start(["./nothing"], cwd=tmp_path, env={}, output=file, grace_seconds=1)
    assert process.wait(PATIENCE) == reaper.NOT_STARTED_STATUS
    assert output.read_text(encoding="utf-8") == "cannot start ./nothing: No such file or directory\n"


@pytest.mark.exhaustive
def test_nothing_is_left_of_the_bots_of_a_local_match(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("redis", reason="the service's extra is not installed")
    (folder.parent / "forker.py").write_text(FORKER + BOT, encoding="utf-8")
    monkeypatch.chdir(folder.parent)
    arguments = ["match", "local", "naga", "--bot", f"python forker.py {folder}", "--bot", "first", "--matches", "1"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert not any(runs(pid) for pid in children(folder))
