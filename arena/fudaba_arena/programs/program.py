"""A submission to run: what the store knows of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.workers.runtimes import needs_of
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.submissions.submission_forms import Announced, CheckProgress

if TYPE_CHECKING:  # `fudaba bot check` has no store, and need not have what only that needs
    from fudaba_arena.store.store import Store

__all__ = ["Program", "program_of", "submitted_as"]


@final
@dataclass(frozen=True, slots=True)
class Program:
    """A submission whose archive was read."""

    submission_id: str
    bot: str
    file: str
    """The name of the submitted file; for a source file it tells the language."""
    sha256: str
    manifest: Manifest
    payer: str = ""
    """The account that pays for its build; empty for none."""

    @property
    def needs(self) -> str:
        """Returns its needs for running, see `needs_of`."""
        return needs_of(self.manifest.language, self.manifest.runtime)


async def program_of(store: Store, submission_id: str) -> Program:
    """Returns the submitted program. Raises `ArenaError`, and `StoreUnavailable`."""
    kept = await store.submissions.get(submission_id)
    text = None if kept is None else kept.over or kept.so_far
    manifest = None if text is None else CheckProgress.read(text).manifest
    if kept is None or manifest is None:
        raise ArenaError(f"submission {submission_id} cannot be run; submit the bot again")
    announced = Announced.read(kept.announced_line)
    return Program(submission_id, announced.bot, announced.file, announced.sha256, manifest, announced.payer)


async def submitted_as(store: Store, bot: str, version: str) -> tuple[bool, Program | None]:
    """Returns whether a version was submitted and, if it was accepted, its program. Raises `StoreUnavailable`."""
    tried, submission_id = await store.checks.submission_of(bot, version)
    return tried, await program_of(store, submission_id) if submission_id else None
