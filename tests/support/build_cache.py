"""The build cache of `scripts/_build_cache`, for what tests build: it is empty, or has what compilers made of the same.

What they make of a bot's own files is never taken from it.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

__all__ = ["build_cache", "cargo_target", "compilers"]

_MOST_TARGETS: Final = 2
"""So many of Cargo's folders are kept, those that were used last: of this state of the kit, and of another one."""


@cache
def build_cache() -> Path:
    """Where it is. With an empty FUDABA_BUILD_CACHE it is this process's own, and ends with it."""
    named = os.environ.get("FUDABA_BUILD_CACHE")
    if named == "":
        place = tempfile.mkdtemp(prefix="fudaba-builds-")
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        return Path(place)
    return Path(named or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fudaba")


def compilers() -> Mapping[str, str]:
    """The variables with which compilers of Go and C++ use it, whatever the folder is in which they are called."""
    variables = {"GOCACHE": str(build_cache() / "go"), "GOFLAGS": "-trimpath"}
    if shutil.which("ccache"):
        variables |= {
            "CXX": f"ccache {os.environ.get('CXX', 'c++').removeprefix('ccache ')}",
            "CCACHE_DIR": str(build_cache() / "ccache"),
            "CCACHE_COMPILERCHECK": "content",
            "CCACHE_NOHASHDIR": "1",
            "CCACHE_MAXSIZE": "2G",
        }
    return variables


@contextmanager
def cargo_target(project: Path) -> Iterator[Path]:
    """A folder in which Cargo finds built what a project needs of others: its CARGO_TARGET_DIR. One at a time builds.

    The folder is that of one state of the kit, since Cargo tells by their times alone whether files have changed; the
    project's own files count as changed.
    """
    source = project / "src"
    kit = project / "fudaba" if (project / "fudaba").is_dir() else source
    target = _target([project / "Cargo.lock", *sorted(path for path in kit.rglob("*") if path.is_file())])
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for path in source.rglob("*.rs"):
            path.touch()
        yield target


def _target(inputs: list[Path]) -> Path:
    """Cargo's folder for what these files say, and this version of it."""
    found = sha256(subprocess.run(["rustc", "-Vv"], check=True, capture_output=True).stdout)
    for path in inputs:
        found.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    kept = build_cache() / "cargo"
    target = kept / found.hexdigest()[:16]
    if not target.exists():
        target.mkdir(parents=True)
        for old in sorted((path for path in kept.iterdir() if path.is_dir()), key=_used)[:-_MOST_TARGETS]:
            shutil.rmtree(old, ignore_errors=True)
    os.utime(target)
    return target


def _used(path: Path) -> float:
    return path.stat().st_mtime
