"""Takes a submission through the stages that run it: its build, its start, a match of each of its games, and the
measurements.

In each match the bot plays all seats, each one a separate process with its own token. A mistake would cost it points on
a ladder, so its author learns the position and the answer. Stages that the same content has passed are not repeated,
see `passed_before.py`.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from fudaba.v1 import catalog_pb2
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.programs.build_budget import BuildBudget
from fudaba_arena.programs.building import Built, describe_ending
from fudaba_arena.programs.elf import not_for_here
from fudaba_arena.programs.explanations import hint, with_output
from fudaba_arena.programs.folders import BuildFailed, Folders
from fudaba_arena.programs.host_steps import host_step
from fudaba_arena.programs.passed_before import KnownContents, PassedBefore, passed_before, tried_with
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.resource_use import Used, judged
from fudaba_arena.programs.runtimes import Runtime, Runtimes
from fudaba_arena.programs.trial_match import CHECK_LABEL, TrialMatch, fault_of
from fudaba_arena.sandbox.sandbox import Sandbox
from fudaba_arena.submissions.beneath import open_beneath
from fudaba_arena.submissions.faults import BadSubmission, Fault
from fudaba_arena.submissions.stages import Outcome, Stage
from fudaba_arena.tournament.limits import BotLimits, Limits

__all__ = ["CHECK_LABEL", "Trial"]


@final
@dataclass(frozen=True, slots=True)
class _Try:
    """A submission under trial."""

    program: Program
    version: str
    with_what: tuple[Runtime, Path]
    attempt: int
    limits: Limits
    key: str
    """A key of everything that affects its outcomes."""
    before: Mapping[str, str]
    """The stages that it passed before."""


@final
class Trial:
    """A check of one submission. Its calls to the service raise `ServiceError`, see `ServiceClient`."""

    def __init__(
        self,
        sandbox: Sandbox,
        service: ServiceClient,
        folders: Folders,
        runtimes: Runtimes,
        limits: BotLimits,
        known: KnownContents,
    ) -> None:
        self._sandbox = sandbox
        self._service = service
        self._folders = folders
        self._runtimes = runtimes
        self._limits = limits
        self._known = known

    @asynccontextmanager
    async def prepared(
        self, program: Program, budget: BuildBudget
    ) -> AsyncIterator[tuple[Outcome | None, tuple[Runtime, Path] | None]]:
        """Builds a program. Yields the outcome of that stage, if there is one, and what to start it with, if it can be
        started.

        The build stays on this host until the context is left.
        """
        async with AsyncExitStack() as stack:
            yield await self._prepare(program, budget, stack)

    async def _prepare(
        self, program: Program, budget: BuildBudget, stack: AsyncExitStack
    ) -> tuple[Outcome | None, tuple[Runtime, Path] | None]:
        began, at_ms = time.monotonic(), _now_ms()

        def outcome(stage: Stage, text: str, fault: Fault | None) -> Outcome:
            return Outcome(stage, fault is None, at_ms, _since(began), text, fault)

        stage = Stage.BUILD if program.manifest.build else Stage.START
        if text := self._limits.too_much(program.manifest.ram_mb):
            return outcome(stage, text, Fault.LIMIT), None
        try:
            runtime = self._runtimes.for_manifest(program.manifest)
            before = await self._folders.built_before(program, runtime)
            folder = await stack.enter_async_context(self._folders.using(program, runtime, budget))
        except BuildFailed as error:
            return outcome(stage, _describe_build(error.built), fault_of(error.built.ending, Fault.BUILD)), None
        except BadSubmission as error:
            return outcome(stage, str(error), error.fault), None
        build_text = "the same content was built before, and is not built again" if before else "built"
        passed = outcome(stage, f"{build_text}, with {runtime.name}", None) if program.manifest.build else None
        start = program.manifest.start[0]
        if why := await host_step("reading the program that starts it", _not_for_here, folder, start):
            return outcome(Stage.START, why, Fault.START), None
        return passed, (runtime, folder)

    async def matches(
        self, program: Program, version: str, with_what: tuple[Runtime, Path], attempt: int
    ) -> AsyncIterator[Outcome]:
        """Plays a match of each game and judges the measurements. The first match also covers starting and connecting.

        Ends with the first failure. Raises `ArenaError` for what this host cannot do, and `StoreUnavailable`.
        """
        games = await self._service.games()
        limits = self._limits.for_ram(program.manifest.ram_mb)
        key = tried_with(program, with_what[0], limits, isolated=self._sandbox.isolated)
        trial_run = _Try(program, version, with_what, attempt, limits, key, await self._known.passed(key))
        used: dict[str, Sequence[Used]] = {}
        for game in program.manifest.games:
            async for outcome, took in self._game(trial_run, games[game], begun=bool(used)):
                used[game] = took
                yield outcome
                if not outcome.passed:
                    return
        yield self._resources(limits, used)

    async def _game(
        self, tried: _Try, game: catalog_pb2.Game, *, begun: bool
    ) -> AsyncIterator[tuple[Outcome, Sequence[Used]]]:
        """Plays a match unless the content passed it before. Returns its outcome and each seat's use.

        The first match also returns the outcomes of starting and connecting.
        """
        at_ms, began = _now_ms(), time.monotonic()
        first: Sequence[Stage] = () if begun else (Stage.START, Stage.CONNECT)
        name = f"{game.id} {game.rules_version}"
        known = passed_before(tried.before, (*first, name))
        if known is not None:
            for passed in known:
                yield passed.now(at_ms), passed.used
            return
        with self._folders.scratch() as scratch:
            match = TrialMatch(
                self._sandbox, self._service, tried.program, tried.with_what, tried.limits, scratch.folder
            )
            failed = await match.play(
                game, tried.version, f"check-{tried.program.submission_id}-{game.id}-{tried.attempt}"
            )
        took = _since(began)
        for stage in first:
            if failed is not None and failed.stage is stage:
                yield Outcome(stage, False, at_ms, took, failed.text, failed.fault), ()
                return
            outcome = Outcome(
                stage, True, at_ms, took, f"with {tried.with_what[0].name}" if stage is Stage.START else ""
            )
            await self._known.note_passed(tried.key, stage, PassedBefore(outcome).line())
            yield outcome, ()
        text, fault = (match.summary, None) if failed is None else (failed.text, failed.fault)
        cpu_ms = round(max((used.cpu for used in match.used), default=0.0) * 1000)
        pace = match.start_ms, match.slowest_ms, cpu_ms
        outcome = Outcome(Stage.MATCH, failed is None, at_ms, took, f"{game.id}: {text}", fault, game.id, *pace)
        if failed is None:
            await self._known.note_passed(tried.key, name, PassedBefore(outcome, match.used).line())
        yield outcome, match.used

    def _resources(self, limits: Limits, used: Mapping[str, Sequence[Used]]) -> Outcome:
        began, at_ms = time.monotonic(), _now_ms()
        passed, text = judged(used, limits, self._sandbox.enforces)
        return Outcome(Stage.RESOURCES, passed, at_ms, _since(began), text, None if passed else Fault.LIMIT)


def _not_for_here(folder: Path, start: str) -> str:
    """Returns why a program in a bot's folder cannot run on this machine; empty otherwise."""
    if "/" not in start or (program := open_beneath(folder, start)) is None:
        return ""
    with program:
        return not_for_here(program)


def _describe_build(built: Built) -> str:
    output = built.output.encode()
    return with_output(f"the build {describe_ending(built.ending)}{hint(built.ending, output, build=True)}", output)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
