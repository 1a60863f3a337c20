"""Archived matches for those who want to see them again: a few are kept, the others are replayed, one after another.

A replay of a long match takes tenths of a second. It works for a millisecond at a time and rests for longer, so that
the matches in play go on beside it, and it costs whoever asked for it. Of one caller one at a time waits for its turn.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import Final, Protocol, final

from fudaba.replay import Replay
from fudaba.v1 import record_pb2
from fudaba_service.metrics import Metrics
from fudaba_service.sessions.session import Session
from fudaba_service.sessions.session_host import SessionHost
from fudaba_service.tasks import spawn

__all__ = ["Payer", "Replays"]

_KEPT: Final = 16
_KEPT_BYTES: Final = 512 * 1024
"""How many matches are kept, and how long their records are together; the newest one is kept in any case."""
_WORK: Final = 0.001
_REST: Final = 0.002
"""For how long a replay works, and rests, in seconds."""


class Payer(Protocol):
    """Who asks for a replay."""

    @property
    def turn(self) -> asyncio.Lock:
        """Who has it is the one of this caller's whose replay waits or goes on."""

    async def pay(self, size: int) -> None:
        """Pays for a replay of a record of so many bytes. Refuses who has asked for too many."""

    def told(self, events: int) -> None:
        """Pays for so many events that are told at once, because they were not seen before."""


@final
class Replays:
    """See the module."""

    def __init__(self, host: SessionHost, metrics: Metrics) -> None:
        self._host = host
        self._metrics = metrics
        self._turn = asyncio.Lock()
        self._kept: OrderedDict[str, tuple[Session, int]] = OrderedDict()
        self._bytes = 0
        self._replaying: dict[str, asyncio.Task[Session]] = {}

    def kept(self, match_id: str) -> Session | None:
        """The session of an archived match that is kept."""
        found = self._kept.get(match_id)
        if found is None:
            return None
        self._kept.move_to_end(match_id)
        return found[0]

    def forget(self) -> None:
        """Keeps none of them any longer: some records may be gone."""
        self._kept.clear()
        self._bytes = 0

    async def session(self, record: record_pb2.MatchRecord, payer: Payer) -> Session:
        """A session of an archived match, at its end. Refuses who has asked for too many."""
        match_id = record.header.match_id
        session = self.kept(match_id)
        if session is not None:
            return session
        if match_id not in self._replaying:
            size = record.ByteSize()
            await payer.pay(size)
            session = self.kept(match_id)
            if session is not None:
                return session  # somebody else had it replayed meanwhile
            if match_id not in self._replaying:
                # Whoever asked may go; others may have come to wait for it.
                task = self._replaying[match_id] = spawn(self._replay(record, size, payer.turn))
                task.add_done_callback(lambda _: self._replaying.pop(match_id, None))
        return await asyncio.shield(self._replaying[match_id])

    async def _replay(self, record: record_pb2.MatchRecord, size: int, turn: asyncio.Lock) -> Session:
        async with turn, self._turn:
            self._metrics.replays.inc()
            session = Session.finished(self._host, record, await _replayed(record))
        self._keep(record.header.match_id, session, size)
        return session

    def _keep(self, match_id: str, session: Session, size: int) -> None:
        self._kept[match_id] = session, size
        self._bytes += size
        while len(self._kept) > _KEPT or (self._bytes > _KEPT_BYTES and len(self._kept) > 1):
            _, (_, gone) = self._kept.popitem(last=False)
            self._bytes -= gone


async def _replayed(record: record_pb2.MatchRecord) -> Replay:
    """What a record replays to. Raises `GameError` where it is none of a match."""
    since = time.perf_counter()
    replay = Replay(record.header, record.seed)
    for entry in record.log:
        replay.apply(entry)
        if time.perf_counter() - since > _WORK:
            await asyncio.sleep(_REST)
            since = time.perf_counter()
    replay.conclude(record.end)
    return replay
