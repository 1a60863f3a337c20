"""The files of programs, ready to run: fetched, unpacked and built once, and kept in the worker's cache.

A program is called `SHA256`, after its submission; or `SHA256-RUNTIME-…`, if it is a build of that with a runtime's
contents.
"""

from __future__ import annotations

import asyncio
import errno
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from fudaba_arena.errors import ArenaError
from fudaba_arena.programs.build_budget import BuildBudget, Unbounded
from fudaba_arena.programs.building import BUILT_LIMITS, Built, build
from fudaba_arena.programs.cache import ProgramCache
from fudaba_arena.programs.host_steps import Scratch, host_step
from fudaba_arena.programs.passed_before import KnownContents
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.sandbox.sandbox import Sandbox
from fudaba_arena.submissions.contents import KeptContents, hash_of
from fudaba_arena.submissions.limits import SUBMISSION_LIMITS, SubmissionLimits
from fudaba_arena.submissions.unpacking import unpack
from fudaba_arena.tournament.limits import Limits

__all__ = ["BuildFailed", "Folders"]

_WIDEST_LIMITS: Final = SubmissionLimits.parse({name: limit.most for name, limit in SUBMISSION_LIMITS.items()})
"""The widest limits. A worker's own limits do not apply to a submission that the arena has accepted."""
_UNBOUNDED: Final = Unbounded()
_MIN_FREE_BYTES: Final = 1_000_000
"""The threshold of free disk space below which a failed build says nothing about the program."""


@final
class BuildFailed(ArenaError):
    """A submission cannot be built."""

    def __init__(self, built: Built) -> None:
        super().__init__("its build failed")
        self.built = built


@final
@dataclass(frozen=True, slots=True)
class _Wanted:
    """A file, and the folder to unpack it into."""

    digest: str
    file: str
    limits: SubmissionLimits


@final
class Folders:
    """The programs' folders, which the workers of one machine may share."""

    def __init__(
        self, cache: ProgramCache, contents: KeptContents, known: KnownContents, sandbox: Sandbox, limits: Limits
    ):
        """`limits` bound the resources of builds."""
        self._cache = cache
        self._contents = contents
        self._known = known
        self._sandbox = sandbox
        self._limits = limits
        self._making: dict[str, asyncio.Lock] = {}

    def scratch(self) -> AbstractContextManager[Scratch]:
        """Yields a folder beside the programs, until the context is left. Raises `OSError`."""
        return self._cache.scratch()

    @asynccontextmanager
    async def using(self, program: Program, runtime: Runtime, budget: BuildBudget = _UNBOUNDED) -> AsyncIterator[Path]:
        """Yields the folder to start a program in, which stays until the context is left. A build stays within the
        budget.

        Raises `BuildFailed`, `BadSubmission` for a bad result of a build and for an exceeded budget, `ArenaError` for
        what this worker cannot get, `StoreUnavailable`, and `OSError`.
        """
        source = _Wanted(program.sha256, program.file, _WIDEST_LIMITS)
        if not program.manifest.build:
            async with self._ready(program.sha256, source) as place:
                yield place
            return
        build_name = _built(program, runtime)
        with self._cache.using(build_name) as place:
            async with self._making.setdefault(f"build {build_name}", asyncio.Lock()):
                digest = "" if place.exists() else await self._known.built(build_name)
                if not place.exists() and not (digest and await self._contents.has(digest)):
                    async with self._ready(program.sha256, source) as folder:
                        digest = await self._build(program, runtime, folder, build_name, budget)
            async with self._ready(build_name, _Wanted(digest, "built.tar.gz", BUILT_LIMITS)):
                yield place

    async def built_before(self, program: Program, runtime: Runtime) -> bool:
        """Returns whether the result of its build is already known. Raises `StoreUnavailable`."""
        build_name = _built(program, runtime)
        return (self._cache.folder / build_name).exists() or bool(await self._known.built(build_name))

    async def discard(self, program: Program) -> None:
        """Removes a refused program and its builds, unless they are in use. Raises `OSError`."""
        await host_step("removing what was refused", self._cache.discard, program.sha256)

    async def _build(
        self, program: Program, runtime: Runtime, source: Path, build_name: str, budget: BuildBudget
    ) -> str:
        with self._cache.scratch() as scratch:
            archive = scratch.folder / "built.tar.gz"
            await budget.begin(self._limits.wall)
            began, took = time.monotonic(), 0.0
            try:
                built = await build(self._sandbox, program.manifest, runtime, source, archive, self._limits)
                if not built.passed and shutil.disk_usage(self._cache.folder).free < _MIN_FREE_BYTES:
                    raise OSError(errno.ENOSPC, "the disk for the files of bots is full", str(self._cache.folder))
                took = time.monotonic() - began
            finally:
                await budget.end(took)
            if not built.passed:
                raise BuildFailed(built)
            into = scratch.folder / "bot"
            await scratch.step("unpacking what was built", unpack, archive, archive.name, into, BUILT_LIMITS)
            digest = await scratch.step("reading what was built", hash_of, archive)
            await budget.keep(archive.stat().st_size)
            await self._known.begin_built(digest, archive.stat().st_size)
            await self._contents.put(archive, digest)
        await self._known.note_built(build_name, digest)
        return digest

    @asynccontextmanager
    async def _ready(self, name: str, wanted: _Wanted) -> AsyncIterator[Path]:
        with self._cache.using(name) as place:
            async with self._making.setdefault(name, asyncio.Lock()):
                if not place.exists():
                    await self._take_in(name, wanted)
            yield place

    async def _take_in(self, name: str, wanted: _Wanted) -> None:
        """Fetches and unpacks a missing program, and makes room for it."""
        with self._cache.scratch() as scratch:
            if not await self._contents.fetch(wanted.digest, scratch.folder / "packed"):
                raise ArenaError(
                    f"this worker's place for submissions lacks {wanted.digest}; start the worker with --submissions "
                    "PLACE, the same as the arena's"
                )
            await scratch.step("unpacking it", self._unpack, scratch.folder, name, wanted)
        await host_step("making room for it", self._cache.trim)

    def _unpack(self, folder: Path, name: str, wanted: _Wanted) -> None:
        """Unpacks an archive into a folder, completely or not at all."""
        unpack(folder / "packed", wanted.file, folder / "bot", wanted.limits)
        self._cache.take_in(folder / "bot", name)


def _built(program: Program, runtime: Runtime) -> str:
    """Returns the name of its build there."""
    return f"{program.sha256}-{runtime.name}-{runtime.known().digest}"
