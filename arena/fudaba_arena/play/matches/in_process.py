"""Plays blocks in the arena's own process: as many matches at once as the tournament and the bots' capacity allow."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import final

from fudaba_arena.metrics import Metrics
from fudaba_arena.play.bots.own_bots import BotProcesses, OwnBots
from fudaba_arena.play.matches.attempts import Attempt, Attempts, StartOrder
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.executor import AttemptFailed, End, Listener
from fudaba_arena.play.matches.match_play import Earlier, MatchRuns, Seating
from fudaba_arena.play.matches.taking_back import take_back
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import StoreRetry

__all__ = ["InProcess"]


@final
class InProcess:
    """An `Executor` that plays in this process. Each bot is one process, however much it plays."""

    def __init__(
        self,
        state: ScheduledTournament,
        store: Store,
        service: ServiceClient,
        processes: BotProcesses,
        retry: StoreRetry,
        metrics: Metrics,
    ) -> None:
        self._state = state
        self._store = store
        self._service = service
        self._metrics = metrics
        self._own_bots = OwnBots(state.tournament, processes)
        stored = state.stored
        earlier = Earlier(stored.results, frozenset(stored.created), stored.alive_ms, time.time() * 1000)
        self._matches = MatchRuns(store, service, retry, metrics, _always_there, earlier)
        self._order = StartOrder(
            lambda: state.tournament.concurrency,  # an edit of a ladder may change it
            rests=lambda: service.maintenance.is_under_way,
        )
        self._attempts: Attempts
        self._listener: Listener

    @property
    def running(self) -> int:
        """See `Executor`."""
        return self._order.running

    @property
    def has_room(self) -> bool:
        """See `Executor`."""
        return self._order.has_room

    @property
    def spare(self) -> int:
        """See `Executor`."""
        wanted = sum(len(attempt.waiting) + len(attempt.running) for attempt in self._order.attempts)
        return max(0, self._state.tournament.concurrency - wanted)

    def crowded(self, *, sated: bool) -> bool:
        """See `Executor`. Each tournament has its own room here, and all share the machine."""
        return not sated

    @asynccontextmanager
    async def opened(self, listener: Listener) -> AsyncIterator[None]:
        """See `Executor`. It starts the arena's own bots, and takes over what workers had."""
        self._listener = listener
        await take_back(self._state, self._store, self._service)
        watching: list[asyncio.Task[None]] = []
        try:
            async with asyncio.TaskGroup() as tasks:
                self._attempts = Attempts(self._order, tasks, self._run)
                await self._own_bots.start(
                    lambda bot: bot in self._state.stored.withdrawn,
                    listener.gave_up,
                    lambda work: watching.append(tasks.create_task(work)),
                )
                with self._service.maintenance.followed(self._attempts.settle_all):
                    yield
                for task in watching:
                    task.cancel()
        finally:
            await self._own_bots.leave()

    def takes(self, block: Block) -> bool:
        """See `Executor`. Matches wait here until their bots have room."""
        return bool(block.matches)

    def play(self, block: Block) -> Awaitable[End]:
        """See `Executor`."""
        attempt = Attempt.at(BlockSpec.from_block(self._state, block))
        self._attempts.begin(attempt)
        return attempt.wait_for_end()

    async def clear(self, block: Block, why: str) -> None:
        """See `Executor`."""
        for attempt in [candidate for candidate in self._order.attempts if candidate.spec.number == block.number]:
            await asyncio.gather(*(self._service.abort(match_id, why) for match_id in attempt.running))
            await attempt.over.wait()

    def call_off(self, block: Block, end: AttemptFailed) -> None:
        """See `Executor`."""
        for attempt in list(self._order.attempts):  # one that is over leaves the list
            if attempt.spec.number == block.number and attempt.end is None:
                self._metrics.failed.inc()
                self._attempts.fail(attempt, end)

    async def withdrawn(self) -> None:
        """See `Executor`."""
        for attempt in list(self._order.attempts):
            attempt.waiting = deque(match for match in attempt.waiting if self._wanted(match))
            for planned in [match for match in attempt.running.values() if not self._wanted(match)]:
                await self._service.abort_unbegun(planned.match_id, self._gone(planned))
            self._attempts.settle(attempt)

    def hold(self) -> None:
        """See `Executor`."""
        self._attempts.hold()

    def cut(self) -> None:
        """See `Executor`. The arena's own bots end with it, so matches in play have failed."""
        for attempt in self._order.attempts:
            if attempt.running and attempt.end is None:
                self._attempts.fail(attempt, AttemptFailed(next(iter(attempt.running)), "stopped"))

    async def _run(self, attempt: Attempt, planned: PlannedMatch) -> MatchResult | AttemptFailed | None:
        end = await self._matches.play(attempt.spec, planned, attempt.absences)
        if isinstance(end, AttemptFailed):
            self._metrics.failed.inc()
            said = {bot: self._own_bots.last_words(bot) for bot in end.bots}
            return end.with_words(said) if self._wanted(planned) else None
        if end is None:
            return None
        for bot in end.present:
            self._own_bots.played(bot)
        self._listener.played(end)
        return end

    def _wanted(self, match: PlannedMatch) -> bool:
        return not any(bot in self._state.stored.withdrawn for bot in match.bots)

    def _gone(self, match: PlannedMatch) -> str:
        return next(f"bot {bot} is withdrawn" for bot in match.bots if bot in self._state.stored.withdrawn)


def _always_there(_: BlockSpec, __: PlannedMatch) -> AbstractAsyncContextManager[Seating]:
    """Provides the bots that run as long as the tournament is played: they are in every match."""
    return nullcontext(Seating())
