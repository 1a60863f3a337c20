"""Prepares a bot's folder before it is played or sent, since an arena builds it without a network.

`fudaba bot new` prints these commands. Packing or playing an unprepared folder names the missing one.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from fudaba.errors import FudabaError
from fudaba.text_files import NotText, read_text

__all__ = ["NotPrepared", "Preparation", "build_here", "fetch", "needed", "prepare"]


@final
class NotPrepared(FudabaError):
    """A folder cannot be prepared; `str()` says why."""


@final
@dataclass(frozen=True, slots=True)
class Preparation:
    """A command that fetches a bot's dependencies into its folder."""

    command: tuple[str, ...]
    makes: str
    """The file or folder that exists once it has run."""

    def instruction(self, folder: Path) -> str:
        """Returns what to do if it has not run yet."""
        return (
            f"{self.makes} is missing, which is sent along since an arena builds without a network: run "
            f"{shlex.join(self.command)!r} in {folder}"
        )


_FETCH: Final[Mapping[str, Preparation]] = {
    "node": Preparation(("npm", "ci"), "node_modules"),
    "go": Preparation(("go", "mod", "vendor"), "vendor"),
    "rust": Preparation(("cargo", "vendor"), "vendor"),
    "java": Preparation(("mvn", "-q", "package"), "bot.jar"),
}
_BUILD_HERE: Final[Mapping[str, tuple[str, ...]]] = {
    "go": ("go", "build", "-mod=vendor", "-o", "bot", "."),
    "rust": ("cargo", "build", "--release", "--locked"),
    "cpp": ("make", "-j2"),
}


def fetch(language: str) -> Preparation | None:
    """Returns the step that fetches the dependencies of a new bot in a language. Returns None if it has none."""
    return _FETCH.get(language)


def build_here(language: str) -> tuple[str, ...]:
    """Returns the command that builds a new bot in a language on its author's machine; empty if nothing is built."""
    return _BUILD_HERE.get(language, ())


def needed(folder: Path) -> Preparation | None:
    """Returns the step that a bot's folder still needs before it is sent; None if there is none, or it is unknown."""
    try:
        manifest = tomllib.loads(read_text(folder / "bot.toml"))
        language = manifest.get("language")
        preparation = _FETCH.get(language) if isinstance(language, str) else None
        if preparation is None or not _NEEDS[str(language)](folder, manifest):
            return None
    except (OSError, NotText, ValueError):  # other readers of these files report their mistakes
        return None
    return None if (folder / preparation.makes).exists() else preparation


def prepare(folder: Path, preparation: Preparation) -> None:
    """Runs the command of a preparation. Its output goes to standard error. Raises `NotPrepared`."""
    program = preparation.command[0]
    if shutil.which(program) is None:
        raise NotPrepared(f"{preparation.instruction(folder)}; there is no {program} here, install it")
    status = subprocess.run(preparation.command, cwd=folder, stdin=subprocess.DEVNULL, stdout=2, check=False).returncode
    if status != 0:
        raise NotPrepared(f"{shlex.join(preparation.command)!r} in {folder} ended with status {status}")
    if not (folder / preparation.makes).exists():
        raise NotPrepared(f"{shlex.join(preparation.command)!r} in {folder} did not make {preparation.makes}")


def _node_needs(folder: Path, _: Mapping[str, Any]) -> bool:
    return bool(json.loads(read_text(folder / "package.json")).get("dependencies"))


def _go_needs(folder: Path, _: Mapping[str, Any]) -> bool:
    return re.search(r"^\s*require\b", read_text(folder / "go.mod"), re.MULTILINE) is not None


def _rust_needs(folder: Path, _: Mapping[str, Any]) -> bool:
    return bool(tomllib.loads(read_text(folder / "Cargo.toml")).get("dependencies"))


def _java_needs(folder: Path, manifest: Mapping[str, Any]) -> bool:
    start: Sequence[object] = manifest.get("start", [])
    return "bot.jar" in start and (folder / "pom.xml").is_file()


_NEEDS: Final[Mapping[str, Callable[[Path, Mapping[str, Any]], bool]]] = {
    "node": _node_needs,
    "go": _go_needs,
    "rust": _rust_needs,
    "java": _java_needs,
}
"""Whether a bot of the language needs anything, judging by its own files."""
