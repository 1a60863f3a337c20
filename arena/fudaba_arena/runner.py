"""Plays a tournament: its blocks in order, each match once, whatever dies in between.

What is done is decided by what is stored, and every step can be repeated: a run that was killed at any moment goes on
where it was when it is started again.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Collection
from functools import partial
from typing import Final, final

from fudaba_arena.block_plan import BlockPlan, OpenBlock
from fudaba_arena.blocks import Block, Table
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.field import Field
from fudaba_arena.home import Home
from fudaba_arena.link import Link
from fudaba_arena.matches import Failed, MatchRuns
from fudaba_arena.metrics import Metrics
from fudaba_arena.patience import Patience
from fudaba_arena.state import NOBODY, TournamentState
from fudaba_arena.store import MatchResult, StoreUnavailable, VoidBlock
from fudaba_arena.wording import counted, void_cause

__all__ = ["Runner"]

CLAIM_SECONDS: Final = 15.0
_BEAT_SECONDS: Final = 1.0
_STOP_SECONDS: Final = 10.0

_Ended = tuple[OpenBlock, Table, MatchResult | Failed]


@final
class Runner:
    """One run of a tournament."""

    def __init__(self, state: TournamentState, home: Home, link: Link, metrics: Metrics, say: Say) -> None:
        self.state = state
        self._name = state.tournament.name
        self._home = home
        self._link = link
        self._metrics = metrics
        self._say = say
        self.stop = asyncio.Event()
        """Set to stop when the matches in play are over."""
        self.hurry = asyncio.Event()
        """Set to stop without waiting for matches that are being played."""
        self.grace_seconds = _STOP_SECONDS
        self._patience = Patience(say, metrics.store_errors.inc)
        self._field = Field(state.tournament, home, link, metrics, say)
        self._ends: asyncio.Queue[_Ended | None] = asyncio.Queue()
        """Ends of matches, and None when there is something else to look at."""
        self._plan = BlockPlan(state)

    async def run(self) -> None:
        """Plays until nothing is left to play, or until it is told to stop. Raises `ArenaError`, `ServiceError`."""
        self._metrics.planned.set(self.state.schedule.matches)
        self._metrics.counted.set(self.state.matches_counted)
        self._note_parked()
        await self._claim()
        matches = MatchRuns(self.state, self._home.store, self._link, self._patience, self._metrics)
        await self._beat()
        try:
            async with asyncio.TaskGroup() as group:
                keeping = [group.create_task(self._keep_beating()), group.create_task(self._hear_stop())]
                await self._settle_old_blocks()
                await self._field.start(
                    lambda bot: bot in self.state.stored.withdrawn,
                    self._withdraw,
                    lambda work: keeping.append(group.create_task(work)),
                )
                await self._play(matches)
                for task in keeping:
                    task.cancel()
        finally:
            await self._field.leave()
            with contextlib.suppress(StoreUnavailable):  # the claim runs out by itself
                await self._home.store.disclaim(self._name, self._home.owner)

    # --- who plays

    async def _claim(self) -> None:
        if not await self._home.store.claim(self._name, self._home.owner, CLAIM_SECONDS):
            raise ArenaError(
                f"another arena plays tournament {self._name} from the same Redis; stop that one first"
                f" (if it was killed, wait {CLAIM_SECONDS:g} s)"
            )

    async def _beat(self) -> None:
        now_ms = int(time.time() * 1000)
        await self._patience(lambda: self._home.store.beat(self._name, now_ms))

    async def _keep_beating(self) -> None:
        while True:
            await asyncio.sleep(_BEAT_SECONDS)
            await self._patience(self._claim)
            await self._beat()

    # --- blocks

    async def _settle_old_blocks(self) -> None:
        """Does what a killed run may have left to do for blocks that are over."""
        stored = self.state.stored
        for number in sorted({*stored.finished, *stored.void} - stored.released):
            block = self.state.schedule.block(number)
            if number in stored.void:
                await self._abort([table.match_id for table in block.tables], "its block is void")
            await self._release(block)

    async def _play(self, matches: MatchRuns) -> None:
        async with asyncio.TaskGroup() as group:
            while True:
                while not self.stop.is_set() and (started := self._plan.start_next()) is not None:
                    group.create_task(self._run_match(matches, *started))
                self._metrics.running.set(self._plan.running)
                if not self._plan.running:
                    return
                ended = await self._ends.get()
                if ended is not None:
                    await self._ended(*ended)
                await self._close_blocks()

    async def _run_match(self, matches: MatchRuns, one: OpenBlock, table: Table) -> None:
        self._ends.put_nowait((one, table, await matches.play(one.block, table)))

    async def _ended(self, one: OpenBlock, table: Table, end: MatchResult | Failed) -> None:
        self._plan.ended(one, table)
        if isinstance(end, MatchResult):
            self._plan.shown_up(end.bots)
            for bot in end.bots:
                self._field.played(bot)
                self.state.stored.no_shows.pop(bot, None)
            return
        self._metrics.failed.inc()
        if not one.void and table in self.state.tables(one.block):
            await self._make_void(one, table, end)

    async def _make_void(self, one: OpenBlock, table: Table, why: Failed) -> None:
        """Blind to any result: the whole block, whatever its other matches came to."""
        block = one.block
        one.void = True
        one.waiting.clear()
        void = VoidBlock(block.number, block.slot, why.cause, table.match_id, why.bots, int(time.time() * 1000))
        stored = self.state.stored
        if await self._patience(partial(self._home.store.store_void, self._name, void)):
            self._metrics.void.labels(why.cause).inc()
            for bot in why.bots:
                stored.no_shows[bot] = stored.no_shows.get(bot, 0) + 1
        stored.void[block.number] = void
        self._note_parked()
        self._say(self._void_text(void))
        await self._abort(one.running, "its block is void")
        self._plan.absent(why.bots)
        for bot in why.bots:
            if stored.no_shows.get(bot, 0) >= self.state.tournament.no_shows:
                seconds, times = self.state.tournament.connect_seconds, stored.no_shows[bot]
                often = f", {times} times in a row" if times > 1 else ""
                await self._withdraw(bot, f"it did not connect within {seconds} s{often}{self._field.last_words(bot)}")

    def _void_text(self, void: VoidBlock) -> str:
        why = f"block {void.block} is void: {void_cause(void.cause, void.bots)}"
        replacement = self.state.schedule.replacement(self.state.schedule.block(void.block))
        if void.cause not in NOBODY and self.state.parked(replacement):
            return f"{why}; it is parked after {counted(replacement.attempt, 'attempt')}"
        return f"{why}; it is played again on new deals"

    async def _close_blocks(self) -> None:
        for one in [one for one in self._plan.open if one.over]:
            self._plan.close(one)
            wanted = self.state.tables(one.block)
            if not one.void and wanted:
                match_ids = tuple(table.match_id for table in wanted)
                store = partial(self._home.store.store_finished, self._name, one.block.number, match_ids)
                await self._patience(store)
                self.state.stored.finished[one.block.number] = match_ids
            elif one.void and not self.stop.is_set():
                self._plan.replace(one.block)
            if one.void or wanted:
                await self._release(one.block)
            self._metrics.counted.set(self.state.matches_counted)

    async def _release(self, block: Block) -> None:
        await self._link.release([table.match_id for table in block.tables])
        await self._patience(partial(self._home.store.store_released, self._name, block.number))
        self.state.stored.released.add(block.number)

    async def _abort(self, match_ids: Collection[str], why: str) -> None:
        await asyncio.gather(*(self._link.abort(match_id, why) for match_id in match_ids))

    # --- bots that play no more

    async def _withdraw(self, bot: str, why: str) -> None:
        if bot in self.state.stored.withdrawn:
            return
        self.state.stored.withdrawn[bot] = why
        await self._patience(partial(self._home.store.withdraw, self._name, bot, why))
        self._say(f"bot {bot} is withdrawn: {why}")
        self._note_parked()
        # Matches that have begun are played to their end; those that wait for it would wait in vain.
        for _, table in self._plan.withdrawn():
            match = await self._link.match(table.match_id)
            if match is not None and not match.HasField("start_time"):
                await self._link.abort(table.match_id, f"bot {bot} is withdrawn")
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
                for one in [one for one in self._plan.open if one.running and not one.void]:
                    await self._make_void(one, next(iter(one.running.values())), Failed("stopped"))
                await asyncio.sleep(_STOP_SECONDS)  # until the last match is seen to have ended, which ends this task
        raise ArenaError("stopped without an answer from the service or the store; the next run settles what is left")

    def _wake(self) -> None:
        self._ends.put_nowait(None)

    def _note_parked(self) -> None:
        self._metrics.withdrawn.set(len(self.state.stored.withdrawn))
        self._metrics.parked.set(len(self.state.parked_blocks))
