"""The live sessions of this process: loaded on first use, kept in step, and dropped once their match is archived."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol, final

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_service.archive import MATCH_ID, ArchiveUnavailable
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.refusals import Refused, refusal_of_fault
from fudaba_service.sessions.archiving import Archiving
from fudaba_service.sessions.replay_turns import ReplayTurns
from fudaba_service.sessions.session import Session
from fudaba_service.sessions.session_host import Failed
from fudaba_service.sessions.time_spent import ServerDelay
from fudaba_service.store import (
    Append,
    Appended,
    MatchGone,
    Outage,
    Store,
    StoredMatch,
    StoreUnavailable,
    retry_until_answered,
)
from fudaba_serving.process.coalesced import Coalesced
from fudaba_serving.process.tasks import BackgroundTasks

__all__ = ["HouseBots", "LiveSessions"]

log = logging.getLogger(__name__)

_MAX_RELOADS: Final = 20
_POLL_SECONDS: Final = 0.25
_ROUND_SECONDS: Final = 10.0
"""The time without an event, or twice this time, after which a match falls asleep."""
_SNAPSHOT_SECONDS: Final = 0.1
"""The pause between snapshots. One of hundreds of entries takes a millisecond or two, so there are at most ten a
second.
"""
_MATCHES_PER_TURN: Final = 200
"""The number of matches that are checked for sleep in one turn of the event loop."""


class HouseBots(Protocol):
    """The players of house bots' seats, see `house.seats`."""

    def sit(self, session: Session) -> None:
        """Takes the house bots' seats in a match."""

    async def think(self, update: play_pb2.SeatUpdate) -> play_pb2.Answer:
        """Lets a house bot answer a decision outside live matches."""

    async def run(self) -> None:
        """Answers until cancelled."""


@final
class LiveSessions:
    """See the module. It is its sessions' `SessionHost`."""

    def __init__(
        self, store: Store, archiving: Archiving, metrics: Metrics, house: HouseBots, tasks: BackgroundTasks
    ) -> None:
        self._store = store
        self._metrics = metrics
        self._house = house
        self._tasks = tasks
        self._sessions: dict[str, Session] = {}
        self.delay = ServerDelay(store.silence, lambda: bool(self._sessions))
        self.note_outages = Coalesced(store.replicas.beat)
        """Checks which replicas are alive, and which outages there were."""
        self._loading: dict[str, asyncio.Future[Session]] = {}
        self._turns = ReplayTurns()
        self._finishing: set[str] = set()
        self._grown_long: dict[str, None] = {}
        """The matches that need another snapshot, in the order in which they came to need it."""
        self._any_grown_long = asyncio.Event()
        self._archiving = archiving

    # --- for those who look for a match

    def held(self, match_id: str) -> Session | None:
        """Returns the session of a match if this process has it now."""
        return self._sessions.get(match_id)

    async def session(self, match_id: str) -> Session:
        """Returns the session of a live match, and loads it if necessary. Raises `MatchGone` or `StoreUnavailable`."""
        session = self._sessions.get(match_id)
        if session is not None:
            return session
        if not MATCH_ID.fullmatch(match_id):
            raise MatchGone(match_id)
        loading = self._loading.get(match_id)
        if loading is None:
            loading = asyncio.ensure_future(self._load(match_id))
            self._loading[match_id] = loading
            loading.add_done_callback(partial(self._loaded, match_id))
        return await asyncio.shield(loading)

    def count(self, game: str, state: str) -> int:
        """Returns how many matches of a game here are `waiting`, `playing` or `over`."""
        states = {
            "waiting": (matches_pb2.MATCH_STATE_WAITING,),
            "playing": (matches_pb2.MATCH_STATE_PLAYING,),
            "over": (matches_pb2.MATCH_STATE_FINISHED, matches_pb2.MATCH_STATE_ABORTED),
        }[state]
        return sum(s.copy.game == game and s.copy.state in states for s in list(self._sessions.values()))

    def _loaded(self, match_id: str, loading: asyncio.Future[Session]) -> None:
        self._loading.pop(match_id, None)
        if not loading.cancelled():
            # Whoever waits is told; but all who did may have gone, and then nobody has asked for it.
            loading.exception()

    async def _load(self, match_id: str) -> Session:
        self.delay.stir()
        if self._store.replicas.stale:
            # What is overdue is closed at once: by then outages that others know of must be known here.
            await self.note_outages()
        stored = await self._archiving.load(match_id)
        await self._turns.wait(stored.entries)
        session = Session(self, stored)
        if stored.entries:
            self._metrics.replays.inc()
        self._sessions[match_id] = session
        self._house.sit(session)
        if session.copy.is_over:
            self.finished(match_id)
        return session

    async def put_to_sleep(self) -> None:
        """Puts idle matches to sleep, until cancelled. They use little memory then."""
        while True:
            await asyncio.sleep(_ROUND_SECONDS)
            looks = 0
            for session in list(self._sessions.values()):
                looks += 1
                if session.used:
                    session.used = False
                elif session.sleep() or looks >= _MATCHES_PER_TURN:
                    looks = 0
                    await asyncio.sleep(0)

    async def keep_snapshots(self) -> None:
        """Stores snapshots of long matches, one at a time, until cancelled. These matches then load faster."""
        while True:
            await self._any_grown_long.wait()
            await asyncio.sleep(_SNAPSHOT_SECONDS)
            match_id = next(iter(self._grown_long), None)
            if match_id is None:
                self._any_grown_long.clear()
                continue
            del self._grown_long[match_id]
            snapshot = self._sessions[match_id].snapshot()
            if snapshot is not None:
                with contextlib.suppress(StoreUnavailable):  # the committer says so; the log has all of it
                    await self._store.matches.keep_snapshot(match_id, snapshot)

    # --- news of other replicas

    def appended(self, news: Appended) -> None:
        """Notes that another replica has appended to a log."""
        session = self._sessions.get(news.match_id)
        if session is not None:
            session.appended(news)
        elif news.match_id in self._loading:
            # What is being read may be older than the news.
            self._loading[news.match_id].add_done_callback(lambda _: self.appended(news))

    def missed_news(self) -> None:
        """Notes that any log may have grown while no news arrived."""
        for match_id in {*self._sessions, *self._loading}:
            self._missed_news(match_id)

    def _missed_news(self, match_id: str) -> None:
        session = self._sessions.get(match_id)
        if session is not None:
            session.missed_news()
        elif match_id in self._loading:
            self._loading[match_id].add_done_callback(lambda _: self._missed_news(match_id))

    # --- for the sessions, see `SessionHost`

    @property
    def outages(self) -> list[Outage]:
        """The newest outages of the service."""
        return self._store.replicas.outages

    @property
    def lag_ms(self) -> int:
        """The lag with which the slowest of the other replicas hears news."""
        return self._store.replicas.lag_ms

    @property
    def alone(self) -> bool:
        """Whether no other replica has been here lately."""
        return self._store.replicas.alone

    @property
    def replica(self) -> str:
        """The name of this process among the replicas."""
        return self._store.replica

    def now_ms(self) -> int:
        """Returns the store's time."""
        return self._store.now_ms()

    def append(self, append: Append) -> None:
        """Appends to a log with group commit."""
        self._store.commits.submit(append)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Calls back after a time."""
        return asyncio.get_running_loop().call_later(seconds, callback)

    def read(self, match_id: str, reply: Callable[[StoredMatch | None], None], failed: Failed) -> None:
        """Passes the stored form of a match to a callback, as soon as it can be read; None if there is none."""
        self._tasks.spawn(self._read(match_id, reply), failed)

    def read_tail(self, match_id: str, after: int, reply: Callable[[list[bytes] | None], None], failed: Failed) -> None:
        """Passes a log's entries after number `after` to a callback; None if they cannot be read."""
        self._tasks.spawn(self._read_tail(match_id, after, reply), failed)

    def find_waiting(self, players: Sequence[str], reply: Callable[[dict[str, int]], None], failed: Failed) -> None:
        """Passes to a callback the time until which each of these bots has waited for room to begin a match, if it
        has.
        """
        self._tasks.spawn(self._find_waiting(players, reply), failed)

    async def _find_waiting(self, players: Sequence[str], reply: Callable[[dict[str, int]], None]) -> None:
        found = await retry_until_answered(lambda: self._store.places.there(players))
        now_ms = self._store.now_ms()
        reply({
            player: now_ms if there.connected else there.since_ms
            for player, there in zip(players, found, strict=True)
            if there.limited
        })  # fmt: skip

    def fault(self, match_id: str, error: Exception) -> Refused:
        """Logs and counts an error in a match. Returns the refusal for its callers."""
        self._metrics.task_error("match")
        return refusal_of_fault(error, f"match {match_id} is built anew from its log")

    def finished(self, match_id: str) -> None:
        """Archives a finished match."""
        session = self._sessions.get(match_id)
        if session is not None and match_id not in self._finishing:
            self._finishing.add(match_id)
            self._tasks.spawn(self._finish(session), session.failed)

    def grown_long(self, match_id: str) -> None:
        """Notes that a match needs another snapshot."""
        self._grown_long[match_id] = None
        self._any_grown_long.set()

    def rewound(self) -> None:
        """Counts a match that was rewound."""
        self._metrics.rewinds.inc()

    def answered(self, game: str, bot_us: int) -> None:
        """Counts a decision of a bot."""
        self._metrics.decision_times.add(game, bot_us)

    def decided(self, game: str, entry: record_pb2.LogEntry) -> None:
        """Counts an entry other than an answer that was added here to a log."""
        self._metrics.decided(game, entry)

    async def _read_tail(self, match_id: str, after: int, reply: Callable[[list[bytes] | None], None]) -> None:
        try:
            _, entries = await self._store.matches.tail(match_id, after)
        except (MatchGone, StoreUnavailable):
            reply(None)
        else:
            reply(entries)

    async def _read(self, match_id: str, reply: Callable[[StoredMatch | None], None]) -> None:
        async def once() -> StoredMatch | None:
            await self.note_outages()
            return await self._archiving.find(match_id)

        looks = 1
        while (stored := await retry_until_answered(once, ArchiveUnavailable)) is None and looks <= _MAX_RELOADS:
            # Another replica has removed it; its archive folder may be slow to show what it holds.
            looks += 1
            await asyncio.sleep(_POLL_SECONDS)
        session = self._sessions.get(match_id)
        if stored is None and session is not None and not session.copy.is_over:
            stored = await self._archiving.lose(session.copy)
        reply(stored)

    async def _finish(self, session: Session) -> None:
        """Archives a match and drops it, unless it has been rewound meanwhile."""
        match_id = session.match_id
        try:
            removed = await self._archiving.finish(session.copy)
        finally:
            self._finishing.discard(match_id)
        if removed is None or not session.copy.is_over:  # it may have been put back while its record was written
            session.missed_news()
            return
        replay = session.copy.replay
        if removed:
            state = "finished" if replay.state == matches_pb2.MATCH_STATE_FINISHED else "aborted"
            end_of_it = "forfeited" if replay.forfeited else state
            self._metrics.matches_ended.labels(session.copy.game, end_of_it).inc()
        session.close()
        self._sessions.pop(match_id, None)
        self._grown_long.pop(match_id, None)
