"""How many processes a service is to have: the option that `fudaba serve` and `fudaba up` share."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, Final, final

import click

from fudaba.cli.param_type import ParamType

__all__ = ["PROCESSES", "ProcessCount", "cores"]

_MOST: Final = 256
_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")


@final
class ProcessCount(ParamType[int]):
    """`auto`, for as many as there are cores, or a number; the value is a number."""

    name = "number|auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """See `click.ParamType`."""
        if value == "auto":
            return min(_MOST, cores())
        try:
            number = int(value)
        except (TypeError, ValueError):
            number = 0
        if isinstance(value, float) or not 1 <= number <= _MOST:
            self.fail(
                f"{value!r} is no number of processes: write 1 to {_MOST}, or auto for as many as cores", param, ctx
            )
        return number


PROCESSES: Final = ProcessCount()


def cores(quota: Path = _QUOTA) -> int:
    """How many cores this process may use, by its affinity and by its container's quota; at least 1."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        most, _, period = quota.read_text(encoding="ascii").partition(" ")
        return max(1, min(allowed, math.ceil(int(most) / int(period))))
    except (OSError, ValueError):  # not Linux, or `max`: no quota
        return allowed
