"""The runtimes with which a worker builds and runs submitted bots, and the contents of each.

A runtime is named by its language and version, such as `python-3.11`, or as the worker's file names it. A sandbox shows
all of `/usr` and, of what is installed elsewhere, the folders that the runtime names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final, final

from fudaba_arena.store.workers.runtimes import KnownRuntime
from fudaba_arena.submissions.faults import BadSubmission, Fault
from fudaba_arena.submissions.manifest import Manifest

__all__ = ["Runtime", "Runtimes"]

_PATH: Final = ("/usr/local/bin", "/usr/bin", "/bin")


@final
@dataclass(frozen=True, slots=True)
class Runtime:
    """The tools that build and run a language's programs."""

    name: str
    language: str
    version: str = ""
    """The version of the language, as its own programs print it."""
    until: date | None = None
    """The last day on which it may be used; None if that is unknown."""
    shown: Mapping[Path, Path] = field(default_factory=dict)
    """The folders outside of the system's that a sandbox shows, in the form of `Job.read_only`."""
    path: Sequence[str] = ()
    """The folders of programs that precede the system's."""
    variables: Mapping[str, str] = field(default_factory=dict)
    contents: Sequence[tuple[str, str]] = ()
    """Its contents: names and versions."""
    lists: Sequence[str] = ()
    """The command that lists these, which also showed that it works."""

    @property
    def env(self) -> dict[str, str]:
        """Returns the environment of programs that are built and run with it."""
        return {"PATH": ":".join([*self.path, *_PATH]), **self.variables}

    def known(self) -> KnownRuntime:
        """Returns the part of it that the arena stores."""
        until = "" if self.until is None else self.until.isoformat()
        return KnownRuntime.with_contents(self.name, self.language, self.version, until, self.contents)


@final
class Runtimes:
    """The runtimes of a worker: the newest of each language first, and among equal ones those of the worker's file."""

    def __init__(self, known: Sequence[Runtime]) -> None:
        self.known = sorted(known, key=lambda runtime: [-part for part in _numbers(runtime.version)])

    def for_manifest(self, manifest: Manifest) -> Runtime:
        """Returns the runtime that a submission needs. Raises `BadSubmission`.

        If the submission chooses none, it is the newest, preferably one without a known last day.
        """
        fits = [runtime for runtime in self.known if runtime.language == manifest.language]
        fits.sort(key=lambda candidate: candidate.until is not None)
        for fitting in fits:
            if manifest.runtime in {"", fitting.name}:
                return fitting
        if not fits:
            raise BadSubmission(Fault.RUNTIME, f"there is no runtime for {manifest.language} here")
        have = ", ".join(runtime.name for runtime in fits)
        wanted = f"there is no runtime {manifest.runtime} for {manifest.language} here"
        raise BadSubmission(Fault.RUNTIME, f"{wanted}; there are: {have}")


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]
