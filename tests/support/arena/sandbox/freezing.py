"""The ways in which this host can freeze a control group."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from fudaba_arena.sandbox.cgroups import Cgroups
from fudaba_arena.sandbox.freezer import STATE_V1

WAYS: Final = ("found", "v1")
"""The ways of freezing: the one that a worker finds, and version 1 where the host has that too."""


def frozen_by(way: str, cgroups: Cgroups) -> Cgroups:
    """Returns the same control groups, frozen in one of `WAYS`; without it the test is skipped."""
    if way == "found":
        if not cgroups.freezes:
            pytest.skip(f"NOT TESTED: {cgroups.why_not_frozen}")
        return cgroups
    if (parent := _v1_parent()) is None:
        pytest.skip("NOT TESTED: this host has no freezer of version 1")
    return replace(cgroups, parents={**cgroups.parents, "freezer": parent})


def _v1_parent() -> Path | None:
    """Returns the group of this process in the freezer of version 1."""
    for line in Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines():
        _, names, path = line.split(":", 2)
        folder = Path("/sys/fs/cgroup/freezer", path.lstrip("/"))
        if names == "freezer" and folder.is_dir() and not (folder / "cgroup.controllers").exists():
            return folder if (folder / STATE_V1).exists() or path == "/" else None
    return None
