"""What this host has to build and run submitted bots with: a runtime for each language, found where it is installed.

A runtime is called by its language and version, such as `python-3.11`. A sandbox shows all of `/usr`, and of what is
installed elsewhere the folders that the runtime says.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, final

import fudaba
import fudaba_games
from fudaba_arena.sandbox.probe import own_python
from fudaba_arena.submissions.faults import BadSubmission, Fault
from fudaba_arena.submissions.manifest import OTHER, Manifest

__all__ = ["Runtime", "Runtimes"]

_SYSTEM: Final = Path("/usr")
_PATH: Final = ("/usr/local/bin", "/usr/bin", "/bin")
_ANSWER_SECONDS: Final = 20.0
_OFFLINE: Final[Mapping[str, Mapping[str, str]]] = {
    "go": {"GOCACHE": "/tmp/go-cache", "GOPATH": "/tmp/go", "GOPROXY": "off", "GOTOOLCHAIN": "local",  # noqa: S108
           "GOFLAGS": "-buildvcs=false", "CGO_ENABLED": "0"},
    "rust": {"CARGO_HOME": "/tmp/cargo", "CARGO_NET_OFFLINE": "true"},  # noqa: S108
}  # fmt: skip
"""What tools need to build without a network, in a sandbox's own folder for temporary files."""
_TOOLS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "node": (("node", "--version"), ()),
    "go": (("go", "version"), ("go", "env", "GOROOT")),
    "rust": (("rustc", "--version"), ("rustc", "--print", "sysroot")),
    "java": (("java", "-version"), ()),
    "cpp": (("g++", "-dumpfullversion"), ()),
}
"""Of each language, what prints its version, and what prints where it is installed, where the program's own path does
not say that."""


@final
@dataclass(frozen=True, slots=True)
class Runtime:
    """What a language's programs are built and run with."""

    name: str
    language: str
    shown: Mapping[Path, Path] = field(default_factory=dict)
    """The folders outside of the system's that a sandbox shows, as `Job.read_only` has them."""
    path: Sequence[str] = ()
    """Folders of programs that come before the system's."""
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        """The environment of what is built and run with it."""
        return {"PATH": ":".join([*self.path, *_PATH]), **self.variables}


@final
class Runtimes:
    """The runtimes of a host."""

    @cached_property
    def known(self) -> Sequence[Runtime]:
        """Those that are installed. The first time each one's program is started, which takes a second."""
        return tuple(_found())

    def of(self, manifest: Manifest) -> Runtime:
        """The runtime that a submission needs. Raises `BadSubmission`."""
        fits = [one for one in self.known if one.language == manifest.language]
        for one in fits:
            if manifest.runtime in {"", one.name}:
                return one
        have = ", ".join(one.name for one in self.known)
        wanted = manifest.runtime or manifest.language
        raise BadSubmission(Fault.RUNTIME, f"there is no runtime {wanted} here; there are: {have}")


def _found() -> Iterator[Runtime]:
    packages = {Path(package.__path__[0]).parent for package in (fudaba, fudaba_games)}
    shown = own_python()
    shown |= {path: path for path in packages if not any(path.is_relative_to(one) for one in (*shown, _SYSTEM))}
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    yield Runtime(f"python-{version}", "python", shown, [str(Path(sys.prefix) / "bin")])
    for language, (version_of, place_of) in _TOOLS.items():
        program = shutil.which(version_of[0])
        said = _said(version_of) if program is not None else ""
        number = re.search(r"\d+(\.\d+)?", said)
        if program is None or number is None:
            continue
        root = Path(_said(place_of).strip()) if place_of else Path(program).resolve().parent.parent
        bare = number[0].partition(".")[0] if language in {"node", "java", "cpp"} else number[0]
        folders = {} if root.is_relative_to(_SYSTEM) else {root: root}
        yield Runtime(
            f"{language}-{bare}",
            language,
            folders | _settings(language),
            [str(root / "bin")],
            _OFFLINE.get(language, {}),
        )
    yield Runtime(OTHER, OTHER)


def _settings(language: str) -> dict[Path, Path]:
    """What Debian's Java has outside of its own folder."""
    return {path: path for path in Path("/etc").glob("java-*-openjdk")} if language == "java" else {}


def _said(command: Sequence[str]) -> str:
    """What a program prints; empty when it fails."""
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=_ANSWER_SECONDS, env=os.environ | {"LANG": "C"}
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return ran.stdout or ran.stderr
