"""The files of programs, ready to be run: fetched, unpacked and built once, and kept in a folder of the worker's.

```
FOLDER/SHA256             what was submitted
FOLDER/SHA256-RUNTIME-…   what a build has made of it, with what is in a runtime
FOLDER/new-*              what is half done: locked as long as somebody is at it
FOLDER/lock               held for a moment by whoever begins something, or removes what others have left half done
```
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from fudaba_arena.errors import ArenaError
from fudaba_arena.programs.building import BUILT_LIMITS, Built, build
from fudaba_arena.programs.host_steps import host_step
from fudaba_arena.programs.known import Known
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.sandbox.sandbox import Sandbox
from fudaba_arena.submissions.contents import KeptContents
from fudaba_arena.submissions.limits import SUBMISSION_LIMITS, SubmissionLimits
from fudaba_arena.submissions.unpacking import unpack
from fudaba_arena.tournament.limits import Limits

__all__ = ["BuildFailed", "Folders"]

_MOST: Final = SubmissionLimits.parse({name: limit.most for name, limit in SUBMISSION_LIMITS.items()})
"""What the arena has accepted is not judged by the worker's limits."""
_LEAST_FREE: Final = 1_000_000
"""Bytes. A build that fails where there is no more on the disk says nothing about the program."""


@final
class BuildFailed(ArenaError):
    """A submission cannot be built."""

    def __init__(self, built: Built) -> None:
        super().__init__("its build failed")
        self.built = built


@final
@dataclass(frozen=True, slots=True)
class _Wanted:
    """A file and the folder that it is unpacked to."""

    digest: str
    file: str
    limits: SubmissionLimits


@final
class Folders:
    """The programs' folders, which the workers of one machine may share."""

    def __init__(self, folder: Path, contents: KeptContents, known: Known, sandbox: Sandbox, limits: Limits) -> None:
        """`limits`: what builds may use."""
        self._folder = folder
        self._contents = contents
        self._known = known
        self._sandbox = sandbox
        self._limits = limits
        self._making: dict[str, asyncio.Lock] = {}

    def open(self) -> None:
        """Removes what workers that died have left half done. Raises `OSError`."""
        self._folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        with _locked(self._folder / "lock"):
            for path in self._folder.glob("new-*"):
                place = os.open(path, os.O_RDONLY)
                try:
                    fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue  # another worker is at it
                else:
                    shutil.rmtree(path)
                finally:
                    os.close(place)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder beside them, until the block is left. Raises `OSError`."""
        with _new(self._folder) as place:
            yield place

    async def of(self, program: Program, runtime: Runtime) -> Path:
        """The folder to start a program in.

        Raises `BuildFailed`, `BadSubmission` for what a build made, `ArenaError` for what this worker cannot get,
        `StoreUnavailable`, and `OSError`.
        """
        source = _Wanted(program.sha256, program.file, _MOST)
        if not program.manifest.build:
            return await self._ready(program.sha256, source)
        what = _built(program, runtime)
        async with self._making.setdefault(f"build {what}", asyncio.Lock()):
            if (self._folder / what).exists():
                return self._folder / what
            digest = await self._known.built(what)
            if not digest:
                digest = await self._build(program, runtime, await self._ready(program.sha256, source), what)
            return await self._ready(what, _Wanted(digest, "built.tar.gz", BUILT_LIMITS))

    async def built_before(self, program: Program, runtime: Runtime) -> bool:
        """Whether what its build makes is known already. Raises `StoreUnavailable`."""
        what = _built(program, runtime)
        return (self._folder / what).exists() or bool(await self._known.built(what))

    async def _build(self, program: Program, runtime: Runtime, source: Path, what: str) -> str:
        with _new(self._folder) as place:
            archive = place / "built.tar.gz"
            built = await build(self._sandbox, program.manifest, runtime, source, archive, self._limits)
            if not built.passed and shutil.disk_usage(self._folder).free < _LEAST_FREE:
                raise OSError(errno.ENOSPC, "the disk for the files of bots is full", str(self._folder))
            if not built.passed:
                raise BuildFailed(built)
            await host_step("unpacking what was built", unpack, archive, archive.name, place / "bot", BUILT_LIMITS)
            digest = await self._contents.put(await host_step("reading what was built", archive.read_bytes))
        await self._known.note_built(what, digest)
        return digest

    async def _ready(self, name: str, wanted: _Wanted) -> Path:
        place = self._folder / name
        async with self._making.setdefault(name, asyncio.Lock()):
            if place.exists():
                return place
            content = await self._contents.get(wanted.digest)
            if content is None:
                raise ArenaError(
                    f"what was submitted is not in the place that this worker looks in for {wanted.digest}; start it "
                    "with --submissions PLACE, the same as the arena's"
                )
            await host_step("unpacking it", _unpack, content, wanted, place)
        return place


def _built(program: Program, runtime: Runtime) -> str:
    """What its build makes there, as one name."""
    return f"{program.sha256}-{runtime.name}-{runtime.known().digest}"


def _unpack(content: bytes, wanted: _Wanted, place: Path) -> None:
    """All of it, or nothing."""
    with _new(place.parent) as new:
        packed = new / "packed"
        packed.write_bytes(content)
        unpack(packed, wanted.file, new / "bot", wanted.limits)
        try:
            (new / "bot").rename(place)
        except OSError:
            if not place.exists():
                raise
            # Another worker was faster, with the same.


@contextmanager
def _new(folder: Path) -> Iterator[Path]:
    """A folder for what is half done; whoever opens the folder next removes it if this process dies."""
    with _locked(folder / "lock"):
        place = Path(tempfile.mkdtemp(prefix="new-", dir=folder))
        lock = os.open(place, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield place
    finally:
        shutil.rmtree(place)
        os.close(lock)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
