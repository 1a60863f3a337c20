"""Plays the blocks of a worker: takes each, keeps its lease, and notes how it ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored, readable
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.attempts import Attempt, Attempts, StartOrder
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.ends import text_of_end, text_of_fault
from fudaba_arena.play.matches.executor import AttemptFailed, AttemptLeft, End
from fudaba_arena.play.matches.match_play import Earlier, MatchRuns
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.leases.handed_out import Lease, NotTaken
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import StoreRetry
from fudaba_arena.workers.hosts import Hosts, OtherHostsKnown
from fudaba_arena.workers.players import Players

__all__ = ["Blocks", "MatchOver"]

MatchOver = Callable[[BlockSpec, PlannedMatch], Awaitable[None]]
"""The callback for a finished match that was played here from its beginning."""

LEASE_SHARE: Final = 2 / 3
"""The share of the queue's time-out for dead workers: no lease is in the way when it gives a block to another one."""
_RENEWALS_PER_LEASE: Final = 5
_MAX_BEGINS: Final = 3
"""The number of beginnings after which a block whose workers all died is not begun again."""


@final
class Blocks:
    """The blocks of one worker. They share its room for the bots that it starts; remote bots cost it nothing."""

    def __init__(
        self,
        worker: str,
        store: Store,
        service: ServiceClient,
        players: Players,
        retry: StoreRetry,
        metrics: Metrics,
        tasks: asyncio.TaskGroup,
        room: int,
        cores: float,
        heartbeat_seconds: float,
        match_over: MatchOver,
        hosts: Hosts | None = None,
    ) -> None:
        """`hosts` is None for a worker that knows no other host."""
        self._worker = worker
        self._store = store
        self._handed_out = store.handed_out
        self._service = service
        self._players = players
        self._retry = retry
        self._metrics = metrics
        self._lease_ms = int(heartbeat_seconds * 1000 * LEASE_SHARE)
        self._match_over = match_over
        self._runs: dict[str, MatchRuns] = {}
        self._begun_before: dict[str, set[str]] = {}
        """For each attempt here, the matches that another process has begun."""
        self._here: set[tuple[str, int, int]] = set()
        self._tasks = tasks
        self._leased: dict[tuple[str, int], Attempt] = {}
        self._keeping: asyncio.Task[None] | None = None
        """Renews the leases, while there are any."""
        self._hosts = hosts
        others = OtherHostsKnown(hosts, lambda: self.count / room) if hosts is not None else None
        order = StartOrder(room, _own_seats, cores, others, lambda: service.maintenance.is_under_way)
        self._attempts = Attempts(order, tasks, self._match)

    @property
    def order(self) -> StartOrder:
        """The order in which matches start."""
        return self._attempts.order

    @property
    def count(self) -> int:
        """The number of blocks in play."""
        return len(self._here)

    async def play(self, tournament: str, number: int, attempt: int) -> None:
        """Plays a block to its end, if it should be played here now."""
        block = tournament, number, attempt
        if self.order.held or block in self._here:
            # The worker stops, and the arena sees that nobody plays it; or it was taken for dead, and its message came
            # back to it.
            return
        self._here.add(block)
        try:
            await self._take(tournament, number, attempt)
        finally:
            self._here.discard(block)

    async def _take(self, tournament: str, number: int, attempt: int) -> None:
        asked = time.monotonic()

        async def take() -> Lease | NotTaken:
            nonlocal asked
            asked = time.monotonic()
            return await self._handed_out.take(tournament, number, attempt, self._worker, self._lease_ms)

        lease = await self._retry(take)
        if not isinstance(lease, Lease):
            return
        try:
            with readable(f"block {number} of {tournament}"):
                spec = BlockSpec.read(lease.spec_text)
                known = lease.matches(spec.number, [match.match_id for match in spec.matches])
        except BadStored as error:
            await self._note(tournament, number, text_of_fault(str(error)))
            return
        if lease.begun > _MAX_BEGINS:
            await self._note(
                spec.tournament, spec.number, text_of_end(AttemptFailed(spec.matches[0].match_id, "worker_lost"))
            )
            return
        results = {match_id: result for match_id, result in known.items() if result is not None}
        # The service may have matches that a worker which died has noted nowhere: these are looked for here.
        may_leave = self._hosts is not None and (lease.handed_on or not lease.last_ms)
        block_attempt = Attempt.at(spec, known.keys() - results.keys(), results, may_leave=may_leave)
        block_attempt.ours_until = asked + self._lease_ms / 1000
        self._lease(block_attempt)
        try:
            self._begin(block_attempt, lease, known)
            end = await block_attempt.wait_for_end()
            if isinstance(end, AttemptFailed):
                await self._note(spec.tournament, spec.number, text_of_end(end))
                await self._attempts.drop(block_attempt, end)
            else:
                await block_attempt.over.wait()
                if isinstance(end, AttemptLeft) and end.to and self._hosts is not None:
                    await self._hand_on(self._hosts, spec, end.to)
                else:
                    await self._note(
                        spec.tournament, spec.number, None if isinstance(end, AttemptLeft) else text_of_end(end)
                    )
        except (ArenaError, ServiceError) as error:
            await self._note(spec.tournament, spec.number, text_of_fault(str(error)))
        finally:
            self._leave(block_attempt)
            self._runs.pop(_key(spec), None)
            self._begun_before.pop(_key(spec), None)

    def hold(self) -> None:
        """Starts no more matches."""
        self._attempts.hold()

    async def cut(self) -> None:
        """Ends matches in play, after `hold`. The bots that this worker started are gone, so their blocks have
        failed.
        """
        for attempt in list(self.order.attempts):
            own = [match for match in attempt.running.values() if _own_seats(attempt.spec, match)]
            end: End = AttemptFailed(own[0].match_id, "stopped") if own else AttemptLeft()
            await self._attempts.drop(attempt, end)

    async def give_back(self, cause: str) -> None:
        """Starts no more matches, and ends those in play. Returns when none is left.

        A block in which bots of this worker have played has failed by `cause`, whatever its results. Others take over
        the blocks played without them as they are.
        """
        self.order.held = True  # not `hold`, which would leave blocks with results of such matches
        for attempt in list(self.order.attempts):
            own = [
                match
                for match in attempt.spec.matches
                if match not in attempt.waiting and _own_seats(attempt.spec, match)
            ]
            end: End = AttemptFailed(own[0].match_id, cause) if own else AttemptLeft()
            await self._attempts.drop(attempt, end)

    def go_on(self) -> None:
        """Plays again after `give_back`."""
        self.order.held = False

    def look_again(self) -> None:
        """Looks for blocks that can begin. Call it after the present workers are noted, and after maintenance."""
        self._attempts.settle_all()

    async def _hand_on(self, hosts: Hosts, spec: BlockSpec, to: str) -> None:
        """Passes a block on to others. If the message is lost, the arena sends another."""
        message = hosts.message(spec, to)
        hand_on = partial(self._handed_out.hand_on, spec.tournament, spec.number, self._worker, hosts.host, message)
        if await self._retry(hand_on):
            self._metrics.handed_on.inc()
            await self._retry(partial(hosts.tell, spec, message))

    def _begin(self, attempt: Attempt, lease: Lease, known: Mapping[str, MatchResult | None]) -> None:
        spec = attempt.spec
        self._begun_before[_key(spec)] = {*known}
        last_ms = lease.last_ms or (1 if known else 0)
        if lease.handed_on and not attempt.going:
            last_ms = 0  # nothing was in play, so there is nothing to look for
        earlier = Earlier(dict(attempt.results), frozenset(known), last_ms, lease.now_ms, "worker_lost")
        self._runs[_key(spec)] = MatchRuns(
            self._store, self._service, self._retry, self._metrics, self._players.seated, earlier, self._worker
        )
        self._attempts.begin(attempt)

    async def _match(self, attempt: Attempt, planned: PlannedMatch) -> MatchResult | AttemptFailed | None:
        try:
            end = await self._runs[_key(attempt.spec)].play(attempt.spec, planned, attempt.absences)
        except (ArenaError, ServiceError) as error:
            await self._note(
                attempt.spec.tournament,
                attempt.spec.number,
                text_of_fault(f"a worker cannot play {planned.match_id}: {error}"),
            )
            return AttemptFailed(planned.match_id, "lost")
        if end is None:
            return None
        if not isinstance(end, AttemptFailed):
            if planned.match_id not in self._begun_before[_key(attempt.spec)] and not end.absent:
                await self._match_over(attempt.spec, planned)
            return end
        self._metrics.failed.inc()
        if await self._withdrawn(attempt.spec, planned):
            return None
        return end.with_words({bot: self._players.last_words(planned.match_id, bot) for bot in end.bots})

    async def _withdrawn(self, spec: BlockSpec, planned: PlannedMatch) -> bool:
        gone = await self._retry(lambda: self._handed_out.withdrawn(spec.tournament))
        return any(bot in gone for bot in planned.bots)

    def _lease(self, attempt: Attempt) -> None:
        self._leased[attempt.spec.tournament, attempt.spec.number] = attempt
        if self._keeping is None:
            self._keeping = self._tasks.create_task(self._keep())

    def _leave(self, attempt: Attempt) -> None:
        if self._leased.get((attempt.spec.tournament, attempt.spec.number)) is attempt:
            del self._leased[attempt.spec.tournament, attempt.spec.number]
        if not self._leased and self._keeping is not None:
            self._keeping.cancel()
            self._keeping = None

    async def _keep(self) -> None:
        """Renews the leases. Ends an attempt if this worker no longer has its block.

        While the store cannot be reached, matches in play go on. Once a lease has expired, nothing more begins, since
        another worker may play the block: it resumes if the lease can be renewed after all.
        """
        while True:
            await asyncio.sleep(self._lease_ms / 1000 / _RENEWALS_PER_LEASE)
            leased = dict(self._leased)
            kept, asked = await self._renewed([*leased])
            for block, attempt in leased.items():
                if block in kept:
                    attempt.ours_until = asked + self._lease_ms / 1000
                elif self._leased.get(block) is attempt:
                    self._tasks.create_task(self._attempts.drop(attempt, AttemptLeft()))
            self._attempts.start()

    async def _renewed(self, blocks: Sequence[tuple[str, int]]) -> tuple[set[tuple[str, int]], float]:
        """Returns the leases that this worker still has, each with the monotonic time of its renewal."""
        asked = time.monotonic()

        async def keep() -> set[tuple[str, int]]:
            nonlocal asked
            asked = time.monotonic()
            return await self._handed_out.keep(blocks, self._worker, self._lease_ms)

        return await self._retry(keep), asked

    async def _note(self, tournament: str, number: int, end: str | None) -> None:
        await self._retry(lambda: self._handed_out.end(tournament, number, self._worker, end))


def _own_seats(spec: BlockSpec, match: PlannedMatch) -> int:
    """Returns how many bots of a match the worker starts."""
    return sum(not spec.bots[name].remote for name in match.bots)


def _key(spec: BlockSpec) -> str:
    return f"{spec.tournament}/{spec.number}/{spec.attempt}"
