"""The steps of a stage of the container file, run below a folder that stands for the container's `/`."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.support.deploy.deployment import ROOT, Instruction

_NO_INDEX: Final = re.compile(
    r"Could not find a version|ConnectionError|NewConnectionError|Max retries|name resolution|ENOTFOUND|ECONNREFUSED"
)
_OUR_PLACES: Final = re.compile(r"(?<![\w.])/(opt|wheels|src)\b")


def _not_sent(folder: str, names: list[str]) -> set[str]:
    """Returns what `.dockerignore` keeps from the build of a folder of the checkout."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    anywhere = [line.removeprefix("**/") for line in lines if line.startswith("**/")]
    below = Path(folder).relative_to(ROOT)
    places = {line.rstrip("/") for line in lines}
    return {
        name
        for name in names
        if str(below / name) in places or any(fnmatch.fnmatch(name, pattern) for pattern in anywhere)
    }


class Container:
    """A folder in which a stage's steps are run.

    `others` are the stages that were run before, by name; `programs` are the tools that the stage's base image has.
    """

    def __init__(self, root: Path, programs: Sequence[Path], others: Mapping[str, Container] | None = None) -> None:
        self.root = root
        self._others = others or {}
        self._folder = root
        (root / "bin").mkdir(parents=True)
        for program in programs:
            (root / "bin" / program.name).symlink_to(program)

    def run(self, instructions: Sequence[Instruction]) -> None:
        """Runs what changes files, in order. Skips the test where the package index cannot be reached."""
        for instruction in instructions:
            if instruction.word == "WORKDIR":
                self._folder = self._place(instruction.rest)
                self._folder.mkdir(parents=True, exist_ok=True)
            elif instruction.word == "COPY":
                self._copy(instruction.words)
            elif instruction.word == "RUN":
                self.step(instruction.rest)

    def step(self, step: str) -> None:
        """Runs one command line, with the container's paths as those below `root`."""
        here = _OUR_PLACES.sub(rf"{self.root}/\1", step)
        own = {name: value for name, value in os.environ.items() if not name.startswith(("VIRTUAL_ENV", "PYTHON"))}
        own |= {"PATH": f"{self.root}/bin:{os.defpath}", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        done = subprocess.run(
            ["sh", "-ec", here], cwd=self._folder, env=own, capture_output=True, text=True, check=False
        )
        if done.returncode and _NO_INDEX.search(done.stdout + done.stderr) and os.environ.get("CI") != "true":
            pytest.skip("the package index cannot be reached")
        assert done.returncode == 0, done.stdout + done.stderr

    def _copy(self, words: Sequence[str]) -> None:
        """Copies as COPY does: into the target where it ends with a slash, else to it."""
        *names, target = words
        source: Path = ROOT
        ignored: Callable[[str, list[str]], set[str]] | None = _not_sent
        if names[0].startswith("--from="):
            source, ignored = self._others[names.pop(0).removeprefix("--from=")].root, None
        for name in names:
            copied = source / name.lstrip("/")
            place = self._place(target)
            if target.endswith("/"):
                place /= copied.name
            place.parent.mkdir(parents=True, exist_ok=True)
            if copied.is_dir():
                shutil.copytree(copied, place, ignore=ignored, dirs_exist_ok=True)
            else:
                shutil.copy(copied, place)

    def _place(self, path: str) -> Path:
        return self.root / path.lstrip("/") if path.startswith("/") else self._folder / path
