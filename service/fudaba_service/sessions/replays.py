"""Archived matches for replays: a few are cached, and the others are replayed one after another.

A replay of a long match takes tenths of a second. It works for a millisecond at a time and rests for longer, so that
matches in play go on, and its caller pays for it. Only one replay of each caller waits for its turn.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar, final

from fudaba.replay import Replay
from fudaba.v1 import record_pb2
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.sessions.positions import Positions
from fudaba_service.sessions.session import Session
from fudaba_service.sessions.session_host import SessionHost
from fudaba_serving.process.tasks import spawn

__all__ = ["Payer", "Replays"]

K = TypeVar("K")
T = TypeVar("T")

_MAX_RECORDS_KEPT: Final = 16
_MAX_KEPT_BYTES: Final = 512 * 1024
_MAX_POSITIONS_BYTES: Final = 4 * 1024 * 1024
"""The number of cached matches, and the total length of their records; the number of cached positions of a seat, and
their total length. The newest one is always cached.
"""
_WORK_SECONDS: Final = 0.001
_YIELD_SECONDS: Final = 0.002
"""The times for which a replay works and rests, in seconds."""


class Payer(Protocol):
    """The caller that asks for a replay."""

    @property
    def turn(self) -> asyncio.Lock:
        """The lock of this caller's only waiting or running replay."""

    async def pay(self, size: int) -> None:
        """Pays for the replay of a record of this size in bytes. Refuses callers who have asked for too many."""

    def charge(self, events: int) -> None:
        """Pays for unseen events that are sent at once."""


@final
class _Kept(Generic[K, T]):
    """A cache of values made from the newest few archived matches. Simultaneous requests share one computation."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[K, tuple[T, int]] = OrderedDict()
        self._bytes = 0
        self._making: dict[K, asyncio.Task[T]] = {}

    def kept(self, key: K) -> T | None:
        """Returns the cached value."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def forget(self) -> None:
        """Empties the cache."""
        self._kept.clear()
        self._bytes = 0

    async def get(
        self,
        key: K,
        record: record_pb2.MatchRecord,
        payer: Payer,
        make: Callable[[], Coroutine[Any, Any, tuple[T, int]]],
    ) -> T:
        """Returns the cached value, or pays for it and makes it from a record. `make` also returns its bytes."""
        kept = self.kept(key)
        if kept is not None:
            return kept
        if key not in self._making:
            await payer.pay(record.ByteSize())
            kept = self.kept(key)
            if kept is not None:
                return kept  # somebody else had it made meanwhile
            if key not in self._making:
                # Whoever asked may go; others may have come to wait for it.
                task = self._making[key] = spawn(self._make(key, make))
                task.add_done_callback(lambda _: self._making.pop(key, None))
        return await asyncio.shield(self._making[key])

    async def _make(self, key: K, make: Callable[[], Coroutine[Any, Any, tuple[T, int]]]) -> T:
        made, size = await make()
        self._kept[key] = made, size
        self._bytes += size
        while len(self._kept) > _MAX_RECORDS_KEPT or (self._bytes > self._most_bytes and len(self._kept) > 1):
            _, (_, gone) = self._kept.popitem(last=False)
            self._bytes -= gone
        return made


@final
class Replays:
    """See the module."""

    def __init__(self, host: SessionHost, metrics: Metrics) -> None:
        self._host = host
        self._metrics = metrics
        self._turn = asyncio.Lock()
        self._sessions: _Kept[str, Session] = _Kept(_MAX_KEPT_BYTES)
        self._positions: _Kept[tuple[str, int, int, int | None], Sequence[bytes]] = _Kept(_MAX_POSITIONS_BYTES)

        self._begun: _Kept[tuple[str, int, int, int], Replay] = _Kept(_MAX_KEPT_BYTES)

    def kept(self, match_id: str) -> Session | None:
        """Returns the cached session of an archived match."""
        return self._sessions.kept(match_id)

    def forget(self) -> None:
        """Empties the cache, since records may have been removed."""
        self._sessions.forget()
        self._positions.forget()
        self._begun.forget()

    async def session(self, record: record_pb2.MatchRecord, payer: Payer) -> Session:
        """Returns a session of an archived match at its end. Refuses callers who have asked for too many."""

        async def make() -> tuple[Session, int]:
            return Session.finished(self._host, record, await self._replayed(record, payer)), record.ByteSize()

        return await self._sessions.get(record.header.match_id, record, payer, make)

    async def positions(self, record: record_pb2.MatchRecord, seat: int | None, payer: Payer) -> Sequence[bytes]:
        """Makes the responses of StreamPositions: what a seat or a spectator sees after each entry of a finished match.

        Refuses callers who have asked for too many.
        """

        async def make() -> tuple[Sequence[bytes], int]:
            positions = Positions(seat)
            await self._replayed(record, payer, positions.add)
            responses = positions.responses()
            return responses, sum(map(len, responses))

        # As long as a match is not in the archive it may be put back, and end otherwise.
        key = record.header.match_id, len(record.log), record.end.end_time.ToMilliseconds(), seat
        return await self._positions.get(key, record, payer, make)

    async def at(self, record: record_pb2.MatchRecord, entries: int, payer: Payer) -> Replay:
        """Returns a record's match after this many entries of its log. It is shared, so nobody may play in it.

        Refuses callers who have asked for too many.
        """

        async def make() -> tuple[Replay, int]:
            begun = record_pb2.MatchRecord(header=record.header, seed=record.seed, log=record.log[:entries])
            return await self._replayed(begun, payer), record.ByteSize()

        key = record.header.match_id, len(record.log), record.end.end_time.ToMilliseconds(), entries
        return await self._begun.get(key, record, payer, make)

    async def _replayed(
        self, record: record_pb2.MatchRecord, payer: Payer, each: Callable[[Replay], object] = lambda _: None
    ) -> Replay:
        """Replays a record in its turn. `each` is called with each position."""
        async with payer.turn, self._turn:
            self._metrics.replays.inc()
            return await _replayed(record, each)


async def _replayed(record: record_pb2.MatchRecord, each: Callable[[Replay], object]) -> Replay:
    """Replays a record. Raises `GameError` if it is not the record of a match."""
    since = time.perf_counter()
    replay = Replay(record.header, record.seed)
    each(replay)
    for entry in record.log:
        replay.apply(entry)
        each(replay)
        if time.perf_counter() - since > _WORK_SECONDS:
            await asyncio.sleep(_YIELD_SECONDS)
            since = time.perf_counter()
    if record.HasField("end"):
        replay.conclude(record.end)
    return replay
