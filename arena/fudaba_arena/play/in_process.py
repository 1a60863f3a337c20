"""Plays blocks in the arena's own process: as many matches at once as the tournament says, as bots have room."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import final

from fudaba_arena.metrics import Metrics
from fudaba_arena.play.executor import End, Failed, Left, Listener, Played
from fudaba_arena.play.matches import MatchRuns, StoreRetry
from fudaba_arena.play.own_bots import BotProcesses, OwnBots
from fudaba_arena.play.service import ServiceClient
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.results import Store

__all__ = ["Attempt", "InProcess", "StartOrder"]


@final
@dataclass(slots=True, eq=False)
class Attempt:
    """An attempt at a block, of which some matches are being played."""

    block: Block
    waiting: deque[PlannedMatch]
    """Not started yet, in order."""
    running: dict[str, PlannedMatch] = field(default_factory=dict)
    """By match id."""
    end: End | None = None
    """How it ended, as soon as that is known."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when nothing of it is played any more."""

    def ends(self, end: End) -> None:
        """Notes how it ended, unless that is known."""
        if self.end is None:
            self.end = end
            self.ended.set()

    async def how(self) -> End:
        """How it ended, once that is known."""
        while self.end is None:
            await self.ended.wait()
        return self.end


@final
class StartOrder:
    """Which match is started next: of the blocks in the order in which they came, as far as there is room.

    There is room for so many matches at once, and for so many of a bot as it plays at once.
    """

    def __init__(self, state: TournamentState) -> None:
        self._state = state
        self._playing: Counter[str] = Counter()
        self.attempts: list[Attempt] = []
        self.held = False
        """Whether no more matches are to be started."""

    @property
    def running(self) -> int:
        """The number of matches being played."""
        return sum(len(one.running) for one in self.attempts)

    @property
    def has_room(self) -> bool:
        """Whether a match could be started if there were one."""
        return not self.held and self.running < self._state.tournament.concurrency

    def start_next(self) -> tuple[Attempt, PlannedMatch] | None:
        """The match to start now, noted as running; None when none fits."""
        if not self.has_room:
            return None
        for one in self.attempts:
            for match in one.waiting:
                if self._fits(match):
                    one.waiting.remove(match)
                    one.running[match.match_id] = match
                    self._playing.update(match.bots)
                    return one, match
        return None

    def ended(self, one: Attempt, match: PlannedMatch) -> None:
        """A match is over, however it ended."""
        del one.running[match.match_id]
        self._playing.subtract(match.bots)

    def _fits(self, match: PlannedMatch) -> bool:
        for name in match.bots:
            capacity = self._state.tournament.bot(name).capacity
            if capacity and self._playing[name] >= capacity:
                return False
        return True


@final
class InProcess:
    """An `Executor` that plays in this process, with bots of which each is one process however much it plays."""

    def __init__(
        self,
        state: TournamentState,
        store: Store,
        service: ServiceClient,
        processes: BotProcesses,
        retry: StoreRetry,
        metrics: Metrics,
    ) -> None:
        self._state = state
        self._service = service
        self._metrics = metrics
        self._own_bots = OwnBots(state.tournament, processes)
        self._matches = MatchRuns(state, store, service, retry, metrics)
        self._order = StartOrder(state)
        self._tasks: asyncio.TaskGroup
        self._listener: Listener

    @property
    def running(self) -> int:
        """See `Executor`."""
        return self._order.running

    @property
    def has_room(self) -> bool:
        """See `Executor`."""
        return self._order.has_room

    @asynccontextmanager
    async def opened(self, listener: Listener) -> AsyncIterator[None]:
        """See `Executor`. It has the arena's own bots."""
        self._listener = listener
        watching: list[asyncio.Task[None]] = []
        try:
            async with asyncio.TaskGroup() as self._tasks:
                await self._own_bots.start(
                    lambda bot: bot in self._state.stored.withdrawn,
                    listener.gave_up,
                    lambda work: watching.append(self._tasks.create_task(work)),
                )
                yield
                for task in watching:
                    task.cancel()
        finally:
            await self._own_bots.leave()

    def play(self, block: Block) -> Awaitable[End]:
        """See `Executor`."""
        one = Attempt(block, deque(self._state.to_play(block)))
        self._order.attempts.append(one)
        self._start()
        self._settle(one)
        return one.how()

    async def clear(self, block: Block, why: str) -> None:
        """See `Executor`."""
        for one in [one for one in self._order.attempts if one.block == block]:
            await asyncio.gather(*(self._service.abort(match_id, why) for match_id in one.running))
            await one.over.wait()

    async def withdrawn(self) -> None:
        """See `Executor`. Matches that have not begun would wait in vain for a bot that is withdrawn."""
        for one in list(self._order.attempts):
            wanted = self._state.to_play(one.block)
            one.waiting = deque(match for match in one.waiting if match in wanted)
            for planned in [match for match in one.running.values() if match not in wanted]:
                match = await self._service.match(planned.match_id)
                if match is not None and not match.HasField("start_time"):
                    gone = next(bot for bot in planned.bots if bot in self._state.stored.withdrawn)
                    await self._service.abort(planned.match_id, f"bot {gone} is withdrawn")
            self._settle(one)

    def hold(self) -> None:
        """See `Executor`."""
        self._order.held = True
        for one in list(self._order.attempts):
            self._settle(one)

    def cut(self) -> None:
        """See `Executor`. Bots of the arena's own end with it, so what is in play has failed."""
        for one in self._order.attempts:
            if one.running and one.end is None:
                self._fail(one, Failed(next(iter(one.running)), "stopped"))

    def _start(self) -> None:
        while (started := self._order.start_next()) is not None:
            self._tasks.create_task(self._run(*started))

    async def _run(self, one: Attempt, planned: PlannedMatch) -> None:
        end = await self._matches.play(one.block, planned)
        self._order.ended(one, planned)
        if isinstance(end, Failed):
            self._metrics.failed.inc()
            if one.end is None and planned in self._state.to_play(one.block):
                self._fail(one, end.with_words({bot: self._own_bots.last_words(bot) for bot in end.bots}))
        else:
            for bot in end.bots:
                self._own_bots.played(bot)
            self._listener.played(end)
        self._start()
        self._settle(one)

    def _fail(self, one: Attempt, why: Failed) -> None:
        one.waiting.clear()
        one.ends(why)

    def _settle(self, one: Attempt) -> None:
        """Notes that an attempt is over, if it is."""
        if one.over.is_set() or one.running or (one.waiting and not self._order.held):
            return
        self._order.attempts.remove(one)
        one.over.set()
        one.ends(Left() if one.waiting else Played())
