"""Takes a submission through all stages on its author's machine. It works like a worker, but starts its own service."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, final

from fudaba.cli.output import say, status
from fudaba.local_play.embedded import embedded_service
from fudaba_arena.commands.submission_files import SubmissionFile
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.programs.build_budget import Unbounded
from fudaba_arena.programs.cache import MAX_PROGRAM_BYTES, ProgramCache
from fudaba_arena.programs.folders import Folders
from fudaba_arena.programs.passed_before import KnownHere
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.reading_runtimes import read_runtimes
from fudaba_arena.programs.runtimes import Runtimes
from fudaba_arena.programs.trials import Trial
from fudaba_arena.programs.worker_file import WorkerFile, read_worker_file
from fudaba_arena.sandbox.opening import working_sandbox
from fudaba_arena.sandbox.sandbox import Sandbox, SandboxUnavailable
from fudaba_arena.sandbox.unsafe import Unsafe
from fudaba_arena.submissions.contents import KeptContents, hash_of
from fudaba_arena.submissions.faults import BadSubmission
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.submissions.stages import Outcome, Stage, following

__all__ = ["CheckRun", "check_runtime", "run_stages"]

_POLL_SECONDS: Final = 0.5
_PATIENCE_SECONDS: Final = 2.0
_VERSION: Final = "1"


@final
@dataclass(slots=True)
class CheckRun:
    """The course of a check."""

    outcomes: list[Outcome] = field(default_factory=list)
    runtime: str = ""
    """The runtime that ran the bot; empty if the bot did not run."""
    why_no_sandbox: str = ""
    """The reason for running without a sandbox; empty if there was a sandbox."""


def run_stages(
    submitted_file: SubmissionFile,
    unpacked: tuple[Outcome, Manifest],
    config: Path | None,
    tell: Callable[[Outcome], None],
    begins: Callable[[str, str], None],
) -> CheckRun:
    """Ends the stage `unpack`, which fails if the runtime is missing, and runs the stages that follow.

    It uses a worker's file if there is one. It reports each stage when it ends, and when it begins, with the game of a
    match.

    Raises `ArenaError`, `FudabaError` and `OSError` for what this machine cannot do. It leaves no process running, even
    after an error.
    """
    file = WorkerFile() if config is None else read_worker_file(config)

    async def run() -> CheckRun:
        this = asyncio.current_task()
        assert this is not None  # noqa: S101 - it runs in one
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
        return await _run(submitted_file, unpacked, file, tell, begins)

    try:
        return asyncio.run(run())
    except asyncio.CancelledError:  # told to stop, as by Ctrl-C
        raise KeyboardInterrupt from None


def check_runtime(unpacked: tuple[Outcome, Manifest], config: Path | None) -> Outcome:
    """Ends only the stage `unpack`, which fails if the named runtime is missing. It runs nothing of the submission.

    Raises `ArenaError` and `OSError` for what this machine cannot do.
    """
    outcome, manifest = unpacked
    file = WorkerFile() if config is None else read_worker_file(config)

    async def runtimes() -> Runtimes:
        with tempfile.TemporaryDirectory(prefix="fudaba-", dir="/tmp") as place:
            try:
                sandbox: Sandbox = await working_sandbox()
            except SandboxUnavailable:
                sandbox = Unsafe.open(lambda _: None, Path(place))
            try:
                return await read_runtimes(sandbox, file, [manifest.language])
            finally:
                await sandbox.close()

    try:
        asyncio.run(runtimes()).for_manifest(manifest)
    except BadSubmission as error:
        return replace(outcome, passed=False, output=str(error), fault=error.fault)
    return outcome


async def _run(
    submitted_file: SubmissionFile,
    unpacked: tuple[Outcome, Manifest],
    file: WorkerFile,
    tell: Callable[[Outcome], None],
    begins: Callable[[str, str], None],
) -> CheckRun:
    ran, digest, (outcome, manifest) = CheckRun(), hash_of(submitted_file.path), unpacked

    def over(outcome: Outcome) -> None:
        ran.outcomes.append(outcome)
        doing.clear()
        tell(outcome)

    program = Program("here", manifest.name or "bot", submitted_file.name, digest, manifest)
    async with AsyncExitStack() as stack:
        doing = await stack.enter_async_context(_doing())
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fudaba-")))
        # Paths of sockets have to be short, which those below TMPDIR need not be.
        short = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fudaba-", dir="/tmp")))
        sandbox = await _sandbox(ran, short)
        stack.push_async_callback(sandbox.close)
        doing.begin("looking for the runtime")
        runtimes = await read_runtimes(sandbox, file, [manifest.language])
        try:
            runtimes.for_manifest(manifest)
        except BadSubmission as error:
            over(replace(outcome, passed=False, output=str(error), fault=error.fault))
            return ran
        over(outcome)
        doing.begin("starting a service")
        service = ServiceClient(
            await stack.enter_async_context(embedded_service(manifest.games)), lambda text: say(text, err=True)
        )
        stack.push_async_callback(service.close)
        await service.create_bot(program.bot, "", _VERSION)
        contents = KeptContents(str(place / "submitted"))
        trial = await _trial(sandbox, service, contents, runtimes, file, place)
        await contents.put(submitted_file.path, digest)

        def begin_next() -> None:
            if (following_one := following(manifest, ran.outcomes)) is not None:
                stage, game = following_one
                begins(stage, game)
                doing.begin(f"{stage} of {game}" if game else stage)

        begin_next()
        async for outcome in _stages(trial, program, ran):
            over(outcome)
            if outcome.passed and outcome.stage in {Stage.BUILD, Stage.MATCH}:
                begin_next()
    return ran


async def _trial(
    sandbox: Sandbox,
    service: ServiceClient,
    contents: KeptContents,
    runtimes: Runtimes,
    file: WorkerFile,
    place: Path,
) -> Trial:
    """Returns the trial that builds the submission and plays with it here."""
    await contents.prepare()
    known = KnownHere()
    cache = ProgramCache(place / "programs", MAX_PROGRAM_BYTES)
    cache.open()
    folders = Folders(cache, contents, known, sandbox, file.builds)
    return Trial(sandbox, service, folders, runtimes, file.limits, known)


async def _sandbox(ran: CheckRun, place: Path) -> Sandbox:
    try:
        return await working_sandbox()
    except SandboxUnavailable as error:
        ran.why_no_sandbox = str(error)
        say(f"there is no sandbox here, so it runs with your own rights: {error}", err=True)
        return Unsafe.open(lambda _: None, place)


async def _stages(trial: Trial, program: Program, ran: CheckRun) -> AsyncIterator[Outcome]:
    async with trial.prepared(program, Unbounded()) as (outcome, with_what):
        if outcome is not None:
            yield outcome
        if with_what is None:
            return
        ran.runtime = with_what[0].name
        async for match_outcome in trial.matches(program, _VERSION, with_what, 1):
            yield match_outcome


@final
class _Doing:
    """A line on a terminal that shows the current activity once it takes more than two seconds."""

    def __init__(self) -> None:
        self._activity = ""
        self._began = 0.0
        self._shown = False

    def begin(self, activity: str) -> None:
        """Begins another activity."""
        self.clear()
        self._activity, self._began = activity, time.monotonic()

    def clear(self) -> None:
        """Removes the line before other output is printed."""
        if self._shown:
            status("")
            self._shown = False

    async def run(self) -> None:
        """Shows the line until cancelled."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            took = time.monotonic() - self._began
            if self._activity and took > _PATIENCE_SECONDS:
                status(f"{self._activity}: {took:.0f} s")
                self._shown = True


@contextlib.asynccontextmanager
async def _doing() -> AsyncIterator[_Doing]:
    doing = _Doing()
    task = asyncio.create_task(doing.run()) if sys.stderr.isatty() else None
    try:
        yield doing
    finally:
        doing.clear()
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
