"""Workers that are forked say all that others do, and leave as little."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.patience import PATIENCE, wait_until
from tests.support.service.descendants import alive

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers are not forked")

_ROOT: Final = Path(__file__).resolve().parents[2]
_COMMON: Final = """
import os, pathlib, signal, time

FOLDER = pathlib.Path(os.environ["NOTES"])

def note(name):
    with (FOLDER / name).open("a") as file:
        file.write(f"{os.getpid()} {os.environ.get('PYTEST_XDIST_WORKER')}\\n")

note("imported")
"""


@contextlib.contextmanager
def started(folder: Path, tests: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Pytest with two workers, in a session of its own, on a file with these tests."""
    file = folder / "test_these.py"
    file.write_text(_COMMON + tests, encoding="utf-8")
    plugins = ("-p", "xdist", "-p", "tests.support.workers.plugin", "-p", "no:cacheprovider")
    place = ("-c", os.devnull, "--rootdir", str(folder))
    command = [sys.executable, "-m", "pytest", *plugins, *place, "-n", "2", "--dist", "worksteal", *options, str(file)]
    known = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        env=known | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "NOTES": str(folder), "PYTHONPATH": str(_ROOT)},
    )  # fmt: skip
    try:
        yield run
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.communicate()


def said(run: subprocess.Popen[str]) -> str:
    """Returns what a run says until it ends; nothing of it is left then."""
    output, _ = run.communicate(timeout=PATIENCE)
    wait_until(lambda: not left_of(run.pid), "the end of all processes of the run")
    return output


def left_of(session: int) -> list[int]:
    """Returns the processes of a session that have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
            found += [int(stat.parent.name)] if int(its_session) == session and state not in "ZX" else []
    return found


@pytest.mark.exhaustive
def test_tests_are_collected_once_and_each_worker_has_its_own_folder_and_output(tmp_path: Path) -> None:
    tests = """
import pytest

@pytest.mark.parametrize("number", range(6))
def test_number(number, tmp_path, worker_id, testrun_uid):
    note(worker_id)
    print("output of", number)
    assert worker_id == os.environ["PYTEST_XDIST_WORKER"] and testrun_uid == os.environ["PYTEST_XDIST_TESTRUNUID"]
    assert f"popen-{worker_id}" in str(tmp_path)
    assert number != 3
"""
    with started(tmp_path, tests, f"--basetemp={tmp_path / 'temporary'}") as run:
        output = said(run)
    assert "1 failed, 5 passed" in output, output
    assert "output of 3" in output
    assert "output of 2" not in output
    assert len((tmp_path / "imported").read_text().splitlines()) == 1
    noted = {line.split()[0] for worker in ("gw0", "gw1") for line in (tmp_path / worker).read_text().splitlines()}
    assert len(noted) == 2
    assert run.returncode == 1


@pytest.mark.exhaustive
def test_of_a_worker_that_dies_it_is_told_which_test_it_ran_and_another_one_goes_on(tmp_path: Path) -> None:
    tests = """
def test_dies():
    os.kill(os.getpid(), signal.SIGKILL)

def test_passes():
    pass

def test_passes_too():
    pass
"""
    with started(tmp_path, tests) as run:
        output = said(run)
    assert "crashed while running" in output, output
    assert "test_dies" in output
    assert "1 failed, 2 passed" in output
    assert run.returncode == 1


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="each worker starts its own fork server there")
@pytest.mark.exhaustive
def test_what_a_worker_has_had_forked_ends_with_it_however_it_ends(tmp_path: Path) -> None:
    tests = """
import pytest
from tests.support import forked

@pytest.mark.parametrize("ending", ["killed", "over"])
def test_forks(ending, tmp_path):
    server = forked.Forked([], tmp_path / "log", {}, main="signal:pause")
    assert forked.fork_server() > 0
    (FOLDER / ending).write_text(f"{server.pid} {forked.fork_server()}")
    if ending == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
"""
    with started(tmp_path, tests) as run:
        output = said(run)
        assert "1 failed, 1 passed" in output, output
        forked = [int(pid) for name in ("killed", "over") for pid in (tmp_path / name).read_text().split()]
        wait_until(lambda: not any(alive(pid) for pid in forked), "the end of all that was forked")


@pytest.mark.exhaustive
def test_an_interrupted_run_tells_of_it_and_of_what_failed_until_then(tmp_path: Path) -> None:
    tests = """
def test_fails():
    assert False, "as it should"

def test_lasts():
    note("lasts")
    time.sleep(600)

def test_lasts_too():
    note("lasts too")
    time.sleep(600)

def test_never_begins():
    note("never")
"""
    with started(tmp_path, tests) as run:
        wait_until(lambda: all((tmp_path / name).exists() for name in ("lasts", "lasts too")), "both workers last")
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does
        output = said(run)
    assert "KeyboardInterrupt" in output or "Interrupted" in output, output
    assert "as it should" in output
    assert run.returncode == 2


@pytest.mark.exhaustive
def test_where_the_main_process_is_killed_its_workers_end(tmp_path: Path) -> None:
    tests = """
def test_lasts():
    note("lasts")
    time.sleep(600)
"""
    with started(tmp_path, tests) as run:
        wait_until((tmp_path / "lasts").exists, "the test begins")
        run.kill()
        said(run)


@pytest.mark.exhaustive
def test_what_cannot_be_collected_is_told(tmp_path: Path) -> None:
    with started(tmp_path, "raise ValueError('nothing to collect')\n") as run:
        output = said(run)
    assert "nothing to collect" in output, output
    assert "error" in output.splitlines()[-1]
    assert run.returncode != 0
