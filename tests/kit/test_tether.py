"""A tethered process ends with its parent, by the kernel and by a guardian."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fudaba import tether
from tests.support.patience import PATIENCE

WAYS = [pytest.param(True, id="guardian"), pytest.param(False, id="kernel")]
if sys.platform != "linux":
    WAYS.pop()


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def members(session: int) -> list[int]:
    """Returns the living processes of a session."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(place.name))
    return found


def wait_until_gone(session: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while members(session):
        assert time.monotonic() < deadline, "something was left behind"
        time.sleep(0.01)


@pytest.mark.parametrize("guardian", WAYS)
def test_a_child_ends_with_its_killed_parent(guardian: bool) -> None:
    program = f"""
import time
from fudaba import tether
print(tether.start(["sh", "-c", "echo ready; sleep 600"], guardian={guardian}).pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        lines = {parent.stdout.readline().strip(), parent.stdout.readline().strip()}
        assert "ready" in lines
        (child,) = (int(line) for line in lines if line != "ready")
        assert runs(child)
        parent.kill()
    deadline = time.monotonic() + PATIENCE
    while runs(child):
        assert time.monotonic() < deadline, "the child was left behind"
        time.sleep(0.01)


@pytest.mark.parametrize("guardian", WAYS)
def test_a_child_that_ends_first_leaves_nothing_behind_once_it_is_let_go(guardian: bool) -> None:
    child = tether.start(["sh", "-c", "exit 3"], guardian=guardian)
    assert child.wait() == 3
    if child.stdin is not None:
        child.stdin.close()
    wait_until_gone(child.pid)


@pytest.mark.parametrize("guardian", WAYS)
def test_a_child_has_an_empty_input_and_one_output(guardian: bool) -> None:
    child = tether.start(["sh", "-c", "cat; echo out; echo err >&2"], guardian=guardian, output=subprocess.PIPE)
    assert child.stdout is not None
    with child:
        assert child.stdout.read() == b"out\nerr\n"
    wait_until_gone(child.pid)


@pytest.mark.parametrize("guardian", WAYS)
def test_a_command_that_cannot_be_executed_says_so(guardian: bool) -> None:
    with tether.start(["/no/such/program"], guardian=guardian, output=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.read() == b"cannot start /no/such/program: No such file or directory\n"
    assert child.returncode == 127
    wait_until_gone(child.pid)


@pytest.mark.parametrize("guardian", WAYS)
def test_the_chosen_signal_is_the_one_sent(guardian: bool, tmp_path: Path) -> None:
    program = f"""
import signal, time
from fudaba import tether
script = 'trap "echo interrupted > {tmp_path}/said; exit" INT; echo ready; while :; do sleep 0.01; done'
child = tether.start(["bash", "-c", script], end_with=signal.SIGINT, guardian={guardian})
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "ready\n"
        os.kill(parent.pid, signal.SIGKILL)
    said = tmp_path / "said"
    deadline = time.monotonic() + PATIENCE
    while not said.exists() or not said.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert said.read_text() == "interrupted\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a guardian ties it")
def test_a_child_imports_little_before_it_becomes_its_command() -> None:
    """Every store waits for these imports as it starts, and so does every process of several."""
    with tether.start(["true"]) as child:
        assert isinstance(child.args, list)
        script = child.args[3]
    command = [sys.executable, "-I", "-S", "-X", "importtime", script, "kernel", "15", str(os.getpid()), "--", "true"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    imported = {line.rpartition("|")[2].strip() for line in output.splitlines()}
    assert "ctypes" in imported
    assert not imported & {"pathlib", "signal", "subprocess", "typing"}
