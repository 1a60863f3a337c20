"""Submissions on their way into the arena: pieces are collected in a spool file, which is checked when it is complete.

An upload's file is as long as the received part, so an upload resumes where it was cut off, whichever process was
killed. A submission's end is stored last; a process that dies before that repeats the work. Spool files of finished
submissions are removed, also at the start.
"""

from __future__ import annotations

import asyncio
import shutil
import time
import weakref
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar, final

from fudaba_arena.errors import Say
from fudaba_arena.forms import BadStored
from fudaba_arena.store.answers import StoreUnavailable
from fudaba_arena.store.submissions.check_leases import Checks
from fudaba_arena.store.submissions.submissions import Submissions
from fudaba_arena.store.workers.runtimes import needs_of
from fudaba_arena.submissions.contents import ContentsUnavailable, hash_of
from fudaba_arena.submissions.faults import Fault
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.submissions.spool import Spool, SpoolFailed, disk_faults
from fudaba_arena.submissions.stages import Outcome, check_unpack
from fudaba_arena.submissions.submission_forms import (
    ACCEPTED,
    CHECKING,
    EXPIRED,
    REFUSED,
    Announced,
    CheckProgress,
)
from fudaba_arena.submissions.upkeep import Upkeep

__all__ = ["REFUSED_RETENTION_MS", "UploadIncomplete", "UploadOver", "Uploads", "WrongHash", "WrongOffset"]

Result = TypeVar("Result")

REFUSED_RETENTION_MS: Final = 30 * 24 * 3_600_000
"""The time for which a refused submission is listed."""
_POLL_SECONDS: Final = 5.0
_NO_RUNTIME_TIMEOUT_MS: Final = 120_000


class RuntimesThere(Protocol):
    """The runtimes that workers have; `needs` is in the form of `needs_of`."""

    async def refresh(self) -> None:
        """Reads which runtimes there are now. Raises `StoreUnavailable`."""

    def lacking(self, needs: str, /) -> str:
        """Returns why no worker can run a program; empty if one can, or if nothing is run."""

    def notice(self, needs: str, /) -> str:
        """Returns a warning to the author about the runtime; empty if there is none."""


@final
class WrongOffset(Exception):
    """A piece does not begin where the last piece ended."""

    def __init__(self, received: int) -> None:
        super().__init__(received)
        self.received = received


@final
class UploadIncomplete(Exception):
    """Bytes are missing."""

    def __init__(self, received: int) -> None:
        super().__init__(received)
        self.received = received


@final
class UploadOver(Exception):
    """A submission is complete, or has expired."""


@final
class WrongHash(Exception):
    """The uploaded bytes are not the announced ones."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found


@final
class Uploads:
    """The uploads of one arena, whose folder nobody else uses."""

    def __init__(
        self,
        kept: Submissions,
        spool: Path,
        upkeep: Upkeep,
        limits: SubmissionLimits,
        say: Say,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        checks: Checks | None = None,
        runtimes: RuntimesThere | None = None,
    ) -> None:
        self.kept = kept
        self._checks = checks
        """The submissions that workers are to check; None if there are no workers, and then no submission is run."""
        self._runtimes = runtimes
        """The runtimes of those workers."""
        self._unmet: dict[str, int] = {}
        """The submissions that wait although no worker can check them, and the time when that began, in ms."""
        self.limits = limits
        self.now_ms = now_ms
        self._spool = Spool(spool)
        self._upkeep = upkeep
        self._say = say
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
        self._checking = asyncio.Semaphore(1)
        self._tasks: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        """Removes the files that killed processes left. Raises `ArenaError`."""
        await self._upkeep.open(self.now_ms())
        await self._spool.open(await self.kept.uploading_ids())

    async def close(self) -> None:
        """Waits until nothing is being written or checked."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def received(self, submission_id: str) -> int:
        """Returns how many bytes of an upload are here."""
        return self._spool.received(submission_id)

    async def write(self, announced: Announced, offset: int, content: bytes) -> int:
        """Adds a piece, and returns the number of bytes that are then here. A piece that is already here may be sent
        again.

        Raises `WrongOffset`, `UploadOver` and `SpoolFailed`; then nothing has changed.
        """
        return await self._unbroken(self._write(announced, offset, content))

    async def _write(self, announced: Announced, offset: int, content: bytes) -> int:
        submission_id = announced.submission_id
        async with self._lock(submission_id):
            await self._check_open(submission_id)
            received = self.received(submission_id)
            if offset + len(content) > announced.size or offset > received:
                raise WrongOffset(received)
            if offset < received:
                if not await asyncio.to_thread(self._spool.has, submission_id, offset, content):
                    raise WrongOffset(received)
                return received
            await asyncio.to_thread(self._spool.append, submission_id, received, content)
            return offset + len(content)

    async def finish(self, announced: Announced) -> CheckProgress:
        """Checks a complete upload, and returns how it ended.

        Raises `UploadIncomplete`, `WrongHash`, `SpoolFailed` and `ContentsUnavailable`; `UploadOver` if the submission
        has expired.
        """
        return await self._unbroken(self._finish(announced))

    async def _finish(self, announced: Announced) -> CheckProgress:
        submission_id = announced.submission_id
        async with self._lock(submission_id):
            stored = await self.kept.get(submission_id)
            if stored is None:
                raise UploadOver
            if stored.over is not None:
                progress = CheckProgress.read(stored.over)
                if progress.state == EXPIRED:
                    raise UploadOver
                return progress
            if stored.so_far is not None:
                return CheckProgress.read(stored.so_far)
            if (received := self.received(submission_id)) != announced.size:
                raise UploadIncomplete(received)
            async with self._checking:
                progress = await self._check(announced)
            await self.kept.note_complete(submission_id, self._spool.written_ms(submission_id))
            if progress.state == CHECKING and self._checks is not None:
                owner = announced.account or announced.bot
                await self._checks.add(submission_id, progress.line(), self.now_ms(), _needs(progress.manifest), owner)
            else:
                forget_ms = None if progress.state == ACCEPTED else self.now_ms() + REFUSED_RETENTION_MS
                await self.kept.end(submission_id, progress.line(), forget_ms)
            self._spool.remove(submission_id)
            return progress

    async def sweep(self) -> None:
        """Ends expired uploads, and checks that no worker can run; forgets submissions that were refused long ago."""
        now_ms = self.now_ms()
        await self._refuse_unmet()
        for expired_id in await self.kept.uploading_ids(now_ms):
            async with self._lock(expired_id):
                if expired_id in await self.kept.uploading_ids(now_ms):
                    await self.kept.end(expired_id, CheckProgress(EXPIRED).line(), now_ms + REFUSED_RETENTION_MS)
                    self._spool.remove(expired_id)
        await self._upkeep.remove_unneeded(self.kept, now_ms)
        aside = set(await self.kept.aside())
        # Nothing of a submission that is put aside is removed.
        for submission_id in await self.kept.lapsed(now_ms) - aside:
            stored = await self.kept.get(submission_id)
            if stored is None:
                continue
            try:
                announced = Announced.read(stored.announced_line)
            except BadStored:
                continue  # its list reports it; the submission stays until somebody has looked at it
            await self.kept.forget(submission_id, announced.bot, announced.account)

    async def run(self) -> None:
        """Sweeps every few seconds, until cancelled."""
        while True:
            try:
                await self.sweep()
            except (StoreUnavailable, SpoolFailed, ContentsUnavailable) as error:
                self._say(f"expired and refused uploads cannot be removed yet: {error}; trying again")
            await asyncio.sleep(_POLL_SECONDS)

    async def _unbroken(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Finishes work even if its caller has gone, since threads cannot be stopped."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # the caller has it, or is gone

    async def _check(self, announced: Announced) -> CheckProgress:
        """Takes a complete file through the first stage."""
        submission_id = announced.submission_id
        with disk_faults():
            found = await asyncio.to_thread(hash_of, self._spool.file(submission_id))
            if found != announced.sha256:
                self._spool.remove(submission_id)
                raise WrongHash(found)
            into = self._spool.unpacked(submission_id)
            try:
                outcome, manifest = await asyncio.to_thread(
                    check_unpack, self._spool.file(submission_id), announced.file, into, self.limits
                )
            finally:
                await asyncio.to_thread(shutil.rmtree, into, ignore_errors=True)
            outcome = await self._with_runtime(outcome, manifest)
            if not outcome.passed:
                return CheckProgress(REFUSED, (outcome,))
            await self._upkeep.keep(self._spool.file(submission_id), found, announced.size, submission_id)
        return CheckProgress(ACCEPTED if self._checks is None else CHECKING, (outcome,), manifest)

    async def _with_runtime(self, outcome: Outcome, manifest: Manifest | None) -> Outcome:
        """Fails the first stage if no worker has the runtime, and adds a notice to it if the runtime ends soon."""
        if self._runtimes is None or not outcome.passed:
            return outcome
        needs = _needs(manifest)
        await self._runtimes.refresh()
        if why := self._runtimes.lacking(needs):
            return replace(outcome, passed=False, output=why, fault=Fault.RUNTIME)
        notice = self._runtimes.notice(needs)
        return replace(outcome, output=f"{outcome.output}\n{notice}") if notice else outcome

    async def _refuse_unmet(self) -> None:
        """Ends the checks whose runtime no worker has had for `_NO_RUNTIME_TIMEOUT_MS`."""
        if self._checks is None or self._runtimes is None:
            return
        now_ms, waiting = self.now_ms(), await self._checks.waiting()
        lacking = {
            submission_id: why for submission_id, needs in waiting.items() if (why := self._runtimes.lacking(needs))
        }
        self._unmet = {submission_id: self._unmet.get(submission_id, now_ms) for submission_id in lacking}
        for unmet_id, since_ms in self._unmet.items():
            stored = await self.kept.get(unmet_id) if now_ms - since_ms >= _NO_RUNTIME_TIMEOUT_MS else None
            if stored is not None and stored.so_far is not None:
                try:
                    progress = CheckProgress.read(stored.so_far)
                except BadStored:
                    continue  # its list reports it
                refused = replace(progress.outcomes[0], passed=False, output=lacking[unmet_id], fault=Fault.RUNTIME)
                await self.kept.end(unmet_id, CheckProgress(REFUSED, (refused,)).line(), now_ms + REFUSED_RETENTION_MS)

    async def _check_open(self, submission_id: str) -> None:
        stored = await self.kept.get(submission_id)
        if stored is None or stored.over is not None or stored.so_far is not None:
            raise UploadOver

    def _lock(self, submission_id: str) -> asyncio.Lock:
        return self._locks.setdefault(submission_id, asyncio.Lock())


def _needs(manifest: Manifest | None) -> str:
    return "" if manifest is None else needs_of(manifest.language, manifest.runtime)
