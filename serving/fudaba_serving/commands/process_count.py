"""The type of the option `--processes`, which `fudaba serve` and `fudaba up` share, and the count of usable cores."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, Final, final

import click

from fudaba.cli.param_type import ParamType

__all__ = ["PROCESSES", "ProcessCount", "cores"]

_MAX_PROCESSES: Final = 256
_QUOTA_FILE: Final = Path("/sys/fs/cgroup/cpu.max")


@final
class ProcessCount(ParamType[int]):
    """Takes a number, or `auto` for the number of usable cores. The value is a number."""

    name = "number|auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """See `click.ParamType`."""
        if value == "auto":
            return min(_MAX_PROCESSES, cores())
        try:
            number = int(value)
        except (TypeError, ValueError):
            number = 0
        if isinstance(value, float) or not 1 <= number <= _MAX_PROCESSES:
            self.fail(
                f"{value!r} is no number of processes: write 1 to {_MAX_PROCESSES}, or auto for as many as cores",
                param,
                ctx,
            )
        return number


PROCESSES: Final = ProcessCount()


def cores(quota: Path = _QUOTA_FILE) -> int:
    """Returns how many cores the affinity and the container's quota allow this process; at least 1."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        limit, _, period = quota.read_text(encoding="ascii").partition(" ")
        return max(1, min(allowed, math.ceil(int(limit) / int(period))))
    except (OSError, ValueError):  # not Linux, or `max`: no quota
        return allowed
