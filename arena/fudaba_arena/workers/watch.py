"""Watches the time that bots need on a worker, and stops it while they lose some.

About once a second, the worker asks its canary. It also examines some of the finished matches: how long their built-in
bots that answer at once took, as measured by the service. If they are late too often (`timekeeping.py`), the worker
takes no blocks. Other workers play its blocks again, whatever their results; blocks whose bots all run elsewhere go on
here. The worker resumes by itself when its canary keeps time again.

A worker also stops if its host can no longer start bots, until it can again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import suppress
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba.v1 import record_pb2
from fudaba_arena.errors import Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.store.workers.known_workers import HOST_FAILS, LATE, StopReason
from fudaba_arena.workers.block_consumer import BlockConsumer
from fudaba_arena.workers.blocks import Blocks
from fudaba_arena.workers.timekeeping import LatenessVerdict, Timekeeping
from fudaba_games.wording import counted

__all__ = ["Decisions", "Watch", "decisions"]

AT_ONCE: Final = frozenset({"first", "random", "sensible"})
"""The built-in bots that need next to no time. The others think for a set time."""
_POLL_SECONDS: Final = 1.0
_PROBE_SECONDS: Final = 10.0
"""The time after which a host that could not run bots is tried again."""
_FIRST_PAUSE_SECONDS: Final = 20.0
_MAX_PAUSE_SECONDS: Final = 640.0
_RELAPSE_SECONDS: Final = 600.0
"""A worker that becomes slow again within this time stays stopped twice as long as before."""


def decisions(record: record_pb2.MatchRecord, seats: Collection[int]) -> Iterator[tuple[float, float]]:
    """Yields the decisions of these seats of a finished match: how long before its end each was made, and how long it
    took.

    Both are in seconds. Decisions that ran out of time are included.
    """
    end_ms = record.end.end_time.ToMilliseconds()
    for entry in record.log:
        if entry.WhichOneof("what") in {"move", "timeout"} and entry.seat in seats:
            yield (end_ms - entry.at_ms) / 1000, entry.spent.bot_us / 1e6


@final
class Decisions:
    """Examines the times of built-in bots' decisions, for one match a second at most."""

    def __init__(self, service: ServiceClient, kept: Timekeeping) -> None:
        self._service = service
        self._kept = kept
        self._looked = 0.0

    async def on_match_over(self, spec: BlockSpec, planned: PlannedMatch) -> None:
        """Notes that a match that was played here from its beginning is over."""
        seats = {seat for seat, name in enumerate(planned.bots) if spec.bots[name].builtin in AT_ONCE}
        now = time.monotonic()
        if not seats or now - self._looked < _POLL_SECONDS:
            return
        self._looked = now
        try:
            record = await self._service.record(planned.match_id)
        except ServiceError:
            return  # a match that cannot be read says nothing, neither for the worker nor against it
        for ago, took in decisions(record, seats):
            self._kept.note(now - ago, took)


@final
class Watch:
    """Stops and resumes a worker."""

    def __init__(self, blocks: Blocks, consumer: BlockConsumer, kept: Timekeeping, metrics: Metrics, say: Say) -> None:
        self._blocks = blocks
        self._consumer = consumer
        self._kept = kept
        self._metrics = metrics
        self._say = say
        self._pause = _FIRST_PAUSE_SECONDS
        self._changed_at = 0.0
        self.why = ""
        """The reason why the worker is stopped; empty while it is not."""
        self.stopped_by = StopReason()
        """The same reason in numbers."""
        self._works: Callable[[], Awaitable[str]] | None = None
        """The check that returns why this host cannot run bots; None while no such fault is known."""
        self._broken_because = ""
        self._found_broken = asyncio.Event()
        self.changed: Callable[[], None] = lambda: None
        """Called when it has been stopped, or goes on."""

    def noted(self, took: float) -> None:
        """Notes the seconds of a canary's decision."""
        self._kept.note(time.monotonic(), took)

    async def run(self) -> None:
        """Looks until cancelled: about once a second, and at once when the host is found to fail."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await self._found_broken.wait()
            self._found_broken.clear()
            await self.judge_lateness(time.monotonic())

    async def judge_lateness(self, now: float) -> None:
        """Stops or resumes the worker by the minute before `now`, a monotonic time in seconds."""
        verdict = self._kept.verdict(now)
        self._metrics.canary.set(verdict.longest)
        if self._works is not None:
            await self._probe(self._works, now)
        elif not self.why and verdict.slow:
            await self._stop(verdict, now)
        elif self.why and verdict.well and now >= self._changed_at + self._pause:
            self._go_on(now)

    async def _stop(self, verdict: LatenessVerdict, now: float) -> None:
        again = now - self._changed_at < _RELAPSE_SECONDS and self._changed_at > 0
        self._pause = min(2 * self._pause, _MAX_PAUSE_SECONDS) if again else _FIRST_PAUSE_SECONDS
        self.why = (
            f"bots lose time here: in {verdict.late} of {counted(verdict.seen, 'second')} one was late that answers"
            f" at once elsewhere, at worst by {verdict.longest:.1f} s"
        )
        self.stopped_by = StopReason(LATE, verdict.late, verdict.seen, verdict.longest)
        self._changed_at = now
        self._kept.forget()
        await self._leave_off("worker_slow")

    async def _leave_off(self, cause: str) -> None:
        self._say(f"{self.why}; what is in play is played again elsewhere, and this worker stops until that is over")
        self.changed()
        await self._blocks.give_back(cause)
        await self._consumer.stop()

    def broken(self, why: str, works: Callable[[], Awaitable[str]]) -> None:
        """Notes that the host can no longer run bots. `works` returns why it still cannot, or nothing once it can."""
        if self._works is None:
            self._works, self._broken_because = works, why
            self._found_broken.set()

    async def _probe(self, works: Callable[[], Awaitable[str]], now: float) -> None:
        """Keeps a worker stopped while its host cannot run bots."""
        if not self.why:
            self.why, self._changed_at = self._broken_because, now
            self.stopped_by = StopReason(HOST_FAILS)
            self._kept.forget()
            await self._leave_off("host")
        elif now >= self._changed_at + _PROBE_SECONDS:
            self._changed_at = now
            if not await works():
                self._works = None
                self._go_on(now, "this host runs bots again")

    def _go_on(self, now: float, news: str = "bots lose no time here any more") -> None:
        self.why, self.stopped_by = "", StopReason()
        self._changed_at = now
        self._kept.forget()
        self._say(f"{news}; this worker plays again")
        self._blocks.go_on()
        self._consumer.start()
        self.changed()
