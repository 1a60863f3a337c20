"""What a program in a sandbox may use: one table of limits, with defaults and what each may be set to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self, final

from fudaba_arena.errors import ArenaError

__all__ = ["LIMITS", "BadLimit", "Limit", "Limits"]

MEGABYTE: Final = 1_000_000


@final
class BadLimit(ArenaError):
    """A limit that cannot be set like this."""


@final
@dataclass(frozen=True, slots=True)
class Limit:
    """What may be said about one limit."""

    what: str
    unit: str
    least: float
    most: float

    def checked(self, name: str, value: object) -> float:
        """The value, if it may be set. Raises `BadLimit`."""
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        whole = self.unit not in {"s", "cores"}
        if not self.least <= number <= self.most or (whole and number != int(number)):
            kind = "a whole number" if whole else "a number"
            scope = f"{kind} from {self.least:,} to {self.most:,} ({self.unit})"
            raise BadLimit(f"limit {name} is {value!r}; write {scope}: {self.what}")
        return int(number) if whole else float(number)


def _limit(default: float, what: str, unit: str, least: float, most: float) -> Any:
    return field(default=default, metadata={"limit": Limit(what, unit, least, most)})


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
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

    def __post_init__(self) -> None:
        for name, limit in LIMITS.items():
            object.__setattr__(self, name, limit.checked(name, getattr(self, name)))

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Limits as they are written in a file; the others keep their defaults. Raises `BadLimit`."""
        unknown = sorted(set(given) - set(LIMITS))
        if unknown:
            raise BadLimit(f"there is no limit {unknown[0]}; there are {', '.join(LIMITS)}")
        checked: dict[str, Any] = {name: LIMITS[name].checked(name, value) for name, value in given.items()}
        return cls(**checked)


LIMITS: Final[Mapping[str, Limit]] = {one.name: one.metadata["limit"] for one in fields(Limits)}
"""All limits by name, in the order of the table."""
