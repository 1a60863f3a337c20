"""Prepares a worker for submissions: a working sandbox, the runtimes, and the place of the submissions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import final

from fudaba.client import Endpoint
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.programs.cache import MAX_PROGRAM_BYTES, ProgramCache
from fudaba_arena.programs.folder_transfer import FolderTransfer
from fudaba_arena.programs.folders import Folders
from fudaba_arena.programs.passed_before import KnownToAll
from fudaba_arena.programs.reading_runtimes import read_runtimes
from fudaba_arena.programs.runtimes import Runtimes
from fudaba_arena.programs.trials import Trial
from fudaba_arena.programs.worker_file import WorkerFile, read_worker_file
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.cores import Cores
from fudaba_arena.sandbox.opening import working_pods, working_sandbox
from fudaba_arena.sandbox.pod_manifest import PodSettings
from fudaba_arena.sandbox.sandbox import Sandbox, SandboxUnavailable
from fudaba_arena.sandbox.unsafe import Unsafe
from fudaba_arena.store.store import Store
from fudaba_arena.store.workers.known_workers import Isolation
from fudaba_arena.submissions.contents import KeptContents
from fudaba_arena.workers.submitted_bots import SubmittedBots

__all__ = ["SandboxSettings", "SandboxSetup", "sandboxed"]


@final
@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """The settings with which a worker runs submissions."""

    folder: Path
    """The folder in which it unpacks programs."""
    most_bytes: int = MAX_PROGRAM_BYTES
    """The total size that the programs may have."""
    submissions: str = ""
    """The folder or URL of the arena's submissions; empty for the arena's published place."""
    unsafe: bool = False
    """Whether programs run unprotected."""
    file: Path | None = None
    """The worker's file; None for the runtimes found on the host."""
    pods: PodSettings | None = None
    """The settings of pods in a cluster; None for programs on this host."""


@final
@dataclass(frozen=True, slots=True)
class SandboxSetup:
    """The player of submitted bots, the checker of submissions, and their common parts."""

    bots: SubmittedBots
    trial: Trial
    runtimes: Runtimes
    folders: Folders
    cache: ProgramCache
    isolation: Isolation


@asynccontextmanager
async def sandboxed(
    settings: SandboxSettings, store: Store, service: ServiceClient, seats: int, say: Say
) -> AsyncIterator[SandboxSetup | None]:
    """Prepares the running of submissions until the context is left. Yields None if it is impossible here, and reports
    why.

    `seats` is the number of seats in which bots of this worker play at once.

    Raises `ArenaError` for a wrong worker's file, and for a runtime in it that does not work.
    """
    file = WorkerFile() if settings.file is None else await asyncio.to_thread(read_worker_file, settings.file)
    try:
        sandbox = await _opened(settings, service.endpoint, say)
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
        cache = ProgramCache(settings.folder, settings.most_bytes)
        try:
            cache.open()
        except OSError as error:
            raise ArenaError(f"{settings.folder}, for the files of bots, cannot be used: {error}") from error
        known = KnownToAll(store.checks, store.content_uses)
        folders = Folders(cache, contents, known, sandbox, file.builds)
        runtimes = await read_runtimes(sandbox, file)
        keeping = FolderTransfer(place, store.kept_folders)
        if not sandbox.freezes:
            say(_why_not_frozen(sandbox))
        with _shared_out(sandbox, seats, say) as cores:
            bots = SubmittedBots(sandbox, service, store, folders, keeping, runtimes, cores, say)
            trial = Trial(sandbox, service, folders, runtimes, file.limits, known)
            isolation = Isolation(sandbox.kind, sandbox.version, sandbox.rules)
            yield SandboxSetup(bots, trial, runtimes, folders, cache, isolation)
    finally:
        await sandbox.close()


def _why_not_frozen(sandbox: Sandbox) -> str:
    """Returns why bots of a ladder with `ponder = false` are not frozen here, and what to do."""
    why = sandbox.cgroups.why_not_frozen if isinstance(sandbox, Bubblewrap) else f"{sandbox.kind} has no freezer"
    return (
        f"this worker cannot freeze submitted bots ({why}): where a ladder has ponder = false, they may compute while"
        " they owe no decision all the same, and the results of their matches say so. `fudaba arena worker --probe`"
        " tells more"
    )


@contextmanager
def _shared_out(sandbox: Sandbox, seats: int, say: Say) -> Iterator[Cores]:
    """Assigns the cores until the context is left. This process avoids the bots' cores."""
    if not isinstance(sandbox, Bubblewrap):
        yield Cores(seats, can_pin=False)
        return
    before = os.sched_getaffinity(0)
    cores = Cores(seats, sorted(before), can_pin=sandbox.cgroups.pins)
    if not cores.pins:
        yield cores
        return
    sandbox.shared_cores = cores.rest
    _stay_on(cores.rest)
    own = ", ".join(map(str, cores.rest))
    say(f"each submitted bot has a core of its own; all else of this worker runs on core {own}")
    try:
        yield cores
    finally:
        _stay_on(before)


def _stay_on(cores: Collection[int]) -> None:
    """Binds all threads of this process, and their later children, to some cores."""
    for thread in Path("/proc/self/task").iterdir():
        with suppress(ProcessLookupError):  # the thread has ended
            os.sched_setaffinity(int(thread.name), cores)


async def _opened(settings: SandboxSettings, service: Endpoint, say: Say) -> Sandbox:
    """Returns a sandbox after a program has run in it. Raises `SandboxUnavailable`."""
    if settings.unsafe:
        return Unsafe.open(say)
    if settings.pods is not None:
        return await working_pods(settings.pods, service, say)
    return await working_sandbox()
