"""Finds modules of one package whose names differ by an ending only, such as `check` and `checking`.

A reader cannot tell such modules apart, so each must be named by its part, such as `check_leases` and
`submission_checker`. `scripts/check` runs this over the packages of the servers and the kit.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

__all__ = ["twins"]

_PACKAGES: Final = (
    "serving/fudaba_serving",
    "service/fudaba_service",
    "arena/fudaba_arena",
    "web/fudaba_web",
    "clients/python/fudaba",
)
_ENDINGS: Final = ("ings", "ing", "ers", "er", "ors", "or", "ies", "ied", "ions", "ion", "es", "ed", "s", "d", "e", "y")
_MIN_STEM_CHARS: Final = 4
_ALLOWED: Final = frozenset({frozenset({"record", "records"})})
"""The command `fudaba record`, and a module that authors import."""


def twins(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yields the groups of names that share a stem, each once."""
    by_stem: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        for stem in _stems(name.strip("_")):
            by_stem[stem].add(name)
    yield from sorted({tuple(sorted(group)) for group in by_stem.values() if len(group) > 1})


def _stems(name: str) -> Iterator[str]:
    """Yields a name, and its remainder without each ending."""
    yield name
    for ending in _ENDINGS:
        stem = name.removesuffix(ending)
        if stem != name and len(stem) >= _MIN_STEM_CHARS:
            yield stem
            if stem[-1] == stem[-2]:
                yield stem[:-1]


def main() -> int:
    """Prints each group of such modules; returns 1 if there are any."""
    found = 0
    for package in _PACKAGES:
        listed = subprocess.run(["git", "ls-files", f"{package}/**.py"], capture_output=True, text=True, check=True)
        paths = [path for path in map(PurePosixPath, listed.stdout.splitlines()) if Path(path).exists()]
        names = {path.stem for path in paths if path.name != "__init__.py" and "v1" not in path.parts}
        for group in twins(names):
            bare = frozenset(name.strip("_") for name in group)
            if len(bare) > 1 and bare not in _ALLOWED:
                sys.stdout.write(f"{package}: {', '.join(group)} differ by an ending; name each by its part\n")
                found = 1
    return found


if __name__ == "__main__":
    sys.exit(main())
