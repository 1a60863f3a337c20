"""The build cache of `scripts/_build_cache`, for what tests build: it is empty, or has what compilers made of the same.

What they make of a bot's own files is taken from it only where these, the kit, the commands and the tools are the same:
`clients/outcomes.py`. Java's, which are in one jar with the kit, is taken only where all has been tested.
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

_MAX_TARGETS: Final = 2
"""The number of Cargo's folders that are kept, those that were used last: of a bot and of the generator with their
packages."""


@cache
def build_cache() -> Path:
    """Returns where it is. With an empty FUDABA_BUILD_CACHE it is this process's own, and ends with it."""
    named = os.environ.get("FUDABA_BUILD_CACHE")
    if named == "":
        place = tempfile.mkdtemp(prefix="fudaba-builds-")
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        return Path(place)
    return Path(named or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fudaba")


def compilers() -> Mapping[str, str]:
    """Returns the variables with which compilers of Go and C++ use it, whatever the folder is in which they are
    called."""
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
    """Yields a folder in which Cargo finds built what a project needs of others: its CARGO_TARGET_DIR. One at a time
    builds.

    Cargo tells by their times alone whether files have changed, and those of a new project are new. So the kit's are
    put back to when the folder first saw their content; the project's own count as changed.
    """
    target = _target(project / "Cargo.lock")
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for path in (project / "src").rglob("*.rs"):
            path.touch()
        _as_old_as_its_content(project / "fudaba", target)
        yield target


def _target(lock: Path) -> Path:
    """Cargo's folder for what a lock file names, and this version of Cargo's compiler."""
    compiler = subprocess.run(["rustc", "-Vv"], check=True, capture_output=True).stdout
    kept = build_cache() / "cargo"
    target = kept / sha256(compiler + lock.read_bytes()).hexdigest()[:16]
    if not target.exists():
        target.mkdir(parents=True)
        for old in sorted((path for path in kept.iterdir() if path.is_dir()), key=_used)[:-_MAX_TARGETS]:
            shutil.rmtree(old, ignore_errors=True)
    os.utime(target)
    return target


def _as_old_as_its_content(kit: Path, target: Path) -> None:
    """Gives a kit's files the time at which their content came to Cargo's folder, where another was before.

    What was built earlier is older than that, and so is built anew.
    """
    files = [path for path in sorted(kit.rglob("*")) if path.is_file()]
    found = sha256()
    for path in files:
        content = path.read_bytes()
        found.update(f"{path.relative_to(kit)}\0{len(content)}\0".encode() + content)
    seen = target / "kit"
    if not seen.exists() or seen.read_text(encoding="ascii") != found.hexdigest():
        seen.write_text(found.hexdigest(), encoding="ascii")
    since = seen.stat().st_mtime_ns
    for path in files:
        os.utime(path, ns=(since, since))


def _used(path: Path) -> float:
    return path.stat().st_mtime
