"""`fudaba arena worker --probe` says what this host can enforce, by doing it, and what to do where it cannot."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fudaba_arena.sandbox.probe import ISOLATION
from fudaba_arena.tournament.limits import LIMITS, PONDER
from tests.support.arena.running import environment
from tests.support.service.processes import FUDABA


def probed(*options: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = [str(FUDABA), "arena", "worker", "--probe", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment() | more)


def test_the_probe_tries_every_isolation_and_every_limit(need_sandbox: None) -> None:
    done = probed("--json")
    report = json.loads(done.stdout)
    by_name = {finding["name"]: finding for finding in report["findings"]}
    by_worker = {"connections", "output_kept"}  # what the worker itself does, wherever it runs
    assert by_name.keys() == {"sandbox", "uid", "leftovers", PONDER, *ISOLATION, *LIMITS} - by_worker
    failing = [finding for finding in report["findings"] if not finding["holds"]]
    assert all(finding["detail"] for finding in report["findings"])
    assert report["holds"] == (not failing)
    assert done.returncode == (1 if failing else 0)
    # What does not hold on this host says that it is the control groups.
    assert all("no control group" in finding["detail"] for finding in failing), failing


def test_without_bubblewrap_the_probe_says_what_to_install(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("who is not root is told that first")
    done = probed(PATH=str(tmp_path))
    assert done.returncode == 1
    assert "FAILS" in done.stdout
    assert "bwrap is not on PATH; install the package bubblewrap" in done.stdout
    assert "must not run programs from strangers" in done.stdout


def test_what_is_no_bubblewrap_is_told(tmp_path: Path, need_sandbox: None) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho bubblewrap 0.4.1\n")
    (tmp_path / "bwrap").chmod(0o755)
    done = probed(PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode == 1
    assert "install bubblewrap 0.8 or newer" in done.stdout


def test_where_no_namespaces_can_be_made_the_probe_says_why(tmp_path: Path, need_tool: Callable[[str], Path]) -> None:
    """As where AppArmor or a container forbids them: bubblewrap says what the kernel told it."""
    if os.geteuid() != 0:
        pytest.skip("who is not root is told that first")
    bwrap = need_tool("bwrap")
    (tmp_path / "bwrap").write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && exec {bwrap} "$@"\nulimit -n 3; exec {bwrap} "$@"\n'
    )
    (tmp_path / "bwrap").chmod(0o755)
    tmp_path.chmod(0o711)
    done = probed("--json", PATH=f"{tmp_path}:{os.environ['PATH']}")
    findings = json.loads(done.stdout)["findings"]
    assert done.returncode == 1
    assert [finding["name"] for finding in findings] == ["sandbox"]
    assert "could not start the probe" in findings[0]["detail"]


def test_json_goes_with_the_probe() -> None:
    done = subprocess.run(
        [FUDABA, "arena", "worker", "--json"], capture_output=True, text=True, check=False, env=environment()
    )
    assert done.returncode == 2
    assert "--json goes with --probe" in done.stderr
