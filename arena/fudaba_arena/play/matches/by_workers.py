"""Hands blocks out to workers through the queue, and takes in their ends."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Final, final

from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored, readable
from fudaba_arena.metrics import Metrics, QueueGauges
from fudaba_arena.play.matches.block_out import BlockOut, matches_at_once
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.ends import read_end
from fudaba_arena.play.matches.executor import AttemptFailed, AttemptLeft, AttemptPlayed, End, Listener
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.workers.block_queue import BlockQueue, addressed_to, new_message
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.leases.handed_out import Progress
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import StoreRetry

__all__ = ["ByWorkers"]

_POLL_SECONDS: Final = 0.05
_SWEEP_SECONDS: Final = 1.0
_CROWDED_SECONDS: Final = 2.0 * _SWEEP_SECONDS
"""The time after which a block that nobody has taken counts as waiting for room. `_SWEEP_SECONDS` later at most, room
is noticed.
"""
_ELSEWHERE_SECONDS: Final = 10.0
"""The time after which a block goes to other workers, if its first ones have no room."""
_UNPLAYABLE_SECONDS: Final = 60.0
"""The time without any worker that has a needed runtime, after which a block becomes void."""


@final
class ByWorkers:
    """An `Executor` that hands blocks out to workers.

    It hands out as many blocks as the tournament's limit of simultaneous matches allows, and one larger block on its
    own. For a deal of submitted bots, one sitting counts. When the arena stops, workers play on, and the next run takes
    over.
    """

    def __init__(
        self,
        state: ScheduledTournament,
        store: Store,
        service: ServiceClient,
        queue: BlockQueue,
        retry: StoreRetry,
        metrics: Metrics,
        offers: Offers,
    ) -> None:
        self._state = state
        self._name = state.tournament.name
        self._handed_out = store.handed_out
        self._service = service
        self._queue = queue
        self._retry = retry
        self._metrics = metrics
        self._gauges = QueueGauges(metrics)
        self._offers = offers
        self._out: dict[int, BlockOut] = {}
        self._matches = 0
        """How many matches these may have in play at once."""
        self._earlier: dict[int, BlockSpec] = {}
        """The blocks that an earlier run has handed out and this one has not yet."""
        self._unreadable: set[int] = set()
        """The blocks whose handed-out form cannot be read: it is written anew as soon as no worker has a lease for
        it."""
        self._clearing: dict[int, Counter[str]] = {}
        """The capacity that failed blocks take from bots with little of it, until their matches are over."""
        self._held = False
        self._listener: Listener

    @property
    def running(self) -> int:
        """See `Executor`."""
        return sum(len(out.spec.matches) for out in self._out.values() if out.held)

    @property
    def has_room(self) -> bool:
        """See `Executor`."""
        return not self._held and self._matches < self._state.tournament.concurrency

    @property
    def spare(self) -> int:
        """See `Executor`. Seats that workers give to other tournaments are excluded."""
        if any(out.placed and not out.held for out in self._out.values()):
            return 0
        seats = sum(out.spec.seats for out in self._out.values())
        widest = max(game.seats for game in self._state.tournament.games)
        matches = self._state.tournament.concurrency - self._matches
        return max(0, min(matches, self._offers.spare_seats(seats) // widest))

    def crowded(self, *, sated: bool) -> bool:  # noqa: ARG002 - what is not handed out takes no room of workers
        """See `Executor`. Workers take blocks in the order of their messages."""
        now = time.monotonic()
        waiting = [out for out in self._out.values() if out.placed and not out.held]
        return any(now - out.waits_since > _CROWDED_SECONDS for out in waiting)

    @asynccontextmanager
    async def opened(self, listener: Listener) -> AsyncIterator[None]:
        """See `Executor`. Until the context is left, it receives the ends of blocks."""
        self._listener = listener
        block_texts = await self._retry(lambda: self._handed_out.spec_texts(self._name))
        for number, text in block_texts.items():
            try:
                with readable(f"block {number} of {self._name}"):
                    self._earlier[number] = BlockSpec.read(text)
            except BadStored:
                self._unreadable.add(number)
        await self._sweep_earlier()
        try:
            async with asyncio.TaskGroup() as tasks:
                hearing = [tasks.create_task(self._hear()), tasks.create_task(self._keep_sweeping())]
                yield
                for task in hearing:
                    task.cancel()
        finally:
            self._gauges.clear()

    def takes(self, block: Block) -> bool:
        """See `Executor`."""
        return block.number in self._earlier or all(room > 0 for room in self._room(block).values())

    def _room(self, block: Block) -> dict[str, int]:
        """Returns how many more simultaneous matches the bots of limited capacity in a block can play."""
        limits = {name: limit for name in block.bots if (limit := self._state.tournament.bot(name).capacity)}
        if not limits:
            return {}
        taken: Counter[str] = Counter()
        for out in self._out.values():
            taken.update(out.at_once)
        for earlier in self._earlier.values():
            taken.update(matches_at_once(earlier))
        for clearing in self._clearing.values():
            taken.update(clearing)
        return {name: limit - taken[name] for name, limit in limits.items()}

    def play(self, block: Block) -> Awaitable[End]:
        """See `Executor`."""
        spec, earlier = BlockSpec.from_block(self._state, block), self._earlier.pop(block.number, None)
        # Bots with little capacity share it among the blocks that they are in: each is told its part, and keeps it.
        earlier_parts = {name: bot.capacity for name, bot in earlier.bots.items()} if earlier is not None else None
        parts = self._room(block) if earlier_parts is None else earlier_parts
        spec = replace(
            spec,
            bots={name: replace(bot, capacity=parts.get(name, 0)) for name, bot in spec.bots.items()},
        )
        out = BlockOut(spec, asyncio.get_running_loop().create_future(), at_once=matches_at_once(spec))
        self._out[block.number] = out
        self._matches += len(spec.at_once)
        return self._played(out)

    async def _played(self, out: BlockOut) -> End:
        if not await self._hand_out(out):
            # An earlier run may have sent the block, or the block has ended already.
            await self._sweep([out.spec.number])
        return await out.end

    async def _hand_out(self, out: BlockOut) -> bool:
        """Hands a block out and sends a message to the workers. Returns False if it was already handed out or is
        over.
        """
        spec, message = out.spec, self._message(out)
        text = spec.text()
        await self._write_anew(spec)
        hand_out = partial(self._handed_out.hand_out, self._name, spec.number, spec.slot, spec.attempt, text, message)
        if not await self._retry(hand_out):
            return False
        self._unreadable.discard(spec.number)  # an unreadable block was put aside meanwhile, and this one is new
        self._metrics.handed_out.inc()
        if message:
            await self._tell(spec, message)
        return True

    async def _write_anew(self, spec: BlockSpec) -> None:
        """Rewrites an unreadable stored block, unless a worker, which can read it, has a lease for it."""
        if spec.number in self._unreadable:
            text = spec.text()
            if await self._retry(lambda: self._handed_out.again(self._name, spec.number, text)):
                self._unreadable.discard(spec.number)

    async def clear(self, block: Block, why: str) -> None:
        """See `Executor`. Its worker lost the block in the step that made it void."""
        await asyncio.gather(*(self._service.abort(match.match_id, why) for match in block.matches))
        self._clearing.pop(block.number, None)

    def call_off(self, block: Block, end: AttemptFailed) -> None:
        """See `Executor`."""
        out = self._out.get(block.number)
        if out is not None:
            self._metrics.failed.inc()
            self._ends(out, end)

    async def withdrawn(self) -> None:
        """See `Executor`. Workers check withdrawals before each match, and when a match has no result."""
        gone = self._state.stored.withdrawn
        for out in list(self._out.values()):
            for match in out.spec.matches:
                for bot in match.bots:
                    if bot in gone:
                        await self._service.abort_unbegun(match.match_id, f"bot {bot} is withdrawn")

    def hold(self) -> None:
        """See `Executor`."""
        self._held = True  # `_hear` then gives up the blocks without a worker: one may have been taken just now

    def cut(self) -> None:
        """See `Executor`."""
        for out in list(self._out.values()):
            self._ends(out, AttemptLeft())

    def _take_out(self, out: BlockOut) -> None:
        if self._out.pop(out.spec.number, None) is not None:
            self._matches -= len(out.spec.at_once)

    def _ends(self, out: BlockOut, end: End) -> None:
        self._take_out(out)
        if isinstance(end, AttemptFailed):
            self._clearing[out.spec.number] = out.at_once
        if not out.end.done():
            out.end.set_result(end)

    # --- what becomes of them

    async def _hear(self) -> None:
        while True:
            if ended := await self._retry(lambda: self._handed_out.ended(self._name)):
                await self._sweep(set(ended))
            if self._held and not all(out.held for out in self._out.values()):
                await self._leave_untaken()
            await asyncio.sleep(_POLL_SECONDS)

    async def _leave_untaken(self) -> None:
        """Leaves the blocks that no worker has taken, according to the store."""
        await self._sweep([*self._out])
        for out in list(self._out.values()):
            if not out.held:
                self._ends(out, AttemptLeft())

    async def _keep_sweeping(self) -> None:
        """Finds ends that were not reported, and sends lost messages and notes again."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            await self._sweep([*self._out])
            if self._earlier:
                await self._sweep_earlier()
            waiting = [out.waits_since for out in self._out.values() if not out.held]
            self._gauges.set(waiting, len(self._out) - len(waiting))

    async def _sweep_earlier(self) -> None:
        """Forgets the blocks that an earlier run handed out, once none of their matches is in play."""
        numbers = [*self._earlier]
        found = await self._retry(lambda: self._handed_out.progress(self._name, numbers))
        for number in numbers:
            if number not in found or _is_played(found[number].end):
                self._earlier.pop(number, None)
                self._listener.room_made()

    async def _sweep(self, numbers: Collection[int]) -> None:
        found = await self._retry(lambda: self._handed_out.progress(self._name, numbers))
        for number in set(numbers) - found.keys():
            if number in self._out:
                await self._hand_out(self._out[number])
        waiting: list[tuple[BlockOut, Progress]] = []
        for number, progress in found.items():
            out = self._out.get(number)
            if out is None:
                continue
            self._note_held(out, progress)
            if progress.end is not None:
                await self._ended(out, progress.end)
            elif not progress.held:
                waiting.append((out, progress))
        if waiting:
            messages = [progress.message for _, progress in waiting if progress.message]
            lost = await self._retry(lambda: self._queue.lost(messages))
            fetched = await self._retry(lambda: self._queue.fetched(messages))
            for out, progress in waiting:
                message = progress.message
                untaken = out.is_untaken(progress, is_fetched=message in fetched)
                if not message or message in lost or untaken or self._stuck(out, message):
                    await self._send_again(out, progress)

    def _note_held(self, out: BlockOut, progress: Progress) -> None:
        if out.held and not progress.held:
            out.waits_since = time.monotonic()
            if progress.worker and progress.end is None:  # the block's worker still has it
                self._metrics.leases_lost.inc()
        if progress.held:
            out.sent_after_loss, out.fetched_since = "", None
        out.held = progress.held

    async def _send_again(self, out: BlockOut, progress: Progress) -> None:
        """Sends another message, to workers on other hosts if some have room."""
        spec, message = out.spec, self._message(out, progress.host)
        await self._write_anew(spec)
        out.sent_after_loss, out.fetched_since = message if progress.worker else "", None
        await self._retry(lambda: self._handed_out.sent(self._name, spec.number, message))
        if message:
            await self._tell(spec, message)
        elif time.monotonic() - out.waits_since > _UNPLAYABLE_SECONDS and any(map(self._offers.lacking, spec.needs)):
            self._metrics.failed.inc()
            self._ends(out, AttemptFailed(spec.matches[0].match_id, "no_runtime"))

    def _message(self, out: BlockOut, host: str = "") -> str:
        """Returns a message to workers that can play a block; empty if none can."""
        commands, needs = out.spec.commands, out.spec.needs
        to = ""
        if needs and host:
            to = self._offers.elsewhere(host, needs, commands=commands, seats=out.spec.seats)
        if needs and not to:
            to = self._offers.place(needs, commands=commands)
        out.placed = not needs or bool(to)
        return new_message(commands=commands, to=to) if out.placed else ""

    def _stuck(self, out: BlockOut, message: str) -> bool:
        """Returns whether a block's workers are gone, or have no room while others have."""
        to = addressed_to(message)
        waited = time.monotonic() - out.waits_since > _ELSEWHERE_SECONDS
        return bool(to) and waited and self._offers.stuck(to, out.spec.needs, commands=out.spec.commands)

    async def _tell(self, spec: BlockSpec, message: str) -> None:
        """Sends a noted message. If it is lost, a later sweep finds that."""
        await self._retry(partial(self._queue.send, message, self._name, spec.number, spec.attempt))

    async def _ended(self, out: BlockOut, text: str) -> None:
        spec = out.spec
        ids = [match.match_id for match in spec.matches]
        known = await self._retry(lambda: self._handed_out.known(self._name, spec.number, ids))
        if spec.number not in self._out:
            return  # the end was heard twice
        results = {match_id: result for match_id, result in known.items() if result is not None}
        for result in results.values():
            self._metrics.result()
            self._listener.played(result)
        try:
            end: End = read_end(text)
        except ArenaError as error:
            self._take_out(out)
            await self._retry(lambda: self._handed_out.again(self._name, spec.number, spec.text()))
            out.end.set_exception(error)
            return
        missing = [match for match in spec.matches if match.match_id not in results and self._wanted(match)]
        if not isinstance(end, AttemptFailed):
            end = AttemptFailed(missing[0].match_id, "lost") if missing else AttemptPlayed(results)
        if isinstance(end, AttemptFailed):
            self._metrics.failed.inc()
        self._ends(out, end)

    def _wanted(self, match: PlannedMatch) -> bool:
        return not any(bot in self._state.stored.withdrawn for bot in match.bots)


def _is_played(end: str | None) -> bool:
    """Returns whether a block ended with none of its matches in play."""
    try:
        return end is not None and isinstance(read_end(end), AttemptPlayed)
    except ArenaError:
        return False  # what the organiser has to mend: it is played on
