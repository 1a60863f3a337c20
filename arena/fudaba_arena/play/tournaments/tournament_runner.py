"""Plays a tournament: its blocks in order, each match once, whatever process dies in between.

The store decides what is done, and every step can be repeated. So a run killed at any moment resumes when it is started
again.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import Final, final

from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.absences import paused_message
from fudaba_arena.play.matches.executor import AttemptFailed, AttemptLeft, End, Executor
from fudaba_arena.play.matches.taking_back import settle_closed
from fudaba_arena.play.service.maintenance_hold import MaintenanceHold
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.tournaments.claim import Claim
from fudaba_arena.play.tournaments.excuses import Excuses
from fudaba_arena.schedule.block_plan import BlockPlan
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.frozen_standings import frozen_out
from fudaba_arena.schedule.knockout import KnockoutSchedule
from fudaba_arena.schedule.state import NO_SHOW, NOBODY, SUSPENDED, ScheduledTournament
from fudaba_arena.schedule.wording import block_name, round_begins, void_cause
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.data_folder import DataFolder
from fudaba_arena.store.store_retry import StoreRetry
from fudaba_games.wording import counted

__all__ = ["TournamentRunner"]

_STOP_TIMEOUT_SECONDS: Final = 10.0

_Step = Callable[[], Awaitable[None]]


@final
class TournamentRunner:
    """A run of a tournament."""

    def __init__(
        self,
        state: ScheduledTournament,
        folder: DataFolder,
        service: ServiceClient,
        executor: Executor,
        retry: StoreRetry,
        metrics: Metrics,
        say: Say,
    ) -> None:
        self.state = state
        self._name = state.tournament.name
        self._folder = folder
        self._service = service
        self._executor = executor
        self._retry = retry
        self._claim = Claim(self._name, folder, retry)
        self._metrics = metrics
        self._gauges = metrics.share()
        self._say = say
        self.stop = asyncio.Event()
        """Set to stop when the matches in play are over."""
        self.hurry = asyncio.Event()
        """Set to stop without waiting for matches that are being played."""
        self.grace_seconds = _STOP_TIMEOUT_SECONDS
        self._steps: asyncio.Queue[_Step | None] = asyncio.Queue()
        """The steps to take, one after the other; None wakes the runner to look at something else."""
        self.plan = BlockPlan(state)
        self.opened_ms: dict[int, int] = {}
        """The time when each open block was opened here, by its number, in milliseconds since 1970."""
        self.choose: Callable[[], Awaitable[Block | None]] | None = None
        """Chooses and stores a further block, in a schedule whose blocks are not all known from the start."""
        self.waits: Callable[[], bool] = lambda: bool(self.maintenance_hold) and state.playable
        """Returns whether blocks may still come although nothing is left to play at the moment."""
        self.missed: Callable[[str], bool] = lambda _: False
        """The callback for a bot that did not connect. It returns whether that is enough, so that the bot is not
        withdrawn.
        """
        self.maintenance_hold = MaintenanceHold(service.maintenance)
        self.excuses = Excuses()
        self.may_open: Callable[[], bool] = lambda: True
        """Whether further blocks may be opened now."""
        self.changed: Callable[[], None] = lambda: None
        """Called when a block is closed or a bot is withdrawn, after it is stored."""
        self._sated = False
        """Whether there was room at the last look for a block to open, but no block."""

    @property
    def running(self) -> int:
        """The number of matches in play."""
        return self._executor.running

    @property
    def waits_for_room(self) -> bool:
        """Whether any of its matches waits for room."""
        return self._executor.crowded(sated=self._sated)

    async def run(self) -> None:
        """Plays until nothing is left to play, or until `stop` is set. Raises `ArenaError`, `ServiceError`."""
        self._gauges.planned.set(self.state.schedule.matches)
        self._gauges.counted.set(self.state.matches_counted)
        self._note_parked()
        await self._claim.begin()
        try:
            async with asyncio.TaskGroup() as group:
                keeping = [group.create_task(self._claim.keep()), group.create_task(self._hear_stop())]
                await self._settle_old_blocks()
                async with self._executor.opened(self):
                    with self._service.maintenance.followed(self._wake):
                        await self._play()
                    for task in keeping:
                        task.cancel()
        finally:
            self._gauges.clear()
            await self._claim.end()

    # --- what the executor tells

    def played(self, result: MatchResult) -> None:
        """See `Listener`."""
        if result.block not in self.state.stored.blocks.void:
            self.state.stored.results[result.match_id] = result
        self.plan.shown_up(result.present)
        for bot in result.present:
            self.state.stored.no_shows.pop(bot, None)
        self.plan.absent(result.absent)
        for bot in result.absent:
            self.missed(bot)
        self._wake()

    def gave_up(self, bot: str, why: str) -> None:
        """See `Listener`."""
        self._steps.put_nowait(partial(self._withdraw, bot, why))

    # --- blocks

    async def _settle_old_blocks(self) -> None:
        """Finishes the work of a killed run on blocks that are over."""
        await settle_closed(self.state, self._service, self._release)

    async def _play(self) -> None:
        async with asyncio.TaskGroup() as group:
            while True:
                await self._begin_round()
                while (block := await self._next()) is not None:
                    self.opened_ms[block.number] = int(time.time() * 1000)
                    group.create_task(self._follow(block, self._executor.play(block)))
                self._sated = self._executor.has_room and self.plan.has_room
                self._gauges.running.set(self._executor.running)
                if not self.plan.open and (self.stop.is_set() or not (self.state.goes_on or self.waits())):
                    return
                step = await self._steps.get()
                self._sated = False
                if step is not None:
                    await step()
                self._gauges.counted.set(self.state.matches_counted)
                self._note_waiting()

    async def _begin_round(self) -> None:
        """Draws the next round of a Swiss or a knockout when the one before is over."""
        if self.plan.open or self.stop.is_set():
            return
        if isinstance(self.state.schedule, KnockoutSchedule):  # a command may have annulled blocks meanwhile
            annulments = await self._retry(partial(self._folder.store.annulments.annulments, self._name))
            self.state.stored.blocks.hold(annulments)
        drawn = await asyncio.to_thread(self.state.next_round)  # it takes seconds for a large field
        if drawn is None:
            return
        number = len(self.state.stored.rounds)
        await self._retry(partial(self._folder.store.progress.store_round, self._name, number, drawn))
        self.plan.add(self.state.begin_round(drawn))
        self._gauges.planned.set(self.state.schedule.matches)
        self._say(round_begins(self.state.schedule, drawn, number))

    async def _next(self) -> Block | None:
        """Returns the block to open now. If no known block can be opened, it chooses one."""
        if self.stop.is_set() or self.maintenance_hold or not self._executor.has_room or not self.may_open():
            return None
        block = self.plan.open_next(self._executor.takes)
        while block is None and self.choose is not None and (chosen := await self.choose()) is not None:
            self.plan.add([chosen])
            self._gauges.planned.set(self.state.schedule.matches)
            block = self.plan.open_next(self._executor.takes)
        return block

    async def _follow(self, block: Block, ending: Awaitable[End]) -> None:
        """Follows an open block to its end. Changes are stored step by step, in the one order that everybody sees."""
        end = await self.excuses.excused(block, await ending)
        if isinstance(end, AttemptFailed):
            await self._step(partial(self._make_void, block, end))
            await self._executor.clear(block, "its block is void")
        self._steps.put_nowait(partial(self._close, block, end))

    async def _step(self, step: _Step) -> None:
        """Runs an operation in its turn. Returns when it is done."""
        done = asyncio.Event()

        async def do() -> None:
            await step()
            done.set()

        self._steps.put_nowait(do)
        await done.wait()

    async def _make_void(self, block: Block, why: AttemptFailed) -> None:
        """Voids the whole block, blind to any result."""
        now_ms = int(time.time() * 1000)
        void = VoidBlock(block.number, block.slot, why.cause, why.match_id, why.bots, now_ms)
        stored = self.state.stored
        results = tuple(
            stored.results[planned_match.match_id]
            for planned_match in block.matches
            if planned_match.match_id in stored.results
        )
        closed = ClosedBlock(block.number, block.slot, block.game, results, void=void, at_ms=now_ms)
        if await self._store_closed(closed, block, block.matches):
            self._metrics.void.labels(why.cause).inc()
            for bot in why.bots:
                stored.no_shows[bot] = stored.no_shows.get(bot, 0) + 1
        self._note_parked()
        self.changed()
        self._say(self._void_text(void))
        self.plan.absent(why.bots)
        for bot in why.bots:
            if not self.missed(bot) and stored.no_shows.get(bot, 0) >= self.state.tournament.no_shows:
                seconds, times = self.state.tournament.connect_seconds, stored.no_shows[bot]
                often = f", {times} times in a row" if times > 1 else ""
                await self._withdraw(bot, f"it did not connect within {seconds} s{often}{why.said.get(bot, '')}")

    def _void_text(self, void: VoidBlock) -> str:
        block = self.state.schedule.block(void.block)
        why = f"block {block_name(block)} is void: {void_cause(void.cause, void.bots)}"
        replacement = self.state.schedule.replacement(block)
        if void.cause not in NOBODY and self.state.parked(replacement):
            return f"{why}; it is parked after {counted(replacement.attempt, 'attempt')}"
        return f"{why}; it is played again on new deals"

    async def _close(self, block: Block, end: End) -> None:
        """Notes that no match of a block is in play."""
        self.plan.close(block)
        opened_ms = self.opened_ms.pop(block.number, 0)
        if isinstance(end, AttemptLeft):
            return
        if isinstance(end, AttemptFailed):
            if not self.stop.is_set():
                self.plan.replace(block)
        elif wanted := self.state.to_play(block):
            self.maintenance_hold.note_end(block.game, opened_ms)
            await self._count(block, wanted, end.results)
            self.changed()
        else:
            self.plan.leave(block)
            return
        await self._release(block)

    async def _count(self, block: Block, wanted: Collection[PlannedMatch], known: Mapping[str, MatchResult]) -> None:
        """Notes that the block counts with these matches. Results of its other matches are stored, but do not count."""
        left_out = [match for match in block.matches if match not in wanted]
        matches = [*wanted, *left_out]
        results = tuple(known[match.match_id] for match in matches if match.match_id in known)
        now_ms = int(time.time() * 1000)
        closed = ClosedBlock(block.number, block.slot, block.game, results, len(wanted), at_ms=now_ms)
        if await self._store_closed(closed, block, matches):
            self._metrics.blocks_counted.inc()

    async def _store_closed(self, closed: ClosedBlock, block: Block, matches: Collection[PlannedMatch]) -> bool:
        """Stores a closed block. Returns whether this call stored it: an earlier call may have, if its answer was lost.
        Raises `ArenaError`.
        """
        match_ids = [match.match_id for match in matches]
        store = partial(self._folder.store.open_blocks.store_closed, self._name, closed, block.attempt, match_ids)
        place = await self._retry(store)
        self.state.close(closed)
        if not await self._as_stored(place):
            raise ArenaError(f"another arena has closed a block of {self._name} meanwhile; this one looks again")
        for match_id in match_ids:
            self.state.stored.results.pop(match_id, None)
            self.state.stored.created.discard(match_id)
        return place > 0

    async def _as_stored(self, place: int) -> bool:
        """Returns whether the sequence of closed blocks equals the known one, with the newest one stored at a place."""
        blocks = self.state.stored.blocks
        sequence = self._folder.store.sequence
        return place == blocks.length or await self._retry(
            partial(sequence.begins_with, self._name, blocks, blocks.length)
        )

    async def _release(self, block: Block) -> None:
        """Releases the matches of a closed block and of the earlier attempts at it, unless their names stay hidden, or
        the standings are frozen.
        """
        stored = self.state.stored
        if self.state.hides_names(block.slot) or frozen_out(self.state, [block.number], int(time.time() * 1000)):
            stored.unreleased.add(block.number)
            return
        earlier = [number for number in stored.unreleased if self.state.schedule.block(number).slot == block.slot]
        await self._show(block)
        for number in sorted(set(earlier) - {block.number}):
            await self._show(self.state.schedule.block(number))

    async def _show(self, block: Block) -> None:
        counts = block.number not in self.state.stored.blocks.void
        premiere_from_ms = self.state.tournament.premiere_seconds * 1000 if counts else 0
        await self._service.release([planned.match_id for planned in block.matches], premiere_from_ms)
        await self._retry(partial(self._folder.store.open_blocks.store_released, self._name, block.number))
        self.state.stored.unreleased.discard(block.number)

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
        await self._executor.withdrawn()

    # --- stopping

    async def _hear_stop(self) -> None:
        """Lets matches in play end for a while after a stop. The blocks of the rest are void."""
        await self.stop.wait()
        self._executor.hold()
        self._wake()
        with contextlib.suppress(TimeoutError):  # long enough
            async with asyncio.timeout(self.grace_seconds):
                await self.hurry.wait()
        self._executor.cut()
        await asyncio.sleep(_STOP_TIMEOUT_SECONDS)  # until the last match is seen to have ended, which ends this task
        raise ArenaError("stopped without an answer from the service or the store; the next run settles what is left")

    def call_off(self, barred: Collection[str], holding_up: Collection[str]) -> None:
        """Voids open blocks with bots that may not play, and blocks whose bots do not begin them."""
        for block in self.plan.open:
            first = block.matches[0].match_id
            absent = tuple(bot for bot in block.bots if bot in holding_up)
            if not set(barred).isdisjoint(block.bots):
                self._executor.call_off(block, AttemptFailed(first, SUSPENDED))
            elif absent and self._absence_forfeits:
                self._steps.put_nowait(partial(self._wait_no_longer, block.matches, absent))
            elif absent:
                self._executor.call_off(block, AttemptFailed(first, NO_SHOW, absent))

    @property
    def _absence_forfeits(self) -> bool:
        """Whether a bot that is away in the middle of a block forfeits the rest of it."""
        season = self.state.tournament.season
        return season is not None and season.absence is not None

    async def _wait_no_longer(self, matches: Collection[PlannedMatch], paused: Collection[str]) -> None:
        """Ends matches that wait for paused bots. The executor decides the cost."""
        for planned in matches:
            if seats := [seat for seat, name in enumerate(planned.bots) if name in paused]:
                await self._service.abort_unbegun(planned.match_id, paused_message(seats))

    def look_again(self) -> None:
        """Looks again for blocks to play. Call it after a change that affects this."""
        self.plan.readmit()
        self._wake()

    def room_made(self) -> None:
        """See `Listener`."""
        self._wake()

    def _wake(self) -> None:
        if self._steps.empty():  # after each step, the runner looks for what can be played
            self._steps.put_nowait(None)

    def _note_parked(self) -> None:
        self._gauges.withdrawn.set(len(self.state.stored.withdrawn))
        self._gauges.parked.set(len(self.state.parked_slots))
        self._note_waiting()

    def _note_waiting(self) -> None:
        left = len(self.state.schedule) - self.state.stored.blocks.counted - len(self.state.parked_slots)
        self._gauges.waiting.set(left - len(self.plan.held_up))
