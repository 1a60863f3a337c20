"""The loads under which moves are measured: the number of simultaneous matches, and their kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["ECHO_STREAMS", "Load"]

ECHO_STREAMS: Final = 20
"""The numbers of streams of the echo beside batches."""


@dataclass(frozen=True)
class Load:
    """A number of simultaneous matches over a number of streams, and the goals for a move's cost beside an echo.

    `cpu` and `rate` are goals, in round trips of the echo, as a row shows them: `≤ 2.0`.
    """

    game: str
    seats: int
    matches: int
    streams: int
    cpu: str
    rate: str | None = None
    batches: bool = False

    def __str__(self) -> str:
        suffix = " with batches" if self.batches else ", one message each"
        return f"{self.matches} matches of {self.seats}, {self.streams} streams{suffix}"

    @property
    def echoes(self) -> int:
        """The number of streams of the echo beside it. Batches must cost less than as many single messages."""
        return ECHO_STREAMS if self.batches else self.streams
