"""The tools that tests need beside Python, and what is said at the end of those that were absent.

The list of them is `scripts/_tools`.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import pytest

IN_CI: Final = os.environ.get("CI") == "true"
_LIST: Final = Path(__file__).parents[2] / "scripts" / "_tools"
_ABSENT: Final = re.compile(r"(?:(\S+) is not on PATH|the library (\S+) is not installed)")
"""The message of `need` about a missing tool."""


class Tool(NamedTuple):
    """A line of the list."""

    package: str
    brings: tuple[str, ...]
    tested: str
    optional: bool
    """Whether the tests go on without it."""


@functools.cache
def tools() -> tuple[Tool, ...]:
    """Returns all of the list."""
    lines = [line.split(maxsplit=2) for line in _LIST.read_text(encoding="utf-8").splitlines()]
    return tuple(
        Tool(package.removesuffix("?"), tuple(brings.split(",")), why, package.endswith("?"))
        for package, brings, why in lines
        if package != "#"
    )


def bringing(name: str) -> Tool | None:
    """Returns the tool that brings a command or a library (`grpc++.pc`); None if nothing in the list does."""
    return next((tool for tool in tools() if name in (Path(thing).name for thing in tool.brings)), None)


def need(name: str) -> Path:
    """Returns the path of a tool, or of what pkg-config knows of a library; as `need_tool` says where it is absent."""
    library = name.removesuffix(".pc")
    found = shutil.which(name) if library == name else _told_by_pkg_config(library)
    if found is not None:
        return Path(found)
    reason = f"{name} is not on PATH" if library == name else f"the library {library} is not installed"
    if IN_CI:
        pytest.fail(f"{reason}; with CI=true every tool has to be there")
    pytest.skip(reason)


def _told_by_pkg_config(library: str) -> str | None:
    """Returns the folder of a library's description."""
    if shutil.which("pkg-config") is None:
        return None
    done = subprocess.run(["pkg-config", "--variable=pcfiledir", library], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def wanting(items: list[pytest.Item]) -> dict[str, list[pytest.Item]]:
    """Returns the tests that run on a tool as well (`also_on`) and cannot, by the tool that is absent.

    With CI=true none.
    """
    left_out: dict[str, list[pytest.Item]] = {}
    for item in () if IN_CI else items:
        for marker in item.iter_markers("also_on"):
            if shutil.which(marker.args[0]) is None:
                left_out.setdefault(marker.args[0], []).append(item)
    return left_out


def absent_in(reason: str) -> str | None:
    """Returns the tool that a skipped test says it wants; None if it was skipped for another reason."""
    found = _ABSENT.search(reason)
    return found and (found[1] or f"{found[2]}.pc")


def absence_lines(absent: Counter[str]) -> Iterable[str]:
    """Yields a line for each absent tool, with the number of tests that it cost."""
    for name, number in absent.most_common():
        tool = bringing(name)
        tests = "1 test was" if number == 1 else f"{number} tests were"
        if tool is None:
            yield f"{name} is absent, and {tests} left out"
        else:
            yield f"{name} is absent, and {tests} left out: {tool.tested}. scripts/test --install-tools {tool.package}"
