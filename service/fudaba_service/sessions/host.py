"""The sessions of this process with their parts, and the tasks that keep them going: commits, news, deadlines."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import aclosing, suppress
from functools import partial
from typing import Any, Final, final

from fudaba_games.registry import GAMES
from fudaba_service.accounts.house_bots import players as house_players
from fudaba_service.archive import Archive, ArchiveIndex
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.refusals import store_lost
from fudaba_service.sessions.archiving import Archiving
from fudaba_service.sessions.creating import Creation
from fudaba_service.sessions.hidden_matches import HiddenMatches
from fudaba_service.sessions.listing import Listing
from fudaba_service.sessions.live_sessions import HouseBots, LiveSessions
from fudaba_service.sessions.maintenance import MaintenanceNotice
from fudaba_service.sessions.offers import SeatOffers
from fudaba_service.sessions.open_matches import OpenMatches
from fudaba_service.sessions.register import Register
from fudaba_service.sessions.retention import KEEP_ALL, Keep, Retention
from fudaba_service.sessions.roster import Roster
from fudaba_service.store import Appended, MatchGone, Store, StoreUnavailable, retry_until_answered, tell
from fudaba_serving.process.memory import give_back
from fudaba_serving.process.tasks import BackgroundTasks, cancel

__all__ = ["Host"]

log = logging.getLogger(__name__)

_BEAT_SECONDS: Final = 0.25
_POLL_SECONDS: Final = 1.0
_MAX_HOLD_TRIES: Final = 8
"""The number of tries to load a house bot's match that the store does not return."""
_WEIGHING_SECONDS: Final = 5.0
_EXAMINING_SECONDS: Final = 3_600.0
_FAULT_PAUSE_SECONDS: Final = 1.0


@final
class Host:
    """See the module. Nothing happens unless `run` is running."""

    def __init__(
        self, store: Store, archive: Archive, metrics: Metrics, house: HouseBots, keep: Keep = KEEP_ALL
    ) -> None:
        self.store = store
        self.metrics = metrics
        self.tasks = BackgroundTasks(lambda: metrics.task_error("match"))
        self.house = house
        self._archive_index = ArchiveIndex(archive, store.archived if archive.at_url else None)
        archiving = Archiving(store, archive, self._archive_index, metrics)
        self.live = LiveSessions(store, archiving, metrics, house, self.tasks)
        self.offers = SeatOffers(store)
        hidden_matches = HiddenMatches(store, self.tasks)
        self.creation = Creation(store, self.live, self.offers, hidden_matches, metrics, self.tasks)
        self.open_matches = OpenMatches(store, self.creation.create, hidden_matches)
        self.register = Register(store, archive, self._archive_index, self.live, self.open_matches, metrics)
        self._retention = Retention(store, archive, self._archive_index, self.register, keep)
        self.listing = Listing(store, self._archive_index, self.register, self.open_matches)
        self.roster = Roster(store, self.live, self.register, self.offers, self.tasks)
        self.maintenance = MaintenanceNotice(store, metrics)
        metrics.count_matches(GAMES, self.live.count)
        delay = self.live.delay
        metrics.follow_delays(lambda: delay.behind, lambda: delay.silent)

    # --- running

    async def prepare(self) -> None:
        """Notes how long no replica was alive, before anything is loaded. Call it once, before `run`."""
        await self.store.replicas.beat()

    async def run(self) -> None:
        """Runs until cancelled. A fault in one task ends neither the others nor the process."""
        works: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
            "delay": self.live.delay.run,
            "turns": self.store.turns.run,
            "commits": self.store.commits.run,
            "news": self._hear,
            "beat": self._beat,
            "look": self._look,
            "memory": give_back,
            "store_memory": self._weigh_store,
            "store_identity": self._watch_store,
            "store_settings": self._examine_store,
            "sleep": self.live.put_to_sleep,
            "snapshots": self.live.keep_snapshots,
            "open_matches": self.open_matches.run,
            "room": self.roster.keep_room,
            "house": self.house.run,
            "archive_index": self._archive_index.keep,
            "retention": self._retention.run,
            "maintenance": self.maintenance.run,
        }
        tasks = [asyncio.create_task(self._keep_going(name, work)) for name, work in works.items()]
        try:
            await asyncio.gather(*tasks)
        finally:
            await cancel(*tasks)

    async def _keep_going(self, name: str, task: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Runs a background task that should never end, and restarts it when it does."""
        while True:
            try:
                await task()
                log.error("the background task %r has ended by itself; restarting it", name)
            except Exception:
                log.exception("unexpected error in the background task %r; restarting it", name)
            self.metrics.task_error(name)
            await asyncio.sleep(_FAULT_PAUSE_SECONDS)

    async def settle_down(self) -> None:
        """Waits, for a graceful stop, until nothing is in flight."""
        await self.store.commits.drained()
        await self.tasks.done()

    async def close(self) -> None:
        """Gives up what is still in flight."""
        await self.tasks.cancel()
        await self.live.note_outages.close()

    async def leave(self, seconds: float) -> None:
        """Reports to the other replicas that this one stops in order. Call it when `run` has ended."""
        try:
            async with asyncio.timeout(seconds):
                await self.store.replicas.leave()
        except (StoreUnavailable, TimeoutError) as error:
            log.debug("the other replicas will notice by themselves that this one is gone: %s", error)

    async def _hear(self) -> None:
        async with aclosing(self.store.replicas.listen()) as listening:
            async for news in listening:
                self._heard(news)

    def _heard(self, news: str | list[Appended]) -> None:
        if isinstance(news, list):
            for appended in news:
                self.live.appended(appended)
        elif not news:
            self.live.missed_news()
            self.roster.missed_news()
            self.tasks.spawn(self._hold_house_matches())
        elif news.startswith("open "):
            self.open_matches.heard(news.removeprefix("open "))
        else:
            self.roster.heard(*news.split(" "))

    async def _hold_house_matches(self) -> None:
        """Loads the live matches of house bots: at the start, and when a replica that held them may have gone."""
        for player in house_players():
            for match_id in await retry_until_answered(partial(self.store.index.matches_of, player)):
                try:
                    await self._hold(player, match_id)
                except Exception:  # one match that cannot be read must not keep the others from going on
                    log.exception("match %s of a house bot cannot be held by this release", match_id)
                    self.metrics.task_error("house")

    async def _hold(self, player: str, match_id: str, tries: int = _MAX_HOLD_TRIES) -> None:
        try:
            await self.live.session(match_id)
        except MatchGone:
            await self.offers.withdraw(match_id, [player])
        except StoreUnavailable:  # so it says, too, of what is stored wrongly of this match alone
            await retry_until_answered(self.store.ping)
            if not tries:
                raise
            await asyncio.sleep(_POLL_SECONDS)  # a full store answers reads, and refuses writes
            await self._hold(player, match_id, tries - 1)

    async def _beat(self) -> None:
        while True:
            with suppress(StoreUnavailable):  # the committer says so; the missing beats become an outage
                await self.live.note_outages()
            await asyncio.sleep(_BEAT_SECONDS)

    async def _examine_store(self) -> None:
        """Checks every hour whether somebody has changed the store's settings for the worse."""
        while True:
            await asyncio.sleep(_EXAMINING_SECONDS)
            with suppress(StoreUnavailable):
                tell(await self.store.examine())

    async def _watch_store(self) -> None:
        """Reports to everybody when the store has lost its data, and when the data are back."""
        loss_said = False
        while True:
            await asyncio.sleep(_BEAT_SECONDS)
            if self.store.lost and not loss_said:
                log.critical(
                    "the store is empty, or another one than before: nothing is written to it, and nobody is served. "
                    "Bring the data back (start Redis with its own files, or restore a backup), and the service goes "
                    "on by itself; or restart it with --accept-risk empty-store, to begin anew with this one"
                )
                self.roster.drop_streams(store_lost())
            elif loss_said and not self.store.lost:
                log.warning("the store has its data again, and the service goes on")
            loss_said = self.store.lost

    async def _weigh_store(self) -> None:
        """Updates the metrics of the store's memory and of its clock."""
        while True:
            with suppress(StoreUnavailable):  # the committer says so
                used, limit = await self.store.memory()
                self.metrics.store_uses(used, limit, full=not self.store.takes_matches)
                self.metrics.clock_ahead.set(await self.store.clock_ahead())
            await asyncio.sleep(_WEIGHING_SECONDS)

    async def _look(self) -> None:
        """Handles overdue matches that no other replica handles."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            try:
                now_ms = self.store.now_ms()
                for match_id in await self.store.index.overdue(now_ms):
                    try:
                        await self._look_after(match_id, now_ms)
                    except StoreUnavailable:
                        raise
                    except Exception:  # one match that cannot be read, or go on, must not keep the others waiting
                        log.exception("match %s cannot be handled by this release", match_id)
                        self.metrics.task_error("look")
                        await self.store.index.postpone(match_id, now_ms, self.store.now_ms() + 60_000)
            except StoreUnavailable:
                pass  # the committer says so

    async def _look_after(self, match_id: str, overdue_ms: int) -> None:
        if self.store.replicas.stale:
            await self.live.note_outages()
        try:
            session = await self.live.session(match_id)
        except MatchGone:
            return
        session.check_time()
        await self.store.index.postpone(match_id, overdue_ms, self.store.now_ms() + session.copy.next_look_in_ms())
