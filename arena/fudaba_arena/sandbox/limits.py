"""What a program in a sandbox may use: one table of limits, with defaults and what each may be set to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, final

from fudaba_arena.limits import MEGABYTE, BadLimit, Limit, LimitTable, limits_of
from fudaba_arena.limits import limit as _limit

__all__ = ["LIMITS", "MEGABYTE", "BadLimit", "Limit", "Limits"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits(LimitTable):
    """The limits of one run. Raises `BadLimit`."""

    memory: int = _limit(512 * MEGABYTE, "memory of all its processes together, its files in /tmp included", "bytes",
                         16 * MEGABYTE, 1_000_000 * MEGABYTE)  # fmt: skip
    processes: int = _limit(64, "processes and threads at once", "processes", 1, 100_000)
    cpu: float = _limit(600.0, "processor time of all its processes together", "s", 0.1, 1_000_000.0)
    cores: float = _limit(1.0, "processor time in each second", "cores", 0.05, 1_024.0)
    wall: float = _limit(3_600.0, "time from its start to its end", "s", 0.1, 1_000_000.0)
    file_size: int = _limit(64 * MEGABYTE, "size of one file", "bytes", 4_096, 1_000_000 * MEGABYTE)
    open_files: int = _limit(256, "files and sockets that one process has open", "files", 16, 1_000_000)
    disk: int = _limit(64 * MEGABYTE, "files in /tmp, and as much again in /dev/shm", "bytes", 65_536,
                       1_000_000 * MEGABYTE)  # fmt: skip
    output: int = _limit(100 * MEGABYTE, "what it writes to standard output and error together", "bytes", 0,
                         1_000_000 * MEGABYTE)  # fmt: skip
    output_kept: int = _limit(MEGABYTE, "of each of the two, what is kept: the beginning and the end", "bytes", 0,
                              1_000 * MEGABYTE)  # fmt: skip
    connections: int = _limit(8, "connections to the service at once", "connections", 1, 1_000)
    traffic: int = _limit(256 * MEGABYTE, "bytes to and from the service together", "bytes", 1_000,
                          1_000_000 * MEGABYTE)  # fmt: skip


LIMITS: Final[Mapping[str, Limit]] = limits_of(Limits)
"""All limits by name, in the order of the table."""
