"""Prints where requirements.lock does not fit pyproject.toml, or the lock file of a tool does not fit its `.in` file.

Run by `check`; needs no network.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent


def wanted(pyproject: dict[str, Any]) -> Iterator[Requirement]:
    """Yields the requirements of all of pyproject's tables."""
    project = pyproject["project"]
    tables = [pyproject["build-system"]["requires"], project["dependencies"]]
    tables += project.get("optional-dependencies", {}).values()
    tables += pyproject.get("dependency-groups", {}).values()
    for table in tables:
        yield from (Requirement(line) for line in table)


def locked(text: str) -> dict[str, tuple[str, bool]]:
    """Returns, for each package, its version, and whether pyproject itself requires it."""
    found: dict[str, tuple[str, bool]] = {}
    for entry in re.split(r"\n(?=\S)", text):
        head = re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", entry)
        if head:
            found[canonicalize_name(head[1])] = (head[2], re.search(r"# .*\bfudaba\b", entry) is not None)
    return found


def problems(pyproject: dict[str, Any], text: str) -> Iterator[str]:
    """Yields the mismatches, a line for each."""
    lock = locked(text)
    names: set[str] = set()
    for requirement in wanted(pyproject):
        name = canonicalize_name(requirement.name)
        names.add(name)
        version, _ = lock.get(name, (None, False))
        if version is None:
            yield f"{requirement} is not in requirements.lock"
        elif not requirement.specifier.contains(version, prereleases=True):
            yield f"{requirement} is asked for, but requirements.lock has {version}"
    for other, (_, asked) in lock.items():
        if asked and other not in names:
            yield f"{other} is in requirements.lock, but pyproject.toml does not ask for it any more"


def tool_problems(tool: str, wanted_lines: str, text: str) -> Iterator[str]:
    """Yields the mismatches of a tool's lock file, a line for each."""
    lock = locked(text)
    for line in wanted_lines.splitlines():
        if line and not line.startswith("#"):
            requirement = Requirement(line)
            version, _ = lock.get(canonicalize_name(requirement.name), (None, False))
            if version is None or not requirement.specifier.contains(version):
                yield f"{requirement} is asked for, but scripts/_{tool}.lock has {version or 'none'}"


def main() -> int:
    """Returns the exit status."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found = list(problems(pyproject, (ROOT / "requirements.lock").read_text()))
    scripts = ROOT / "scripts"
    for wanted_of_tool in sorted(scripts.glob("_*.in")):
        tool = wanted_of_tool.stem.removeprefix("_")
        found += tool_problems(tool, wanted_of_tool.read_text(), wanted_of_tool.with_suffix(".lock").read_text())
    for line in found:
        sys.stdout.write(f"{line}\n")
    if found:
        sys.stdout.write("Run scripts/lock\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
