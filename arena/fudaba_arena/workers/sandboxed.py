"""What a worker needs to run submissions: a sandbox that works, runtimes, and the place where they are kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.play.service import ServiceClient
from fudaba_arena.programs.folders import Folders
from fudaba_arena.programs.reading_runtimes import read_runtimes
from fudaba_arena.programs.runtimes import Runtimes
from fudaba_arena.programs.trials import Trial
from fudaba_arena.programs.worker_file import WorkerFile, read_worker_file
from fudaba_arena.sandbox.opening import working_sandbox
from fudaba_arena.sandbox.sandbox import Sandbox, SandboxUnavailable
from fudaba_arena.sandbox.unsafe import Unsafe
from fudaba_arena.store.results import Store
from fudaba_arena.submissions.contents import KeptContents
from fudaba_arena.workers.submitted import SubmittedBots

__all__ = ["SandboxSettings", "Sandboxed", "sandboxed"]


@final
@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """How a worker runs what was submitted."""

    folder: Path
    """Where it unpacks programs."""
    submissions: str = ""
    """The folder or URL in which the arena keeps what is submitted; empty for what the arena says."""
    unsafe: bool = False
    """Whether programs run unprotected."""
    file: Path | None = None
    """The worker's file; None for what is found on the host."""


@final
@dataclass(frozen=True, slots=True)
class Sandboxed:
    """What plays submitted bots, and what checks submissions."""

    bots: SubmittedBots
    trial: Trial
    runtimes: Runtimes


@asynccontextmanager
async def sandboxed(
    settings: SandboxSettings, store: Store, service: ServiceClient, say: Say
) -> AsyncIterator[Sandboxed | None]:
    """What runs submissions until the block is left; None where that cannot be done here, which is said.

    Raises `ArenaError` for a worker's file that is wrong, and for a runtime of it that does not work.
    """
    file = WorkerFile() if settings.file is None else await asyncio.to_thread(read_worker_file, settings.file)
    try:
        sandbox = await _opened(settings, say)
    except SandboxUnavailable as error:
        say(f"this worker leaves submitted bots to others: {error}; `fudaba arena worker --probe` tells more")
        yield None
        return
    try:
        place = settings.submissions or await store.checks.place()
        if not place:
            say("this worker leaves submitted bots to others: give --submissions PLACE, the same as the arena's")
            yield None
            return
        contents = KeptContents(place)
        folders = Folders(settings.folder, contents, store.checks, sandbox)
        try:
            folders.open()
        except OSError as error:
            raise ArenaError(f"{settings.folder}, for the files of bots, cannot be used: {error}") from error
        runtimes = await read_runtimes(sandbox, file)
        bots = SubmittedBots(sandbox, service, store, folders, runtimes, say)
        yield Sandboxed(bots, Trial(sandbox, service, folders, runtimes, file.limits, store.checks), runtimes)
    finally:
        await sandbox.close()


async def _opened(settings: SandboxSettings, say: Say) -> Sandbox:
    """A sandbox in which a program has run. Raises `SandboxUnavailable`."""
    if settings.unsafe:
        return Unsafe.open(say)
    return await working_sandbox()
