"""Submissions on their way into the arena: pieces become a file in the spool, and a file that is complete is checked.

How much of an upload is here is the length of its file, so it goes on where it was cut off, whoever was killed. How a
submission ended is stored last; whoever dies before does the same again. What the spool has of submissions that are
over is removed, at the start too.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
import weakref
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Protocol, Self, TypeVar, final

from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.forms import BadStored, known_fields, readable, with_unknown
from fudaba_arena.store.answers import StoreUnavailable
from fudaba_arena.store.submissions.check_leases import Checks
from fudaba_arena.store.submissions.submissions import Submissions
from fudaba_arena.store.workers.runtimes import needs_of
from fudaba_arena.submissions.contents import ContentsUnavailable, hash_of
from fudaba_arena.submissions.faults import Fault
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.submissions.stages import Outcome, check_unpack
from fudaba_arena.submissions.upkeep import Upkeep

__all__ = [
    "ACCEPTED",
    "CHECKING",
    "EXPIRED",
    "REFUSED",
    "Announced",
    "SpoolFailed",
    "SubmissionEnd",
    "UploadIncomplete",
    "UploadOver",
    "Uploads",
    "WrongHash",
    "WrongOffset",
]

Result = TypeVar("Result")

CHECKING: Final = "checking"
ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
EXPIRED: Final = "expired"
FORGET_MS: Final = 30 * 24 * 3_600_000
"""For how long a submission is listed that was not accepted."""
_POLL_SECONDS: Final = 5.0
_UNPACKED: Final = ".unpacked"
_UNMET_MS: Final = 120_000


class RuntimesThere(Protocol):
    """Finds what workers have to run submissions with; `needs` as `needs_of` says it."""

    async def look(self) -> None:
        """Looks what there is now. Raises `StoreUnavailable`."""

    def lacking(self, needs: str, /) -> str:
        """Returns why a program cannot be run by anybody; empty where it can, or where nobody runs any."""

    def notice(self, needs: str, /) -> str:
        """Warns its author about its runtime; empty for nothing."""


@final
@dataclass(frozen=True, slots=True)
class Announced:
    """A submission as its author has announced it."""

    submission_id: str
    bot: str
    account: str
    """To which the bot belongs."""
    file: str
    size: int
    sha256: str
    message: str
    created_ms: int
    expires_ms: int
    payer: str = ""
    """The account whose quotas it uses; empty where the organiser has submitted it."""
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What a later release has stored of it beside that; it is kept."""

    def line(self) -> str:
        """Writes it in its stored form."""
        return json.dumps(with_unknown(asdict(self)))

    @classmethod
    def read(cls, line: bytes) -> Self:
        """Reads what is stored."""
        with readable("a submission"):
            return cls(**known_fields(cls, json.loads(line), "a submission"))


@final
@dataclass(frozen=True, slots=True)
class SubmissionEnd:
    """How a submission ended, or how far it is."""

    state: str
    """One of `CHECKING`, `ACCEPTED`, `REFUSED` and `EXPIRED`."""
    outcomes: tuple[Outcome, ...] = ()
    manifest: Manifest | None = None
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What a later release has stored of it beside that; it is kept."""

    def line(self) -> str:
        """Writes it in its stored form."""
        manifest = None if self.manifest is None else self.manifest.values()
        parts = {"outcomes": [outcome.values() for outcome in self.outcomes], "manifest": manifest}
        return json.dumps(with_unknown(asdict(self) | parts))

    @classmethod
    def read(cls, line: bytes) -> Self:
        """Reads what is stored. Raises `BadStored`."""
        with readable("the end of a submission"):
            values = known_fields(cls, json.loads(line), "the end of a submission")
            manifest = values.get("manifest")
            outcomes = tuple(map(Outcome.from_values, values.get("outcomes", ())))
            read = {"outcomes": outcomes, "manifest": None if manifest is None else Manifest.from_values(manifest)}
            return cls(**values | read)


@final
class WrongOffset(Exception):
    """A piece does not begin where the last one ended."""

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
class SpoolFailed(ArenaError):
    """The arena's disk is full, or fails."""


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
        """What workers are to check; None where there are no workers, and nothing that is submitted is run."""
        self._runtimes = runtimes
        """What those workers have."""
        self._unmet: dict[str, int] = {}
        """Submissions that wait though no worker can check them, and since when."""
        self.limits = limits
        self.now_ms = now_ms
        self._spool = spool
        self._upkeep = upkeep
        self._say = say
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
        self._checking = asyncio.Semaphore(1)
        self._tasks: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        """Removes what those have left that were killed. Raises `ArenaError`."""
        await self._upkeep.open(self.now_ms())
        with _disk():
            self._spool.mkdir(mode=0o700, parents=True, exist_ok=True)
            going_on = {_spool_name(open_id) for open_id in await self.kept.open()}
            for path in self._spool.iterdir():
                if path.name.endswith(_UNPACKED):
                    await asyncio.to_thread(shutil.rmtree, path)
                elif path.name not in going_on:
                    path.unlink()

    async def close(self) -> None:
        """Waits for what is being written and checked."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def received(self, submission_id: str) -> int:
        """Returns how many bytes of an upload are here."""
        with _disk():
            try:
                return self._file(submission_id).stat().st_size
            except FileNotFoundError:
                return 0

    async def write(self, announced: Announced, offset: int, content: bytes) -> int:
        """Adds a piece; how many bytes are here then. A piece that is here already may come again.

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
                if not await asyncio.to_thread(self._has, submission_id, offset, content):
                    raise WrongOffset(received)
                return received
            await asyncio.to_thread(self._append, submission_id, received, content)
            return offset + len(content)

    async def finish(self, announced: Announced) -> SubmissionEnd:
        """Checks what is complete; how it ended.

        Raises `UploadIncomplete`, `WrongHash`, `SpoolFailed` and `ContentsUnavailable`, and of one that has expired
        `UploadOver`.
        """
        return await self._unbroken(self._finish(announced))

    async def _finish(self, announced: Announced) -> SubmissionEnd:
        submission_id = announced.submission_id
        async with self._lock(submission_id):
            stored = await self.kept.get(submission_id)
            if stored is None:
                raise UploadOver
            if stored.over is not None:
                over = SubmissionEnd.read(stored.over)
                if over.state == EXPIRED:
                    raise UploadOver
                return over
            if stored.so_far is not None:
                return SubmissionEnd.read(stored.so_far)
            if (received := self.received(submission_id)) != announced.size:
                raise UploadIncomplete(received)
            async with self._checking:
                over = await self._check(announced)
            if over.state == CHECKING and self._checks is not None:
                owner = announced.account or announced.bot
                await self._checks.add(submission_id, over.line(), self.now_ms(), _needs(over.manifest), owner)
            else:
                forget_ms = None if over.state == ACCEPTED else self.now_ms() + FORGET_MS
                await self.kept.end(submission_id, over.line(), forget_ms)
            self._remove(submission_id)
            return over

    async def sweep(self) -> None:
        """Ends the uploads that have expired, and checks that nobody can do; forgets what was not accepted long ago."""
        now_ms = self.now_ms()
        await self._refuse_unmet()
        for expired_id in await self.kept.open(now_ms):
            async with self._lock(expired_id):
                if expired_id in await self.kept.open(now_ms):
                    await self.kept.end(expired_id, SubmissionEnd(EXPIRED).line(), now_ms + FORGET_MS)
                    self._remove(expired_id)
        await self._upkeep.remove_unneeded(self.kept, now_ms)
        aside = set(await self.kept.aside())
        for submission_id in await self.kept.lapsed(now_ms) - aside:  # nothing is removed of what is put aside
            stored = await self.kept.get(submission_id)
            if stored is None:
                continue
            try:
                announced = Announced.read(stored.announced_line)
            except BadStored:
                continue  # its list says so: it stays until somebody has looked at it
            await self.kept.forget(submission_id, announced.bot, announced.account)

    async def run(self) -> None:
        """Sweeps now and then, for ever."""
        while True:
            try:
                await self.sweep()
            except (StoreUnavailable, SpoolFailed, ContentsUnavailable) as error:
                self._say(f"uploads that have expired or were refused are not removed: {error}; trying again")
            await asyncio.sleep(_POLL_SECONDS)

    async def _unbroken(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Does something to its end, also when whoever asked for it is gone: threads cannot be stopped."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # whoever asked has it, or is gone

    async def _check(self, announced: Announced) -> SubmissionEnd:
        """Takes a file that is complete through the stages."""
        submission_id = announced.submission_id
        with _disk():
            found = await asyncio.to_thread(hash_of, self._file(submission_id))
            if found != announced.sha256:
                self._remove(submission_id)
                raise WrongHash(found)
            into = self._file(submission_id).with_suffix(_UNPACKED)
            try:
                outcome, manifest = await asyncio.to_thread(
                    check_unpack, self._file(submission_id), announced.file, into, self.limits
                )
            finally:
                await asyncio.to_thread(shutil.rmtree, into, ignore_errors=True)
            outcome = await self._with_runtime(outcome, manifest)
            if not outcome.passed:
                return SubmissionEnd(REFUSED, (outcome,))
            await self._upkeep.keep(self._file(submission_id), found, announced.size, submission_id)
        return SubmissionEnd(ACCEPTED if self._checks is None else CHECKING, (outcome,), manifest)

    async def _with_runtime(self, outcome: Outcome, manifest: Manifest | None) -> Outcome:
        """The first stage, which fails when no worker has the runtime that is needed, and says when that one ends."""
        if self._runtimes is None or not outcome.passed:
            return outcome
        needs = _needs(manifest)
        await self._runtimes.look()
        if why := self._runtimes.lacking(needs):
            return replace(outcome, passed=False, output=why, fault=Fault.RUNTIME)
        notice = self._runtimes.notice(needs)
        return replace(outcome, output=f"{outcome.output}\n{notice}") if notice else outcome

    async def _refuse_unmet(self) -> None:
        """Ends the checks of which no worker has had the runtime for some minutes."""
        if self._checks is None or self._runtimes is None:
            return
        now_ms, waiting = self.now_ms(), await self._checks.waiting()
        lacking = {
            submission_id: why for submission_id, needs in waiting.items() if (why := self._runtimes.lacking(needs))
        }
        self._unmet = {submission_id: self._unmet.get(submission_id, now_ms) for submission_id in lacking}
        for unmet_id, since_ms in self._unmet.items():
            stored = await self.kept.get(unmet_id) if now_ms - since_ms >= _UNMET_MS else None
            if stored is not None and stored.so_far is not None:
                try:
                    over = SubmissionEnd.read(stored.so_far)
                except BadStored:
                    continue  # its list says so
                refused = replace(over.outcomes[0], passed=False, output=lacking[unmet_id], fault=Fault.RUNTIME)
                await self.kept.end(unmet_id, SubmissionEnd(REFUSED, (refused,)).line(), now_ms + FORGET_MS)

    async def _check_open(self, submission_id: str) -> None:
        stored = await self.kept.get(submission_id)
        if stored is None or stored.over is not None or stored.so_far is not None:
            raise UploadOver

    def _has(self, submission_id: str, offset: int, content: bytes) -> bool:
        with _disk(), self._file(submission_id).open("rb") as file:
            file.seek(offset)
            return file.read(len(content)) == content

    def _append(self, submission_id: str, received: int, content: bytes) -> None:
        with _disk(), self._file(submission_id).open("ab", buffering=0) as file:
            try:
                left = memoryview(content)
                while left:
                    left = left[file.write(left) :]
            except OSError:
                file.truncate(received)  # a part of it may be there
                raise

    def _remove(self, submission_id: str) -> None:
        with _disk():
            self._file(submission_id).unlink(missing_ok=True)

    def _file(self, submission_id: str) -> Path:
        return self._spool / _spool_name(submission_id)

    def _lock(self, submission_id: str) -> asyncio.Lock:
        return self._locks.setdefault(submission_id, asyncio.Lock())


@contextmanager
def _disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SpoolFailed(f"the arena cannot keep what is uploaded: {error.strerror or error}") from error


def _needs(manifest: Manifest | None) -> str:
    return "" if manifest is None else needs_of(manifest.language, manifest.runtime)


def _spool_name(submission_id: str) -> str:
    """The name of an upload's file, also on a disk that ignores case."""
    return sha256(submission_id.encode()).hexdigest()[:32]
