"""Puts a seat's decisions to a bot, one after another, and compares the answers."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, final

from fudaba.bot_program import BotProgram, Output, environment
from fudaba.client import Endpoint
from fudaba.local_play.contestants import ContestantProgram
from fudaba.rerun.recorded_decisions import Recorded, RecordedSeat
from fudaba.rerun.replayed_seat import GivenAnswer, RerunSeat
from fudaba.rerun.server import PlayServer, serving
from fudaba.tether import how_ended

__all__ = ["AnswerVerdict", "RerunListener", "rerun"]

_CONNECT_TIMEOUT_SECONDS: Final = 60.0
_LEAVE_TIMEOUT_SECONDS: Final = 2.0
_MAX_UNANSWERED: Final = 3


@final
@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """A bot's answer to a decision, beside the recorded one."""

    recorded: Recorded
    given: GivenAnswer
    late: bool
    """Whether it gave no answer in its time."""

    @property
    def failed(self) -> bool:
        """Whether it gave no legal answer, or first an illegal one."""
        return self.given.move is None or bool(self.given.refused)

    @property
    def differs(self) -> bool:
        """Whether it answers differently: with another move, or illegally where the recorded answer was not."""
        if self.given.move is None:
            return True
        if not self.recorded.compared:
            return bool(self.given.refused)
        return self.given.move != self.recorded.move or bool(self.given.refused) != bool(self.recorded.refused)


@final
@dataclass(frozen=True, slots=True)
class RerunListener:
    """Receives the events of a run."""

    serves: Callable[[Endpoint], None]
    """The callback for the address to which a bot is to connect; called once, before anything is started."""
    hold: Callable[[Recorded, int], Awaitable[None]]
    """The callback before the decision to wait at; returns when that decision is to be put. It gets the bot's process,
    or 0 if the bot was not started here.
    """
    judged: Callable[[AnswerVerdict], None]


async def rerun(
    recorded: RecordedSeat,
    start: ContestantProgram | None,
    output: Output,
    watcher: RerunListener,
    at: int | None = None,
) -> str:
    """Puts the decisions to a bot. Returns why that ended early, or nothing.

    `start` is the command to start; without one, it waits for a bot without limit. With `at`, it ends at the decision
    with this number, which may take any time.
    """
    seat = RerunSeat(recorded)
    async with serving(seat) as (server, endpoint):
        watcher.serves(endpoint)
        if start is None:
            return await _Run(recorded, seat, server, watcher, at, None, None).all()
        env = environment(os.environ, Endpoint(endpoint.address), endpoint.token)
        program = BotProgram(start.command, output, cwd=start.folder, env=env)
        running = asyncio.create_task(program.run())
        try:
            return await _Run(recorded, seat, server, watcher, at, program, running).all()
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


@final
@dataclass(frozen=True, slots=True)
class _Run:
    """A run through the decisions."""

    recorded: RecordedSeat
    seat: RerunSeat
    server: PlayServer
    watcher: RerunListener
    at: int | None
    program: BotProgram | None
    running: asyncio.Task[int] | None

    async def all(self) -> str:
        """Puts all decisions. Returns why that ended early, or nothing."""
        connected = asyncio.ensure_future(self.server.connected.wait())
        if not await self._within(connected, _CONNECT_TIMEOUT_SECONDS if self.program is not None else None):
            connected.cancel()
            return f"the bot does not connect: {self._gone() or f'it has not within {_CONNECT_TIMEOUT_SECONDS:g} s'}"
        unanswered, rewound = 0, False
        for decision in self.recorded.decisions:
            if self.at is not None and decision.number == self.at:
                holding = asyncio.ensure_future(self.watcher.hold(decision, self.program.pid if self.program else 0))
                if not await self._within(holding, None):
                    holding.cancel()
                    return self._gone()
            verdict = await self._put(decision, rewound=rewound)
            if verdict is None:
                return f"at decision {decision.number} {self._gone()}"
            self.watcher.judged(verdict)
            if verdict.given.resigned:
                return f"the bot resigned at decision {decision.number}"
            unanswered += verdict.late
            if unanswered >= _MAX_UNANSWERED:
                return f"the bot gave no answer in time {unanswered} times"
            if decision.number == self.at:
                break
            rewound = verdict.given.move is None or verdict.given.move != decision.move
        await self._end()
        return ""

    async def _put(self, decision: Recorded, *, rewound: bool) -> AnswerVerdict | None:
        """Asks the bot about a decision. Returns None if its process has ended instead."""
        answer = self.seat.put(decision, rewound=rewound)
        limited = self.program is not None and decision.number != self.at and decision.time_ms > 0
        if not await self._within(answer, decision.time_ms / 1000 if limited else None):
            if self._gone():
                return None
            return AnswerVerdict(decision, self.seat.given, late=True)
        return AnswerVerdict(decision, answer.result(), late=False)

    async def _within(self, wanted: asyncio.Future[Any], seconds: float | None) -> bool:
        """Returns whether something arrives in time, and before the bot's process ends."""
        waiting: set[asyncio.Future[Any]] = {wanted, self.server.broken}
        if self.running is not None:
            waiting.add(self.running)
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if self.server.broken.done():
            self.server.broken.result()
        return wanted.done()

    def _gone(self) -> str:
        """Returns how the bot's process ended; empty while it runs."""
        if self.running is None or not self.running.done():
            return ""
        return f"the bot ended with {how_ended(self.running.result())}"

    async def _end(self) -> None:
        """Sends the bot the end of the match, and gives it a moment to end by itself."""
        self.seat.end()
        waiting = asyncio.ensure_future(self.server.told_end.wait())
        await self._within(waiting, _LEAVE_TIMEOUT_SECONDS)
        waiting.cancel()
        if self.running is not None:
            await asyncio.wait([self.running], timeout=_LEAVE_TIMEOUT_SECONDS)
