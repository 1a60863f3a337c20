"""The process that hosts a session, from the session's side: time, the store, and followers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from fudaba.v1 import record_pb2
from fudaba_service.refusals import Refused
from fudaba_service.sessions.clocks import TimeKeeper
from fudaba_service.store import Append, StoredMatch

__all__ = ["Failed", "SessionHost"]


Failed = Callable[[Exception], None]
"""The callback for an unexpected error, in place of the callback for the result."""


class SessionHost(TimeKeeper, Protocol):
    """The host of sessions. It identifies them by their matches' ids, and answers by callbacks."""

    def append(self, append: Append) -> None:
        """Appends to a log with group commit."""

    def read(self, match_id: str, reply: Callable[[StoredMatch | None], None], failed: Failed) -> None:
        """Passes the stored form of a match to a callback, as soon as it can be read; None if there is none."""

    def read_tail(self, match_id: str, after: int, reply: Callable[[list[bytes] | None], None], failed: Failed) -> None:
        """Passes a log's entries after number `after` to a callback; None if they cannot be read."""

    def find_waiting(self, players: Sequence[str], reply: Callable[[dict[str, int]], None], failed: Failed) -> None:
        """Passes to a callback the time until which each of these bots has waited for room to begin a match, if it
        has.
        """

    def call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Calls back after a time."""

    def fault(self, match_id: str, error: Exception) -> Refused:
        """Logs and counts an unforeseen error in a match. Returns the refusal for its callers."""

    def finished(self, match_id: str) -> None:
        """Notes that the match is over and stored."""

    def grown_long(self, match_id: str) -> None:
        """Notes that the log of a match has grown enough for another snapshot."""

    def rewound(self) -> None:
        """Notes that a match was rewound: the store has lost a tail of its log."""

    def answered(self, game: str, bot_us: int) -> None:
        """Notes a seat's time for a decision of this game, in microseconds."""

    def decided(self, game: str, entry: record_pb2.LogEntry) -> None:
        """Notes that an entry other than an answer was added here to a log of this game."""
