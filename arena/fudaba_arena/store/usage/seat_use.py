"""How a submitted bot was run in a seat of a match, and its use: noted with the match's result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any, Final, Self, final

__all__ = ["UNSAFE", "SeatUse"]

UNSAFE: Final = "unsafe"
"""The value in place of a sandbox: the bot ran unprotected."""


@final
@dataclass(frozen=True, slots=True)
class SeatUse:
    """How a seat was run."""

    seat: int
    """The seat, from 0."""
    runtime: str
    sandbox: str
    """The implementation that enforced the limits, such as `bubblewrap`; `unsafe` for none."""
    not_enforced: tuple[str, ...]
    """The names of the limits that were not enforced; see `tournament.limits`."""
    memory_limit: int
    """The memory limit in bytes: the tournament's, or what the bot asked for. The other limits are the tournament's."""
    cpu_ms: int
    """Processor time of all its processes, in milliseconds."""
    wall_ms: int
    """The time for which its processes ran."""
    memory: int
    """The most bytes at any time; 0 if it was not measured."""
    starts: int
    """The number of processes that were started one after the other: more than one if it ended in mid-match."""
    own_cores: bool = False
    """Whether it had its own cores."""

    def values(self) -> Sequence[Any]:
        """Converts it to the stored JSON values."""
        return astuple(self)

    @classmethod
    def from_values(cls, values: Sequence[Any]) -> Self:
        """Reads stored values."""
        seat, runtime, sandbox, not_enforced, *numbers = values
        return cls(seat, runtime, sandbox, tuple(not_enforced), *numbers)
