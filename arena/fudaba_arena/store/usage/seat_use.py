"""The run of a submitted bot in a seat of a match, and its use: noted with the match's result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any, Final, Self, final

__all__ = ["UNSAFE", "SeatUse"]

UNSAFE: Final = "unsafe"
"""The mark in the place of a sandbox: the bot ran unprotected."""


@final
@dataclass(frozen=True, slots=True)
class SeatUse:
    """The way in which a seat was run."""

    seat: int
    """The seat, from 0."""
    runtime: str
    sandbox: str
    """The implementation that held it to its limits, such as `bubblewrap`; `unsafe` for none."""
    not_enforced: tuple[str, ...]
    """The limits by name that it could have gone over; see `tournament.limits`."""
    memory_limit: int
    """Bytes: the tournament's limit, or what the bot has asked for. The other limits are the tournament's."""
    cpu_ms: int
    """Processor time of all its processes, in milliseconds."""
    wall_ms: int
    """The time for which they ran."""
    memory: int
    """Bytes, the most at any time; 0 where that was not measured."""
    starts: int
    """The number of processes that were started one after the other: more than one where it had ended in mid-match."""
    own_cores: bool = False
    """Whether it had cores to itself."""

    def values(self) -> Sequence[Any]:
        """Converts it to JSON values, as it is stored."""
        return astuple(self)

    @classmethod
    def from_values(cls, values: Sequence[Any]) -> Self:
        """Reads what is stored."""
        seat, runtime, sandbox, not_enforced, *numbers = values
        return cls(seat, runtime, sandbox, tuple(not_enforced), *numbers)
