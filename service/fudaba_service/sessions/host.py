"""All sessions of this process, and what keeps them going: commits, news of other replicas, deadlines, archive."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Final, final

from fudaba.v1 import errors_pb2, matches_pb2, record_pb2
from fudaba_games.registry import GAMES
from fudaba_service.archive import MATCH_ID, Archive, ArchiveUnavailable
from fudaba_service.ending import end
from fudaba_service.house.names import is_house
from fudaba_service.house.names import players as house_players
from fudaba_service.house.seats import House
from fudaba_service.metrics import Metrics
from fudaba_service.refusals import Refused
from fudaba_service.sessions import proposals
from fudaba_service.sessions.archiving import Archiving
from fudaba_service.sessions.changes import Propose
from fudaba_service.sessions.clock import ServerDelay
from fudaba_service.sessions.register import Register
from fudaba_service.sessions.roster import Roster
from fudaba_service.sessions.session import Session
from fudaba_service.sessions.tables import Tables
from fudaba_service.store import Append, Appended, MatchGone, Store, StoredMatch, StoreUnavailable

__all__ = ["Host"]

log = logging.getLogger(__name__)

_BEAT: Final = 0.25
_LOOK: Final = 1.0
_RETRY: Final = 0.25
_LOOKS: Final = 20
_PATIENCE: Final = 5.0
_WEIGHING: Final = 5.0


@final
class Host:
    """See the module. `run` must be running for anything to happen."""

    def __init__(self, store: Store, archive: Archive, metrics: Metrics) -> None:
        self.store = store
        self.archive = archive
        self.metrics = metrics
        self.delay = ServerDelay(store.silence)
        self.outages: list[tuple[int, int]] = []
        self._sessions: dict[str, Session] = {}
        self._loading: dict[str, asyncio.Future[Session]] = {}
        self.register = Register(self)
        self.roster = Roster(store, self, self.register)
        self.house = House()
        self.tables = Tables(store, self.create)
        self._tasks: set[asyncio.Task[None]] = set()
        self._archiving: set[str] = set()
        self._endings = Archiving(store, archive, metrics)
        metrics.count_matches(GAMES, self._count)
        metrics.follow_delays(lambda: self.delay.behind, lambda: self.delay.silent)

    # --- what sessions need (Surroundings)

    def now_ms(self) -> int:
        """The store's time."""
        return self.store.now_ms()

    def append(self, append: Append) -> None:
        """Appends to a log with group commit."""
        self.store.append(append)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Calls back after a time."""
        return asyncio.get_running_loop().call_later(seconds, callback)

    def reload(self, session: Session) -> None:
        """Brings a session's copy in step with the store."""
        self.spawn(self._reload(session))

    def finished(self, session: Session) -> None:
        """Archives a match that is over and stored."""
        if session.match_id not in self._archiving:
            self._archiving.add(session.match_id)
            self.spawn(self._finish(session))

    def answered(self, game: str, bot_us: int) -> None:
        """Counts a decision that a bot made."""
        self.metrics.decision_times.add(game, bot_us)

    def decided(self, game: str, entry: record_pb2.LogEntry) -> None:
        """Counts what was added to a log here, answers left out."""
        self.metrics.decided(game, entry)

    # --- matches

    def held(self, match_id: str) -> Session | None:
        """The session of a match, if this process has it now."""
        return self._sessions.get(match_id)

    async def session(self, match_id: str) -> Session:
        """The session of a live match, loaded if need be. Raises `MatchGone` or `StoreUnavailable`."""
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

    def _loaded(self, match_id: str, loading: asyncio.Future[Session]) -> None:
        self._loading.pop(match_id, None)
        if not loading.cancelled():
            # Whoever waits is told; but all who did may have gone, and then nobody has asked for it.
            loading.exception()

    async def create(
        self, header: record_pb2.MatchHeader, seed: bytes, salt: bytes, asked: bytes, *, withheld: bool = False
    ) -> bool:
        """Creates a match and offers it to its bots; False when its id is taken. `asked`: see `front.asking`."""
        match_id, created_ms = header.match_id, header.create_time.ToMilliseconds()
        bots = [f"{p.bot}/{p.version}" for p in header.players]
        if withheld:
            await self.store.withhold(match_id)
        await self.store.offer(match_id, bots)
        stored = StoredMatch(header.SerializeToString(deterministic=True), seed, salt, [])
        deadline = created_ms + (header.clock.start_ms or 60_000)
        if not await self.store.create(match_id, created_ms, deadline, stored, asked):
            return False
        self.metrics.matches_created.labels(header.game).inc()
        await self.tell_offers(header)
        if any(is_house(player.bot) for player in header.players):
            await self.session(match_id)  # whoever holds it plays its house bots
        return True

    async def tell_offers(self, header: record_pb2.MatchHeader) -> None:
        """Tells the bots of a match that it waits for them; harmless when they know."""
        for player in header.players:
            await self.store.tell(f"offer {player.bot}/{player.version} {header.match_id}")

    async def tell_again(self, header: record_pb2.MatchHeader) -> None:
        """The same for a match that is created a second time: the first try may have come no further than the store."""
        if not await self.tables.find(header.match_id):
            await self.tell_offers(header)

    async def change(self, session: Session, propose: Propose, held: float = 0.0) -> None:
        """Submits a change and waits until it is stored; it may be held so long before. Raises `Refused`."""
        done: asyncio.Future[Refused | None] = asyncio.get_running_loop().create_future()

        def reply(refused: Refused | None) -> None:
            if not done.done():
                done.set_result(refused)

        session.submit(propose, reply)
        try:
            async with asyncio.timeout(held + _PATIENCE):
                refused = await done
        except TimeoutError as error:
            raise Refused(
                errors_pb2.REASON_STORE_UNAVAILABLE,
                "the store did not answer in time; ask again: a change that was stored after all is not made twice",
            ) from error
        if refused is not None:
            raise refused

    # --- running

    async def prepare(self) -> None:
        """Notes how long no replica was alive, before anything is loaded. Call it once, before `run`."""
        await self.note_outages()

    async def note_outages(self) -> None:
        """Reads which outages there were, and notes one that is just over."""
        await self.store.beat()
        self.outages = await self.store.outages()

    async def run(self) -> None:
        """Runs until cancelled."""
        works = (
            self.delay.run, self.store.run_commits, self._hear, self._beat, self._look, self._weigh_store,
            self.tables.run, self.house.run,
        )  # fmt: skip
        tasks = [asyncio.create_task(work()) for work in works]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            await end(*tasks)

    async def settle_down(self) -> None:
        """Waits, for a graceful stop, until nothing is in flight."""
        await self.store.drained()
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Gives up what is still in flight."""
        await end(*self._tasks)

    async def leave(self, seconds: float) -> None:
        """Tells the other replicas that this one stops in good order. Call it when `run` has ended."""
        try:
            async with asyncio.timeout(seconds):
                await self.store.leave()
        except (StoreUnavailable, TimeoutError) as error:
            log.debug("the other replicas will notice by themselves that this one is gone: %s", error)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs work in the background, and keeps it until it is done."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a fault in the background", exc_info=task.exception())

    def _count(self, game: str, state: str) -> int:
        states = {
            "waiting": (matches_pb2.MATCH_STATE_WAITING,),
            "playing": (matches_pb2.MATCH_STATE_PLAYING,),
            "over": (matches_pb2.MATCH_STATE_FINISHED, matches_pb2.MATCH_STATE_ABORTED),
        }[state]
        return sum(s.header.game == game and s.replay.state in states for s in list(self._sessions.values()))

    async def _load(self, match_id: str) -> Session:
        stored = await self._endings.load(match_id)
        session = Session(self, stored, proposals.settle)
        if stored.entries:
            self.metrics.replays.inc()
        self._sessions[match_id] = session
        self.house.sit(session)
        if session.replay.over:
            self.finished(session)
        return session

    async def _reload(self, session: Session) -> None:
        """Has the session catch up with, or be put back to, what is stored; tries until that can be read."""
        tries = 0
        while True:
            try:
                await self.note_outages()
                stored = await self._endings.find(session.match_id)
                if stored is not None or tries == _LOOKS:
                    break
                # Another replica has removed it; its archive folder may be slow to show what it holds.
                tries += 1
                await asyncio.sleep(_RETRY)
            except (StoreUnavailable, ArchiveUnavailable) as error:
                log.debug("match %s cannot be read yet: %s", session.match_id, error)
                await asyncio.sleep(_RETRY)
        if stored is None:
            log.error("match %s is in neither the store nor the archive", session.match_id)
            session.lost()
        elif session.is_prefix_of(stored.entries):
            session.catch_up(stored.entries[session.replay.length :])
        else:
            log.warning("match %s is put back: the store lost a tail of its log", session.match_id)
            self.metrics.rewinds.inc()
            session.rewind(stored)

    async def _finish(self, session: Session) -> None:
        """Archives a match and lets it go, unless it has been put back meanwhile."""
        removed = await self._endings.finish(session)
        self._archiving.discard(session.match_id)
        if removed is None:
            session.missed_news()
            return
        if removed:
            state = "finished" if session.replay.state == matches_pb2.MATCH_STATE_FINISHED else "aborted"
            end_of_it = "forfeited" if session.replay.forfeited else state
            self.metrics.matches_ended.labels(session.header.game, end_of_it).inc()
        self._drop(session)

    def _drop(self, session: Session) -> None:
        session.close()
        self._sessions.pop(session.match_id, None)
        self._archiving.discard(session.match_id)

    async def _hear(self) -> None:
        async for news in self.store.listen():
            if isinstance(news, list):
                for appended in news:
                    self._appended(appended)
            elif not news:
                for match_id in {*self._sessions, *self._loading}:
                    self._missed_news(match_id)
                self.roster.missed_news()
                self.spawn(self._hold_house_matches())
            elif news.startswith("open "):
                self.tables.heard(news.removeprefix("open "))
            else:
                self.roster.heard(*news.split(" "))

    async def _hold_house_matches(self) -> None:
        """Loads the live matches of house bots: at the start, and when a replica that held them may have gone."""
        try:
            for player in house_players():
                for match_id in await self.store.matches_of(player):
                    with suppress(MatchGone):
                        await self.session(match_id)
        except StoreUnavailable as error:
            log.debug("matches of house bots are looked for when the store is back: %s", error)

    def _appended(self, news: Appended) -> None:
        session = self._sessions.get(news.match_id)
        if session is not None:
            session.appended(news)
        elif news.match_id in self._loading:
            # What is being read may be older than the news.
            self._loading[news.match_id].add_done_callback(lambda _: self._appended(news))

    def _missed_news(self, match_id: str) -> None:
        session = self._sessions.get(match_id)
        if session is not None:
            session.missed_news()
        elif match_id in self._loading:
            self._loading[match_id].add_done_callback(lambda _: self._missed_news(match_id))

    async def _beat(self) -> None:
        while True:
            with suppress(StoreUnavailable):  # the committer says so; the missing beats become an outage
                await self.note_outages()
            await asyncio.sleep(_BEAT)

    async def _weigh_store(self) -> None:
        """Keeps the metrics of the store's memory."""
        while True:
            with suppress(StoreUnavailable):  # the committer says so
                self.metrics.store_uses(*await self.store.memory())
            await asyncio.sleep(_WEIGHING)

    async def _look(self) -> None:
        """Looks after matches that are overdue and that nobody else looks after."""
        while True:
            await asyncio.sleep(_LOOK)
            try:
                now_ms = self.now_ms()
                for match_id in await self.store.overdue(now_ms):
                    await self._look_after(match_id, now_ms)
            except StoreUnavailable:
                pass  # the committer says so

    async def _look_after(self, match_id: str, overdue_ms: int) -> None:
        try:
            session = await self.session(match_id)
        except MatchGone:
            return
        except StoreUnavailable:
            raise
        except Exception:  # one match that cannot be read must not end the process, now and after each restart
            log.exception("match %s cannot be looked after by this release", match_id)
            await self.store.postpone(match_id, overdue_ms, self.now_ms() + 60_000)
            return
        session.check_time()
        await self.store.postpone(match_id, overdue_ms, self.now_ms() + session.next_look_in_ms())
