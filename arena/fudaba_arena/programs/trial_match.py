"""A match of a submission against itself, in all seats, and what it reveals about the bot.

A bot that ends in mid-match, runs out of time, answers illegally or fails in its own code may still finish a match, but
would lose by it on a ladder. So here it fails.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba.own_errors import FirstFailure, OwnErrors
from fudaba.v1 import catalog_pb2, matches_pb2, record_pb2
from fudaba_arena.errors import ArenaError
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.programs.building import OVER, describe_ending
from fudaba_arena.programs.explanations import describe_forfeit, describe_lapses, describe_place, hint, with_output
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.reading_runtimes import why_broken
from fudaba_arena.programs.resource_use import Used
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.programs.seats import SeatRun
from fudaba_arena.sandbox.folder_archive import KeptFiles
from fudaba_arena.sandbox.sandbox import Cause, Ending, Sandbox
from fudaba_arena.submissions.faults import Fault
from fudaba_arena.submissions.stages import Stage
from fudaba_arena.tournament.limits import Limits

__all__ = ["CHECK_LABEL", "NoLog", "TrialFailed", "TrialMatch", "fault_of"]

CHECK_LABEL: Final = "check"
"""The label of the matches that check submissions."""
_CONNECT_TIMEOUT_SECONDS: Final = 30
_CLOCK: Final = record_pb2.Clock(
    move_ms=10_000, bank_ms=60_000, max_timeouts=1, max_illegal=10, start_ms=_CONNECT_TIMEOUT_SECONDS * 1000
)
_TRACEBACK_WAIT_SECONDS: Final = 0.5
"""The time in which a bot whose code failed may still write the reason."""


@final
class NoLog:
    """Drops the output, for callers that need only the end."""

    def write(self, output: bytes, /) -> None:
        """Adds output. Its author sees the end of it."""

    def note(self, text: str, /) -> None:
        """Notes the end of a process, for its author."""


@final
class _Heard:
    """The errors in a bot's own code that it reported."""

    def __init__(self, match_id: str) -> None:
        self.errors = OwnErrors(match_id)
        self.failed = asyncio.Event()
        """Set once the bot has reported that its own code failed."""
        self._first = FirstFailure(match_id)

    def hear(self, output: bytes) -> None:
        """Takes output while the bot runs."""
        self._first.write(output)
        if self._first.found:
            self.failed.set()

    def write(self, output: bytes, /) -> None:
        """Takes output."""
        self.errors.write(output)

    def note(self, text: str, /) -> None:
        """Notes the end of a process, for its author."""


@final
@dataclass(frozen=True, slots=True)
class TrialFailed:
    """A match showed that a bot cannot play."""

    stage: Stage
    fault: Fault
    text: str


@final
class TrialMatch:
    """A match. Its calls to the service raise `ServiceError`, see `ServiceClient`."""

    def __init__(
        self,
        sandbox: Sandbox,
        service: ServiceClient,
        program: Program,
        with_what: tuple[Runtime, Path],
        limits: Limits,
        place: Path,
    ) -> None:
        """`place` is the program's kept folder, empty at the beginning and dropped at the end."""
        self._sandbox = sandbox
        self._service = service
        self._program = program
        self._with = with_what
        self._limits = limits
        self._scratch = place
        self._runs: list[SeatRun] = []
        self._heard: list[_Heard] = []
        self._ended: dict[int, Ending] = {}
        """The ends of programs that ended before the match did, by seat."""
        self._raised: list[int] = []
        """The seats whose bot reported a failure of its own code before the match was over."""
        self._host_fault = ""
        """The reason why this host could not run a program."""
        self.start_ms = self.slowest_ms = 0
        """The time that a successful match took to start, and its slowest decision."""
        self.summary = ""
        """A summary of the resources that a successful match used."""

    @property
    def used(self) -> Sequence[Used]:
        """The resources that each seat used."""
        return [run.used for run in self._runs]

    async def play(self, game: catalog_pb2.Game, version: str, match_id: str) -> TrialFailed | None:
        """Plays the match. Returns why the bot failed, if it did. Raises `ArenaError` for what this host cannot do."""
        player = record_pb2.Player(bot=self._program.bot, version=version)
        request = matches_pb2.CreateMatchRequest(
            match_id=match_id,
            game=game.id,
            players=[player] * game.min_seats,
            several_seats=True,
            clock=_CLOCK,
            # The same deal for the same content: submitting it once more is no way to try one's luck.
            seed=sha256(f"{self._program.sha256} {game.id}".encode()).digest(),
            hidden=True,
            unlisted=True,
            label=CHECK_LABEL,
        )
        await self._service.create_match_after_maintenance(request)
        match = await self._played(match_id, game.min_seats)
        if match is None:
            raise ArenaError("the service has lost a match of this check")
        return await self._judged(match)

    async def _played(self, match_id: str, seats: int) -> matches_pb2.Match | None:
        async with AsyncExitStack() as stack:
            waiting = asyncio.create_task(self._service.ended(match_id))
            stack.push_async_callback(_cancelled, waiting)
            for seat in range(seats):
                token = await self._service.match_token(match_id, seat)
                if token is None:
                    break  # the match is over already
                self._heard.append(heard := _Heard(match_id))
                self._runs.append(run := self._run(seat, heard))
                task = asyncio.create_task(self._seat(seat, run, token, match_id))
                stack.push_async_callback(_cancelled, task)
                task = asyncio.create_task(self._end_at_failure(seat, heard, match_id))
                stack.push_async_callback(_cancelled, task)
            return await asyncio.shield(waiting)

    def _run(self, seat: int, heard: _Heard) -> SeatRun:
        kept = KeptFiles(self._scratch / f"{seat}.tar") if self._program.manifest.keeps else None
        runtime, folder = self._with
        return SeatRun(
            self._sandbox,
            self._service.endpoint,
            self._program,
            runtime,
            folder,
            self._limits,
            heard,
            kept=kept,
            starts=1,
            heard=heard.hear,
        )

    async def _end_at_failure(self, seat: int, heard: _Heard, match_id: str) -> None:
        """Ends the match when a seat's bot reports that its own code failed, since it may never answer again."""
        await heard.failed.wait()
        await asyncio.sleep(_TRACEBACK_WAIT_SECONDS)
        if not self._ended:
            self._raised.append(seat)
            await self._service.abort(match_id, "a bot that is checked has failed")

    async def _seat(self, seat: int, run: SeatRun, token: str, match_id: str) -> None:
        try:
            ending = await run.run(token)
        except (ArenaError, OSError) as error:
            self._host_fault = str(error)
        else:
            match = await self._service.match(match_id)
            if match is not None and match.HasField("end"):
                return  # the bot left a match that was over
            self._ended[seat] = ending
        await self._service.abort(match_id, "a bot that is checked has ended")

    async def _judged(self, match: matches_pb2.Match) -> TrialFailed | None:
        if self._host_fault:
            raise ArenaError(f"a worker cannot run it: {self._host_fault}")
        for seat in self._raised:
            return await self._failed_early(match, seat)
        if self._ended and (why := await why_broken(self._sandbox, self._with[0])):
            raise ArenaError(f"a worker cannot run it: {why}")
        for seat, ending in self._ended.items():
            return await self._ended_early(match, seat, ending)
        if match.state == matches_pb2.MATCH_STATE_ABORTED:
            if match.end.abort_cause == record_pb2.ABORT_CAUSE_NO_SHOW:
                seats = [f"{seat}" for seat in match.end.absent_seats]
                run = self._runs[match.end.absent_seats[0]]
                text = f"it did not connect within {_CONNECT_TIMEOUT_SECONDS} s (seat {', '.join(seats)})"
                return TrialFailed(Stage.CONNECT, Fault.CONNECT, with_output(text, run.last))
            raise ArenaError("a match was ended without a result")
        record = await self._service.record(match.header.match_id)
        if match.end.HasField("forfeited_seat"):
            seat = match.end.forfeited_seat
            return TrialFailed(
                Stage.MATCH, Fault.MATCH, with_output(describe_forfeit(record, seat), self._runs[seat].last)
            )
        for seat, run in enumerate(self._runs):
            errors = self._heard[seat].errors
            if lapses := describe_lapses(record, seat, errors.decisions):
                last = "\n".join(errors.words).encode() or run.last
                return TrialFailed(Stage.MATCH, Fault.MATCH, with_output(lapses, last))
        self.start_ms = match.start_time.ToMilliseconds() - match.header.create_time.ToMilliseconds()
        spent = [entry.spent.bot_us for entry in record.log if entry.WhichOneof("what") in {"move", "timeout"}]
        self.slowest_ms = round(max(spent, default=0) / 1000)
        slowest = f"{self.slowest_ms / 1000:.2f} s for the slowest decision"
        self.summary = f"a match against itself, {slowest}, {'; '.join(run.used.summary() for run in self._runs)}"
        return None

    async def _failed_early(self, match: matches_pb2.Match, seat: int) -> TrialFailed:
        """Judges a bot whose own code failed during its match."""
        last, errors = self._runs[seat].last, self._heard[seat].errors
        decision_id = errors.decisions[0] if errors.decisions else ""
        decision = f" at decision {decision_id}" if decision_id else ""
        text = f"in seat {seat} its own code failed{decision}{await self._place(match, seat, decision_id)}"
        words = "\n".join(errors.words).encode() or last
        return TrialFailed(Stage.MATCH, Fault.MATCH, with_output(text, words))

    async def _ended_early(self, match: matches_pb2.Match, seat: int, ending: Ending) -> TrialFailed:
        """Judges a program that ended before its match did."""
        last = self._runs[seat].last
        text = f"in seat {seat} it {describe_ending(ending)}"
        left = ending.cause is Cause.EXIT and ending.code == 0
        if match.HasField("start_time"):
            by_itself = " in mid-match" if ending.cause in {Cause.EXIT, Cause.SIGNAL} else ""
            text += f"{by_itself}{hint(ending, last)}{await self._place(match, seat)}"
            return TrialFailed(Stage.MATCH, fault_of(ending, Fault.MATCH), with_output(text, last))
        if left:
            text += " before its match had begun"
            return TrialFailed(Stage.CONNECT, Fault.CONNECT, with_output(text, last))
        return TrialFailed(Stage.START, fault_of(ending, Fault.START), with_output(f"{text}{hint(ending, last)}", last))

    async def _place(self, match: matches_pb2.Match, seat: int, decision_id: str = "") -> str:
        """Returns where in the match a seat ended or failed. The report works without it, too."""
        try:
            return describe_place(await self._service.record(match.header.match_id), seat, decision_id)
        except ServiceError:
            return ""


def fault_of(ending: Ending, usual: Fault) -> Fault:
    """Describes the fault of a program that ended like this."""
    return Fault.LIMIT if ending.cause in OVER else usual


async def _cancelled(task: asyncio.Task[object]) -> None:
    task.cancel()
    await asyncio.wait([task])
