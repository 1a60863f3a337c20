"""Finds the commands that installed distributions add: the entry points of a group.

`importlib.metadata` finds them, too, wherever a distribution is, but its import alone takes a quarter of the time of
`fudaba --help`. So this reads the folders of `sys.path`, and uses `importlib.metadata` only for other places.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import cache, reduce
from importlib import import_module
from importlib.machinery import PathFinder
from typing import Any, Final

__all__ = ["added_commands", "load_command"]

_ABOUT: Final = frozenset({"dist-info", "egg-info"})
"""The endings of the folders in which installers describe distributions."""


@cache
def added_commands(group: str) -> Mapping[str, str]:
    """Returns the commands of installed distributions by name, each as `module:attribute`.

    It looks once, since nothing is installed into a running process.
    """
    found = _in_folders(group)
    if found is None:
        from importlib.metadata import entry_points

        return {point.name: point.value for point in entry_points(group=group)}
    return found


def load_command(place: str) -> Any:
    """Imports an entry point's `module:attribute`. Raises what the import raises."""
    module, _, attribute = place.partition("[")[0].partition(":")
    return reduce(getattr, attribute.strip().split("."), import_module(module.strip()))


def _in_folders(group: str) -> dict[str, str] | None:
    """Does the work of `added_commands`. Returns None if a distribution may be outside the folders of `sys.path`."""
    if any(finder is not PathFinder and hasattr(finder, "find_distributions") for finder in sys.meta_path):
        return None
    commands: dict[str, str] = {}
    known: set[str] = set()
    for place in sys.path:
        try:
            names = os.listdir(place or os.curdir)  # noqa: PTH208  pathlib takes longer to import
        except NotADirectoryError:  # an archive
            return None
        except OSError:  # a path may name what does not exist
            continue
        for name in names:
            stem, _, ending = name.lower().rpartition(".")
            distribution = re.sub(r"[-_.]+", "-", stem.partition("-")[0])
            if ending in _ABOUT and distribution not in known:  # as with modules, the first place counts
                known.add(distribution)
                commands |= _entries(os.path.join(place, name, "entry_points.txt"), group)  # noqa: PTH118  as above
    return commands


def _entries(path: str, group: str) -> dict[str, str]:
    """Returns a group's entries in a file. Few distributions have any."""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  as above
            lines = [line.strip() for line in file]
    except OSError:
        return {}
    entries: dict[str, str] = {}
    section = ""
    for line in lines:
        if line.startswith("[") and line.endswith("]"):
            section = line.strip("[]")
        elif section == group and line and not line.startswith("#"):
            name, _, place = line.partition("=")
            entries[name.strip()] = place.strip()
    return entries
