"""A hunt finds a test that fails now and then, and leaves nothing behind, however it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.hunting.order import shuffled
from tests.support.arena.running import runs
from tests.support.patience import PATIENCE, wait_until

RACES = """\
import pathlib

def test_is_good():
    pass

def test_fails_the_second_time():
    file = pathlib.Path(__file__).with_name("runs")
    before = file.read_text() if file.exists() else ""
    file.write_text(before + "x")
    assert before != "x"
"""
HANGS = """\
import pathlib, subprocess, time

def test_hangs():
    child = subprocess.Popen(["sleep", "3600"])
    pathlib.Path(__file__).with_name("hangs").touch()
    child.wait()
"""
MARK = "HUNTED_IN"


def hunt(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Returns a hunt for tests in a folder; all its processes have a mark in their environment."""
    env = os.environ | {MARK: str(folder), "TMPDIR": str(folder)}
    command = [
        sys.executable,
        "-m",
        "tests.hunting",
        *words,
        str(folder / "test_it.py"),
        "-n0",
        "-p",
        "no:cacheprovider",
    ]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def marked(folder: Path) -> list[int]:
    """Returns the processes of a hunt that have not ended."""
    mark = f"{MARK}={folder}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (place / "environ").read_bytes().split(b"\0") and runs(int(place.name)):
                found.append(int(place.name))
        except OSError:
            continue  # gone, or not ours
    return found


def command_of(pid: int) -> bytes:
    """Returns the command line of a process; nothing if it has ended, as who lets another one go on does at any
    time."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def hogs(folder: Path) -> list[int]:
    return [pid for pid in marked(folder) if b"while True" in command_of(pid)]


@pytest.mark.exhaustive
def test_a_test_that_failed_once_is_told_with_its_seed_how_often_and_its_log(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(RACES)
    done = hunt(tmp_path, "--times", "2", "--load", "0", "--seed", "7")
    output, _ = done.communicate(timeout=PATIENCE)
    assert done.returncode == 1, output
    assert "test_fails_the_second_time failed 1 of 2 times" in output
    [line] = [line for line in output.splitlines() if line.startswith("  seed 8: ")]
    assert 'assert before != "x"' in Path(line.partition(": ")[2]).read_text()
    assert "test_is_good failed" not in output
    assert f"scripts/test --hunt --seed 8 --times 1 --load 0 {tmp_path}/test_it.py" in output
    assert not marked(tmp_path)


@pytest.mark.nightly("a hunt in which a test fails once tells that one alone, below")
def test_a_hunt_in_which_nothing_fails_says_so(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_is_good():\n    pass\n")
    done = hunt(tmp_path, "--times", "2", "--load", "0")
    output, _ = done.communicate(timeout=PATIENCE)
    assert done.returncode == 0, output
    assert "nothing failed in 2 runs" in output


@pytest.mark.exhaustive
def test_a_hunt_for_tests_that_there_are_not_fails_at_once(tmp_path: Path) -> None:
    done = hunt(tmp_path, "--times", "2", "--load", "0")
    output, _ = done.communicate(timeout=PATIENCE)
    assert done.returncode == 1, output
    assert "run 2 of 2" not in output
    assert "file or directory not found" in output


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(signal.SIGINT, marks=pytest.mark.nightly("the same with SIGTERM, which ends it in the same way")),
        pytest.param(signal.SIGTERM, marks=pytest.mark.exhaustive),
        signal.SIGKILL,
    ],
)
def test_no_hog_and_nothing_stopped_is_left_of_a_hunt_that_is_cut_off(tmp_path: Path, sent: signal.Signals) -> None:
    (tmp_path / "test_it.py").write_text(HANGS)
    hunting = hunt(tmp_path, "--load", "1")
    try:
        wait_until((tmp_path / "hangs").exists, "the test runs")
        assert len(hogs(tmp_path)) == 1
    finally:
        hunting.send_signal(sent)
        hunting.send_signal(sent)  # as `timeout` does, or somebody who is in a hurry
        output, _ = hunting.communicate(timeout=PATIENCE)
    assert hunting.returncode == (-sent if sent == signal.SIGKILL else 130), output
    if sent != signal.SIGKILL:
        assert "nothing failed in 0 runs" in output
    left = [pid for pid in marked(tmp_path) if b"sleep" not in command_of(pid)]
    wait_until(lambda: not set(left) & set(marked(tmp_path)), lambda: f"{left} end")
    for pid in marked(tmp_path):  # of the test itself, which nothing ties to it
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_an_order_follows_from_its_seed_and_keeps_files_together() -> None:
    tests = [f"{file}::{number}" for file in "abcdef" for number in range(6)]

    def drawn(seed: int) -> list[str]:
        return shuffled(tests, lambda test: test[0], seed)

    assert drawn(1) == drawn(1) != drawn(2)
    assert sorted(drawn(1)) == tests
    files = [test[0] for test in drawn(1)]
    assert sum(before != after for before, after in pairwise(files)) == 5
