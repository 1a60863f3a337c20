"""What a session needs of the process that holds it: time, the store, and somebody to tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from fudaba.v1 import record_pb2
from fudaba_service.sessions.clock import ServerDelay
from fudaba_service.store import Append

if TYPE_CHECKING:
    import asyncio

    from fudaba_service.sessions.session import Session

__all__ = ["Surroundings"]


class Surroundings(Protocol):
    """What a session needs of its process."""

    delay: ServerDelay
    outages: list[tuple[int, int]]

    def now_ms(self) -> int:
        """The store's time."""

    def append(self, append: Append) -> None:
        """Appends to a log with group commit."""

    def reload(self, session: Session) -> None:
        """Has `Session.rewind` or `Session.lost` called with what the store holds now."""

    def call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Calls back after a time."""

    def finished(self, session: Session) -> None:
        """The match is over and stored."""

    def answered(self, game: str, bot_us: int) -> None:
        """A seat took so long for a decision of this game, in microseconds."""

    def decided(self, game: str, entry: record_pb2.LogEntry) -> None:
        """An entry other than an answer was added here to the log of a match of this game."""
