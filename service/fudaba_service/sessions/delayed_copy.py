"""A delayed copy of a match, which contains everything that is shown of the match for now."""

from __future__ import annotations

import asyncio
from typing import Final, Protocol, final

from fudaba.replay import Replay
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_service.sessions.hidden_matches import hide_names

__all__ = ["DelayedCopy"]

_ENTRIES_PER_TURN: Final = 50
"""The number of entries that are replayed before other work gets its turn; they take half a millisecond to a
millisecond.
"""
_MAX_WAIT_SECONDS: Final = 1.0
"""The longest time until an addition to the log is noticed. No entry is shown before its delay is over anyway."""


class CurrentMatch(Protocol):
    """A match as it is now; a `MatchCopy` is one."""

    seed: bytes

    @property
    def header(self) -> record_pb2.MatchHeader:
        """The facts of the match that were fixed when it was created."""

    @property
    def log(self) -> list[bytes]:
        """The entries as they are stored."""

    @property
    def replay(self) -> Replay:
        """The result of replaying the log."""

    @property
    def is_over(self) -> bool:
        """Whether the match is over; it may be put back at any time."""


@final
class DelayedCopy:
    """See the module. Spectators follow it as they follow a `MatchCopy`."""

    def __init__(self, copy: CurrentMatch, delay_ms: int, *, premiere: bool = False) -> None:
        """`copy` is the match, which goes on. `premiere` says whether it is over and released; see `Match.premiere`."""
        self._copy = copy
        self._delay_ms = delay_ms
        self._premiere = premiere
        self._tail = b""
        self._seed = copy.seed
        self.replay = Replay(copy.header, copy.seed)
        """The match as replayed from the entries whose delay is over."""

    async def advance(self, now_ms: int) -> None:
        """Adds the entries whose delay is over."""
        log, replay = self._copy.log, self.replay
        same = (replay.header, self._seed) == (self._copy.header, self._copy.seed)
        if not same or (replay.length and log[replay.length - 1 : replay.length] != [self._tail]):
            # The match was put back, or lost and created anew. Its spectators are told what it has become from its
            # beginning.
            self._seed = self._copy.seed
            replay = self.replay = Replay(self._copy.header, self._seed)
        for raw in log[replay.length :]:
            entry = record_pb2.LogEntry.FromString(raw)
            if entry.at_ms + self._delay_ms > now_ms:
                return
            replay.apply(entry)
            self._tail = raw
            if replay.length % _ENTRIES_PER_TURN == 0:
                await asyncio.sleep(0)
        if self._copy.is_over and not replay.over:  # played by other rules, its log does not tell the end
            end = self._copy.replay.end()
            if end.end_time.ToMilliseconds() + self._delay_ms <= now_ms:
                replay.conclude(end)

    def wait_seconds(self, now_ms: int) -> float:
        """Returns the seconds until `advance` may have something to add."""
        log, length = self._copy.log, self.replay.length
        if length >= len(log):
            return _MAX_WAIT_SECONDS
        due_ms = record_pb2.LogEntry.FromString(log[length]).at_ms + self._delay_ms
        return min(_MAX_WAIT_SECONDS, max(0, due_ms - now_ms) / 1000)

    def fill_match(self, into: matches_pb2.Match) -> None:
        """Fills an empty message with the match at its delayed point, as the public may see it."""
        replay = self.replay
        into.header.CopyFrom(replay.header)
        if not self._premiere:
            into.header.ClearField("label")
            hide_names(into.header, ())
        into.state = replay.state
        into.hidden, into.show_delay_ms, into.premiere = True, self._delay_ms, self._premiere
        if replay.started:
            into.start_time.FromMilliseconds(replay.started_ms)
        if replay.over:
            into.end.CopyFrom(replay.end())
