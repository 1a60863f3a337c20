"""Plays a tournament: its blocks in order, each match once, whatever dies in between.

What is done is decided by what is stored, and every step can be repeated: a run that was killed at any moment goes on
where it was when it is started again.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection
from functools import partial
from typing import Final, final

from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches import Failed, MatchRuns, StoreRetry
from fudaba_arena.play.own_bots import BotProcesses, OwnBots
from fudaba_arena.play.service import ServiceClient
from fudaba_arena.schedule.block_plan import BlockPlan, OpenBlock
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.state import NOBODY, TournamentState
from fudaba_arena.schedule.wording import void_cause
from fudaba_arena.store.closed_blocks import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.folder import DataFolder
from fudaba_arena.store.results import StoreUnavailable
from fudaba_games.wording import counted

__all__ = ["Runner"]

CLAIM_SECONDS: Final = 15.0
_BEAT_SECONDS: Final = 1.0
_STOP_SECONDS: Final = 10.0

_Ended = tuple[OpenBlock, PlannedMatch, MatchResult | Failed]


@final
class Runner:
    """One run of a tournament."""

    def __init__(
        self,
        state: TournamentState,
        folder: DataFolder,
        service: ServiceClient,
        processes: BotProcesses,
        metrics: Metrics,
        say: Say,
    ) -> None:
        self.state = state
        self._name = state.tournament.name
        self._folder = folder
        self._service = service
        self._metrics = metrics
        self._gauges = metrics.share()
        self._say = say
        self.stop = asyncio.Event()
        """Set to stop when the matches in play are over."""
        self.hurry = asyncio.Event()
        """Set to stop without waiting for matches that are being played."""
        self.grace_seconds = _STOP_SECONDS
        self._retry = StoreRetry("the arena's store", StoreUnavailable, say, lambda _: metrics.store_errors.inc())
        self._own_bots = OwnBots(state.tournament, processes)
        self._ends: asyncio.Queue[_Ended | None] = asyncio.Queue()
        """Ends of matches, and None when there is something else to look at."""
        self.plan = BlockPlan(state)
        self.changed: Callable[[], None] = lambda: None
        """Called when a block is closed or a bot is withdrawn, after it is stored."""

    async def run(self) -> None:
        """Plays until nothing is left to play, or until it is told to stop. Raises `ArenaError`, `ServiceError`."""
        self._gauges.planned.set(self.state.schedule.matches)
        self._gauges.counted.set(self.state.matches_counted)
        self._note_parked()
        await self._claim()
        matches = MatchRuns(self.state, self._folder.store, self._service, self._retry, self._metrics)
        await self._beat()
        try:
            async with asyncio.TaskGroup() as group:
                keeping = [group.create_task(self._keep_beating()), group.create_task(self._hear_stop())]
                await self._settle_old_blocks()
                await self._own_bots.start(
                    lambda bot: bot in self.state.stored.withdrawn,
                    self._withdraw,
                    lambda work: keeping.append(group.create_task(work)),
                )
                await self._play(matches)
                for task in keeping:
                    task.cancel()
        finally:
            self._gauges.clear()
            await self._own_bots.leave()
            with contextlib.suppress(StoreUnavailable):  # the claim runs out by itself
                await self._folder.store.disclaim(self._name, self._folder.owner)

    # --- who plays

    async def _claim(self) -> None:
        if not await self._folder.store.claim(self._name, self._folder.owner, CLAIM_SECONDS):
            raise ArenaError(
                f"another arena plays tournament {self._name} from the same Redis; stop that one first"
                f" (if it was killed, wait {CLAIM_SECONDS:g} s)"
            )

    async def _beat(self) -> None:
        now_ms = int(time.time() * 1000)
        await self._retry(lambda: self._folder.store.beat(self._name, now_ms))

    async def _keep_beating(self) -> None:
        while True:
            await asyncio.sleep(_BEAT_SECONDS)
            await self._retry(self._claim)
            await self._beat()

    # --- blocks

    async def _settle_old_blocks(self) -> None:
        """Does what a killed run may have left to do for blocks that are over."""
        stored = self.state.stored
        for number in sorted(stored.unreleased):
            block = self.state.schedule.block(number)
            if number in stored.blocks.void:
                await self._abort([planned.match_id for planned in block.matches], "its block is void")
            await self._release(block)

    async def _play(self, matches: MatchRuns) -> None:
        async with asyncio.TaskGroup() as group:
            while True:
                while not self.stop.is_set() and (started := self.plan.start_next()) is not None:
                    group.create_task(self._run_match(matches, *started))
                self._gauges.running.set(self.plan.running)
                if not self.plan.running:
                    return
                ended = await self._ends.get()
                if ended is not None:
                    await self._ended(*ended)
                await self._close_blocks()

    async def _run_match(self, matches: MatchRuns, one: OpenBlock, planned: PlannedMatch) -> None:
        self._ends.put_nowait((one, planned, await matches.play(one.block, planned)))

    async def _ended(self, one: OpenBlock, planned: PlannedMatch, end: MatchResult | Failed) -> None:
        self.plan.ended(one, planned)
        if isinstance(end, MatchResult):
            self.plan.shown_up(end.bots)
            for bot in end.bots:
                self._own_bots.played(bot)
                self.state.stored.no_shows.pop(bot, None)
            return
        self._metrics.failed.inc()
        if not one.void and planned in self.state.to_play(one.block):
            await self._make_void(one, planned, end)

    async def _make_void(self, one: OpenBlock, planned: PlannedMatch, why: Failed) -> None:
        """Blind to any result: the whole block, whatever its other matches came to."""
        block = one.block
        one.void = True
        one.waiting.clear()
        now_ms = int(time.time() * 1000)
        void = VoidBlock(block.number, block.slot, why.cause, planned.match_id, why.bots, now_ms)
        stored = self.state.stored
        results = tuple(stored.results[one.match_id] for one in block.matches if one.match_id in stored.results)
        closed = ClosedBlock(block.number, block.slot, block.game, results, void=void, at_ms=now_ms)
        if await self._store_closed(closed, block, block.matches):
            self._metrics.void.labels(why.cause).inc()
            for bot in why.bots:
                stored.no_shows[bot] = stored.no_shows.get(bot, 0) + 1
        self._note_parked()
        self.changed()
        self._say(self._void_text(void))
        await self._abort(one.running, "its block is void")
        self.plan.absent(why.bots)
        for bot in why.bots:
            if stored.no_shows.get(bot, 0) >= self.state.tournament.no_shows:
                seconds, times = self.state.tournament.connect_seconds, stored.no_shows[bot]
                often = f", {times} times in a row" if times > 1 else ""
                await self._withdraw(
                    bot, f"it did not connect within {seconds} s{often}{self._own_bots.last_words(bot)}"
                )

    def _void_text(self, void: VoidBlock) -> str:
        why = f"block {void.block} is void: {void_cause(void.cause, void.bots)}"
        replacement = self.state.schedule.replacement(self.state.schedule.block(void.block))
        if void.cause not in NOBODY and self.state.parked(replacement):
            return f"{why}; it is parked after {counted(replacement.attempt, 'attempt')}"
        return f"{why}; it is played again on new deals"

    async def _close_blocks(self) -> None:
        for one in [one for one in self.plan.open if one.over]:
            self.plan.close(one)
            wanted = self.state.to_play(one.block)
            if not one.void and wanted:
                await self._count(one.block, wanted)
                self.changed()
            elif one.void and not self.stop.is_set():
                self.plan.replace(one.block)
            if one.void or wanted:
                await self._release(one.block)
            self._gauges.counted.set(self.state.matches_counted)

    async def _count(self, block: Block, wanted: Collection[PlannedMatch]) -> None:
        """The block counts, with these matches of it; results of others stay with it, and do not."""
        left_out = [match for match in block.matches if match not in wanted]
        matches = [*wanted, *left_out]
        known = self.state.stored.results
        results = tuple(known[match.match_id] for match in matches if match.match_id in known)
        now_ms = int(time.time() * 1000)
        closed = ClosedBlock(block.number, block.slot, block.game, results, len(wanted), at_ms=now_ms)
        await self._store_closed(closed, block, matches)

    async def _store_closed(self, closed: ClosedBlock, block: Block, matches: Collection[PlannedMatch]) -> bool:
        """Whether it was stored now. It may have been before, if an answer was lost."""
        match_ids = [match.match_id for match in matches]
        store = partial(self._folder.store.store_closed, self._name, closed, block.attempt, match_ids)
        stored_now = bool(await self._retry(store))
        self.state.close(closed)
        for match_id in match_ids:
            self.state.stored.results.pop(match_id, None)
            self.state.stored.created.discard(match_id)
        return stored_now

    async def _release(self, block: Block) -> None:
        await self._service.release([planned.match_id for planned in block.matches])
        await self._retry(partial(self._folder.store.store_released, self._name, block.number))

    async def _abort(self, match_ids: Collection[str], why: str) -> None:
        await asyncio.gather(*(self._service.abort(match_id, why) for match_id in match_ids))

    # --- bots that play no more

    async def _withdraw(self, bot: str, why: str) -> None:
        if bot in self.state.stored.withdrawn:
            return
        self.state.stored.withdrawn[bot] = why
        self.state.note_withdrawn()
        await self._retry(partial(self._folder.store.withdraw, self._name, bot, why))
        self._say(f"bot {bot} is withdrawn: {why}")
        self._note_parked()
        self.changed()
        # Matches that have begun are played to their end; those that wait for it would wait in vain.
        for _, planned in self.plan.withdrawn():
            match = await self._service.match(planned.match_id)
            if match is not None and not match.HasField("start_time"):
                await self._service.abort(planned.match_id, f"bot {bot} is withdrawn")
        self._wake()

    # --- stopping

    async def _hear_stop(self) -> None:
        """Once told to stop: lets matches in play end, for a while; then their blocks are void."""
        await self.stop.wait()
        self._wake()
        try:
            async with asyncio.timeout(self.grace_seconds):
                await self.hurry.wait()
        except TimeoutError:
            pass  # long enough
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_SECONDS):
                for one in [one for one in self.plan.open if one.running and not one.void]:
                    await self._make_void(one, next(iter(one.running.values())), Failed("stopped"))
                await asyncio.sleep(_STOP_SECONDS)  # until the last match is seen to have ended, which ends this task
        raise ArenaError("stopped without an answer from the service or the store; the next run settles what is left")

    def _wake(self) -> None:
        self._ends.put_nowait(None)

    def _note_parked(self) -> None:
        self._gauges.withdrawn.set(len(self.state.stored.withdrawn))
        self._gauges.parked.set(len(self.state.parked_slots))
