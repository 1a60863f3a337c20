"""Takes a submission through the stages that run it: its build, its start, and a match of each of its games.

In each match the bot plays all seats, every one a process of its own with a token for that seat. What a bot does wrong
there it would lose by on a ladder, so its author is told the position, and the answer that broke it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, final

from fudaba.safe_text import safe_quoting
from fudaba.v1 import catalog_pb2, matches_pb2, record_pb2
from fudaba_arena.errors import ArenaError
from fudaba_arena.play.service import ServiceClient
from fudaba_arena.programs.building import OVER, Built, told_end
from fudaba_arena.programs.elf import wrong_machine
from fudaba_arena.programs.folders import BuildFailed, Folders
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.runtimes import Runtime, Runtimes
from fudaba_arena.programs.seats import MOST_MB, SeatRun
from fudaba_arena.sandbox.limits import Limits
from fudaba_arena.sandbox.sandbox import Cause, Ending, Sandbox
from fudaba_arena.submissions.faults import BadSubmission, Fault
from fudaba_arena.submissions.stages import Outcome, Stage
from fudaba_games.wording import counted

__all__ = ["CHECK_LABEL", "NoLog", "Trial"]

CHECK_LABEL: Final = "check"
"""The label of the matches that check submissions."""
_CONNECT_SECONDS: Final = 30
_LOOK: Final = 0.1
_CLOCK: Final = record_pb2.Clock(
    move_ms=10_000, bank_ms=60_000, max_timeouts=3, max_illegal=10, start_ms=_CONNECT_SECONDS * 1000
)


@final
class NoLog:
    """For those who are told the end of what a bot said, and need no more."""

    def write(self, output: bytes, /) -> None:
        """Its author is told the end of it."""

    def note(self, text: str, /) -> None:
        """Its author is told how it ended."""


@final
@dataclass(frozen=True, slots=True)
class _Failed:
    """Why a match shows that a bot cannot play."""

    stage: Stage
    fault: Fault
    text: str


@final
class Trial:
    """One check of one submission. Those it needs from the service raise `ServiceError`, see `ServiceClient`."""

    def __init__(
        self, sandbox: Sandbox, service: ServiceClient, folders: Folders, runtimes: Runtimes, limits: Limits
    ) -> None:
        self._sandbox = sandbox
        self._service = service
        self._folders = folders
        self._runtimes = runtimes
        self._limits = limits

    async def prepared(self, program: Program) -> tuple[Outcome | None, tuple[Runtime, Path] | None]:
        """Builds a program: how that stage went, if there is one; and what it is started with, if it can be."""
        began, at_ms = time.monotonic(), time.time_ns() // 1_000_000

        def outcome(stage: Stage, text: str, fault: Fault | None) -> Outcome:
            return Outcome(stage, fault is None, at_ms, round((time.monotonic() - began) * 1000), text, fault)

        stage = Stage.BUILD if program.manifest.build else Stage.START
        if program.manifest.ram_mb > MOST_MB:
            text = f"it wants {program.manifest.ram_mb:,} MB of memory; a bot here gets {MOST_MB:,} at most"
            return outcome(stage, text, Fault.LIMIT), None
        try:
            runtime = await asyncio.to_thread(self._runtimes.of, program.manifest)
            folder = await self._folders.of(program, runtime)
        except BuildFailed as error:
            return outcome(stage, _told_build(error.built), _fault(error.built.ending, Fault.BUILD)), None
        except BadSubmission as error:
            return outcome(stage, str(error), error.fault), None
        passed = outcome(stage, f"built with {runtime.name}", None) if program.manifest.build else None
        if why := await asyncio.to_thread(_not_for_here, folder, program.manifest.start[0]):
            return outcome(Stage.START, why, Fault.START), None
        return passed, (runtime, folder)

    async def matches(
        self, program: Program, version: str, with_what: tuple[Runtime, Path], attempt: int
    ) -> AsyncIterator[Outcome]:
        """Plays a match of each game. The first brings how starting and connecting went, too. Ends with what fails."""
        games = await self._service.games()
        for number, game in enumerate(program.manifest.games):
            begun, at_ms = time.monotonic(), time.time_ns() // 1_000_000
            one = _Match(self._sandbox, self._service, program, with_what, self._limits)
            failed = await one.play(games[game], version, f"check-{program.submission_id}-{game}-{attempt}")
            took = round((time.monotonic() - begun) * 1000)
            if number == 0:
                for stage in (Stage.START, Stage.CONNECT):
                    if failed is not None and failed.stage is stage:
                        yield Outcome(stage, False, at_ms, took, failed.text, failed.fault)
                        return
                    yield Outcome(stage, True, at_ms, took, f"with {with_what[0].name}" if stage is Stage.START else "")
            text = one.told if failed is None else failed.text
            fault = None if failed is None else failed.fault
            yield Outcome(Stage.MATCH, failed is None, at_ms, took, f"{game}: {text}", fault, game)
            if failed is not None:
                return


@final
class _Match:
    """A match of a program against itself."""

    def __init__(
        self,
        sandbox: Sandbox,
        service: ServiceClient,
        program: Program,
        with_what: tuple[Runtime, Path],
        limits: Limits,
    ) -> None:
        self._sandbox = sandbox
        self._service = service
        self._program = program
        self._with = with_what
        self._limits = limits
        self._runs: list[SeatRun] = []
        self._ended: dict[int, Ending] = {}
        """How the program of a seat was given up."""
        self._host_fault = ""
        """Why this host could not run a program."""
        self.told = ""
        """What a match that went well used."""

    async def play(self, game: catalog_pb2.Game, version: str, match_id: str) -> _Failed | None:
        """Plays it; why the bot failed, if it did."""
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
            label=CHECK_LABEL,
        )
        await self._service.create_match(request)
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
                    break  # it is over already
                run = SeatRun(self._sandbox, self._service.endpoint, self._program, *self._with, self._limits, NoLog())
                self._runs.append(run)
                task = asyncio.create_task(self._seat(seat, run, token, match_id))
                stack.push_async_callback(_cancelled, task)
            return await asyncio.shield(waiting)

    async def _seat(self, seat: int, run: SeatRun, token: str, match_id: str) -> None:
        try:
            self._ended[seat] = await run.run(token)
        except (ArenaError, OSError) as error:
            self._host_fault = str(error)
        await self._service.abort(match_id, "a bot that is checked has ended")

    async def _judged(self, match: matches_pb2.Match) -> _Failed | None:
        if self._host_fault:
            raise ArenaError(f"a worker cannot run it: {self._host_fault}")
        begun = match.HasField("start_time")
        for seat, ending in self._ended.items():
            stage = Stage.MATCH if begun else Stage.START
            usual = Fault.MATCH if begun else Fault.START
            text = f"in seat {seat + 1} it {told_end(ending)}{_hint(ending, self._runs[seat].last)}"
            return _Failed(stage, _fault(ending, usual), _with_output(text, self._runs[seat].last))
        if match.state == matches_pb2.MATCH_STATE_ABORTED:
            if match.end.abort_cause == record_pb2.ABORT_CAUSE_NO_SHOW:
                seats = [f"{seat + 1}" for seat in match.end.absent_seats]
                text = f"it did not connect within {_CONNECT_SECONDS} s (seat {', '.join(seats)})"
                return _Failed(Stage.CONNECT, Fault.CONNECT, _with_output(text, self._runs[int(seats[0]) - 1].last))
            raise ArenaError("a match was ended without a result")
        record = await self._service.record(match.header.match_id)
        if match.end.HasField("forfeited_seat"):
            seat = match.end.forfeited_seat
            return _Failed(Stage.MATCH, Fault.MATCH, _with_output(_told_forfeit(record, seat), self._runs[seat].last))
        self.told = f"a match against itself, {'; '.join(run.used.told() for run in self._runs)}{_told_doubts(record)}"
        return None


def _not_for_here(folder: Path, start: str) -> str:
    """Why a program of a bot's folder cannot be run on this machine; empty for others."""
    program = folder / start
    return wrong_machine(program) if "/" in start and program.is_file() else ""


async def _cancelled(task: asyncio.Task[object]) -> None:
    task.cancel()
    await asyncio.wait([task])


def _told_forfeit(record: record_pb2.MatchRecord, seat: int) -> str:
    """Where and how a seat forfeited its match."""
    causes = {
        record_pb2.FORFEIT_CAUSE_RESIGNED: "it resigned",
        record_pb2.FORFEIT_CAUSE_TIMEOUTS: "its time ran out too often",
        record_pb2.FORFEIT_CAUSE_ILLEGAL: "too many of its answers were refused",
    }
    moves = sum(entry.WhichOneof("what") in {"move", "timeout", "referee"} for entry in record.log)
    text = f"in seat {seat + 1} it forfeited after {moves} moves: {causes.get(record.end.forfeit_cause, 'it lost')}"
    refused = [entry for entry in record.log if entry.seat == seat and entry.WhichOneof("what") == "illegal"]
    if refused:
        text += f"\nto decision {refused[-1].decision_id}: {refused[-1].illegal.reason}: {refused[-1].illegal.message}"
    return text


def _told_doubts(record: record_pb2.MatchRecord) -> str:
    """What was wrong in a match that the bot did not lose by it."""
    late = sum(entry.WhichOneof("what") == "timeout" for entry in record.log)
    refused = [entry for entry in record.log if entry.WhichOneof("what") == "illegal"]
    told = f"\nits time ran out in {counted(late, 'decision')}" if late else ""
    if refused:
        last = refused[-1]
        told += f"\n{counted(len(refused), 'answer')} refused, the last to decision {last.decision_id} of seat"
        told += f" {last.seat + 1}: {last.illegal.reason}: {last.illegal.message}"
    return told


def _told_build(built: Built) -> str:
    return _with_output(f"the build {told_end(built.ending)}", built.output.encode())


def _fault(ending: Ending, usual: Fault) -> Fault:
    return Fault.LIMIT if ending.cause in OVER else usual


def _with_output(text: str, output: bytes) -> str:
    """The text, and what the bot said last: a stranger's words, made safe to show."""
    lines = output.decode(errors="replace").strip().splitlines()[-12:]
    return "\n".join([text, *(f"| {safe_quoting(line)}" for line in lines)])


_HINTS: Final[Sequence[tuple[str, str]]] = (
    ("GLIBC_", "it was built with a newer libc than the arena's; link it statically, or let the arena build it"),
    ("No such file or directory", "a program, or the loader that it was linked for, is not there; see docs/authors.md"),
    ("ModuleNotFoundError", "a Python package is neither in the archive nor in the runtime; pack it"),
    ("Cannot find module", "a package of Node's is not in the archive; pack node_modules"),
)


def _hint(ending: Ending, output: bytes) -> str:
    """What an ending that many meet means."""
    said = ending.why + output.decode(errors="replace")
    if ending.cause not in {Cause.FAILED, Cause.EXIT}:
        return ""
    return next((f": {hint}" for sign, hint in _HINTS if sign in said), "")
