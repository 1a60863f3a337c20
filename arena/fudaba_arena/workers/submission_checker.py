"""Checks submissions that the arena has read, several at once, and notes the outcome of each stage."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing
from dataclasses import replace
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.forms import BadStored
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.programs.build_budget import AccountBudget, BuildBudget, Unbounded
from fudaba_arena.programs.folders import Folders
from fudaba_arena.programs.program import Program, program_of
from fudaba_arena.programs.trials import Trial
from fudaba_arena.store.answers import StoreUnavailable
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import StoreRetry
from fudaba_arena.submissions.faults import Fault
from fudaba_arena.submissions.stages import Outcome, Stage
from fudaba_arena.submissions.submission_forms import ACCEPTED, REFUSED, Announced, CheckProgress
from fudaba_arena.submissions.uploads import REFUSED_RETENTION_MS

__all__ = ["SubmissionChecker"]

_POLL_SECONDS: Final = 0.5
_RENEWALS_PER_LEASE: Final = 4
_MAX_BEGINS: Final = 3
"""The number of beginnings after which a check whose workers all died or failed is not begun again."""


@final
class SubmissionChecker:
    """The checks of one worker, a few at a time: a hanging check does not delay the others."""

    def __init__(
        self,
        worker: str,
        store: Store,
        service: ServiceClient,
        trial: Trial,
        folders: Folders,
        meets: Collection[str],
        retry: StoreRetry,
        lease_ms: int,
        say: Say,
        at_once: int,
    ) -> None:
        """`at_once` is the highest number of simultaneous checks; for one account it is one less."""
        self._at_once = at_once
        self._worker = worker
        self._store = store
        self._checks = store.checks
        self._service = service
        self._trial = trial
        self._folders = folders
        self._meets = meets
        self._retry = retry
        self._lease_ms = lease_ms
        self._say = say

    async def run(self) -> None:
        """Checks until cancelled."""
        room = asyncio.Semaphore(self._at_once)
        async with asyncio.TaskGroup() as tasks:
            while True:
                await room.acquire()
                await self._service.maintenance.over()
                taken = await self._retry(self._take)
                if taken is None:
                    room.release()
                    await asyncio.sleep(_POLL_SECONDS)
                else:
                    tasks.create_task(self._check(*taken)).add_done_callback(lambda _: room.release())

    async def _take(self) -> tuple[str, int] | None:
        """Takes a check. It leaves one free for other accounts, however many submissions an account has."""
        return await self._checks.take(self._worker, self._lease_ms, self._meets, self._at_once - 1)

    async def _check(self, submission_id: str, begun: int) -> None:
        """Checks a submission, unless another worker takes it over."""
        working = asyncio.create_task(self._through_stages(submission_id, begun))
        keeping = asyncio.create_task(self._keep(submission_id))
        try:
            await asyncio.wait({working, keeping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (working, keeping):
                task.cancel()
            await asyncio.wait({working, keeping})
        for task in (keeping, working):
            if not task.cancelled():
                task.result()

    async def _keep(self, submission_id: str) -> None:
        """Renews the lease; ends when it is lost."""
        while True:
            await asyncio.sleep(self._lease_ms / 1000 / _RENEWALS_PER_LEASE)
            if not await self._retry(lambda: self._checks.keep(submission_id, self._worker, self._lease_ms)):
                return

    async def _through_stages(self, submission_id: str, begun: int) -> None:
        kept = await self._retry(lambda: self._store.submissions.get(submission_id))
        if kept is None or kept.so_far is None:
            return
        try:
            progress, payer = CheckProgress.read(kept.so_far), Announced.read(kept.announced_line).payer
        except BadStored as error:  # its list reports it; the submission stays until somebody has looked at it
            self._say(f"submission {submission_id} cannot be checked: {error}")
            await self._retry(lambda: self._checks.set_aside(submission_id, self._worker))
            return
        # The stages that a dead worker passed are known.
        progress, program = replace(progress, outcomes=progress.outcomes[:1]), None
        try:
            program = await program_of(self._store, submission_id)
            if begun > _MAX_BEGINS:
                raise ArenaError(f"{_MAX_BEGINS} workers died or failed while they checked it")
            async with aclosing(self._stages(program, begun)) as stages:
                async for outcome in stages:
                    progress = replace(progress, outcomes=(*progress.outcomes, outcome))
                    await self._tell(submission_id, progress)
        except (ArenaError, ServiceError, StoreUnavailable, OSError) as error:
            self._say(f"submission {submission_id} cannot be checked: {error}")
            if begun < _MAX_BEGINS:
                return  # once the lease has lapsed, another worker tries, or this one again
            text = f"the arena could not check it, which says nothing about the bot: {error}; submit it again"
            failed = Outcome(Stage.START, False, time.time_ns() // 1_000_000, 0, text, Fault.HOST)
            progress = replace(progress, outcomes=(*progress.outcomes, failed))
            if payer:
                await self._retry(lambda: self._store.build_use.forgive(payer, submission_id))
        await self._end(submission_id, progress)
        if program is not None and not all(outcome.passed for outcome in progress.outcomes):
            await self._discard(program)

    async def _stages(self, program: Program, begun: int) -> AsyncGenerator[Outcome, None]:
        async with self._trial.prepared(program, self._budget(program, begun)) as (outcome, with_what):
            if outcome is not None:
                yield outcome
            if with_what is None:
                return
            version = await self._version(program)
            async for match_outcome in self._trial.matches(program, version, with_what, begun):
                yield match_outcome

    def _budget(self, program: Program, begun: int) -> BuildBudget:
        if not program.payer:
            return Unbounded()
        return AccountBudget(self._store.build_use, program.payer, f"{program.submission_id}.{begun}")

    async def _discard(self, program: Program) -> None:
        """Removes what was unpacked and built here of a refused submission."""
        try:
            await self._folders.discard(program)
        except (ArenaError, OSError) as error:  # the cache removes it when it needs room
            self._say(f"what was unpacked of submission {program.submission_id} is not removed: {error}")

    async def _version(self, program: Program) -> str:
        """Returns the version of a program. Numbers a new version, and registers it with the service before its first
        match.
        """
        kept = await self._retry(lambda: self._store.submissions.get(program.submission_id))
        if kept is not None and kept.version:
            return kept.version
        bot = await self._service.bot(program.bot)
        if bot is None:
            raise ArenaError(f"there is no bot {program.bot} any more")
        labels = {version.label for version in bot.versions}
        while (version := str(await self._retry(lambda: self._checks.next_number(program.bot)))) in labels:
            continue
        version = await self._retry(lambda: self._checks.set_version(program.submission_id, program.bot, version))
        await self._service.create_version(program.bot, version)
        return version

    async def _tell(self, submission_id: str, progress: CheckProgress) -> None:
        await self._retry(lambda: self._checks.keep(submission_id, self._worker, self._lease_ms, progress.line()))

    async def _end(self, submission_id: str, progress: CheckProgress) -> None:
        accepted = all(outcome.passed for outcome in progress.outcomes)
        progress = replace(progress, state=ACCEPTED if accepted else REFUSED)
        kept = await self._retry(lambda: self._store.submissions.get(submission_id))
        forget_ms = None if accepted else time.time_ns() // 1_000_000 + REFUSED_RETENTION_MS
        version = f"{Announced.read(kept.announced_line).bot}@{kept.version}" if accepted and kept is not None else ""
        await self._retry(lambda: self._checks.end(submission_id, self._worker, progress.line(), forget_ms, version))
