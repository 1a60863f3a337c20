"""The code of an earlier commit of this clone, as its users have it: built as a wheel, beside the code of now."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest

from tests.support.build_cache import build_cache

__all__ = ["EARLIER", "HANDS_OVER", "installed"]

ROOT: Final = Path(__file__).resolve().parents[3]
EARLIER: Final = "9f7c8be8a79adeb765e5b5ec345696d0000dd35b"
"""The commit whose data folders the code of now opens. A release takes its place once there is one."""
HANDS_OVER: Final = "dee6953ebdbba677c9715f79ca7f6ca9600362fc"
"""The first commit whose `fudaba up` hands over to another one, and takes over from it."""


def installed(commit: str) -> Path:
    """Returns the folder with the packages of a commit, for PYTHONPATH: built once, and kept where builds are.

    A clone that does not have the commit skips the test: history is no tool that could be installed.
    """
    known = subprocess.run(
        ["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=ROOT, check=False, capture_output=True
    )
    if known.returncode != 0:
        pytest.skip(f"this clone has no commit {commit[:9]}, as a shallow one has not: git fetch --unshallow")
    kept = build_cache() / "commits"
    kept.mkdir(parents=True, exist_ok=True)
    place = kept / f"{commit}-{sys.implementation.cache_tag}"
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            with tempfile.TemporaryDirectory(dir=kept) as work:
                _build(commit, Path(work)).rename(place)
    assert str(place) in _run([sys.executable, "-c", "import fudaba; print(fudaba.__file__)"], PYTHONPATH=str(place))
    return place


def _build(commit: str, work: Path) -> Path:
    source, site = work / "source", work / "site"
    source.mkdir()
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", source], input=packed, check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    _run(
        [*pip, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", work, source],
        FUDABA_PAGE="none",
    )
    _run([*pip, "install", "--no-deps", "--no-index", "--target", site, *work.glob("*.whl")])
    shutil.rmtree(source)
    return site


def _run(command: list[str | Path], **variables: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
