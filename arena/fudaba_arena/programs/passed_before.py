"""Remembers contents: the results of their builds, and the stages that they passed.

A passed stage is not run again for the same content: neither for the next submission of the same bytes, whoever sends
it, nor by the worker that takes over from a dead one. A failed stage is run again, since the host may have been the
cause.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol, Self, final

from fudaba_arena.forms import BadStored, known_fields, readable
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.resource_use import Used
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.submissions.stages import Outcome
from fudaba_arena.tournament.limits import Limits

if TYPE_CHECKING:  # `fudaba bot check` has no store, and need not have what only that needs
    from fudaba_arena.store.contents.content_uses import ContentUses
    from fudaba_arena.store.submissions.check_leases import Checks

__all__ = ["KnownContents", "KnownHere", "KnownToAll", "PassedBefore", "passed_before", "tried_with"]


class KnownContents(Protocol):
    """Remembers builds and passed stages. The operations raise `StoreUnavailable`."""

    async def built(self, build_name: str, /) -> str:
        """Returns the hash of a build's result; empty if there is none."""

    async def begin_built(self, digest: str, size: int, /) -> None:
        """Begins to keep a build's result."""

    async def note_built(self, build_name: str, digest: str, /) -> None:
        """Remembers a build's result, which is now kept."""

    async def passed(self, trial_key: str, /) -> Mapping[str, str]:
        """Reads the passed stages, by name."""

    async def note_passed(self, trial_key: str, name: str, line: str, /) -> None:
        """Remembers a passed stage."""


@final
class KnownToAll:
    """Remembers contents in the arena's store, for all of its workers."""

    def __init__(self, checks: Checks, uses: ContentUses) -> None:
        self._checks = checks
        self._uses = uses

    async def built(self, build_name: str, /) -> str:
        """See `KnownContents`."""
        return await self._uses.built(build_name)

    async def begin_built(self, digest: str, size: int, /) -> None:
        """See `KnownContents`."""
        await self._uses.begin_writing(digest, size, _now_ms())

    async def note_built(self, build_name: str, digest: str, /) -> None:
        """See `KnownContents`."""
        await self._uses.note_built(build_name, digest, _now_ms())

    async def passed(self, trial_key: str, /) -> Mapping[str, str]:
        """See `KnownContents`."""
        return await self._checks.passed(trial_key)

    async def note_passed(self, trial_key: str, name: str, line: str, /) -> None:
        """See `KnownContents`."""
        await self._checks.note_passed(trial_key, name, line)


@final
class KnownHere:
    """Remembers contents for a single check, and keeps nothing after it."""

    def __init__(self) -> None:
        self._built: dict[str, str] = {}

    async def built(self, build_name: str, /) -> str:
        """See `KnownContents`."""
        return self._built.get(build_name, "")

    async def begin_built(self, digest: str, size: int, /) -> None:
        """Does nothing: the result goes with the check."""

    async def note_built(self, build_name: str, digest: str, /) -> None:
        """See `KnownContents`."""
        self._built[build_name] = digest

    async def passed(self, trial_key: str, /) -> Mapping[str, str]:  # noqa: ARG002 - of `KnownContents`
        """Returns nothing: every stage is tried."""
        return {}

    async def note_passed(self, trial_key: str, name: str, line: str, /) -> None:
        """Does nothing: nobody will ask."""


@final
@dataclass(frozen=True, slots=True)
class PassedBefore:
    """A stage that a content passed."""

    outcome: Outcome
    used: Sequence[Used] = ()
    """The resources that each seat of a match used."""

    def line(self) -> str:
        """Returns its stored form."""
        return json.dumps(asdict(self) | {"outcome": self.outcome.values()})

    @classmethod
    def read(cls, line: str) -> Self:
        """Reads a stored stage. Raises `BadStored`."""
        with readable("a stage that was passed before"):
            values = known_fields(cls, json.loads(line), "a stage that was passed before")
            used = (known_fields(Used, of_seat, "what a seat used") for of_seat in values.get("used", ()))
            return cls(Outcome.from_values(values["outcome"]), [Used(**of_seat) for of_seat in used])

    def now(self, at_ms: int) -> Outcome:
        """Returns the text for a stage that is skipped."""
        when = datetime.fromtimestamp(self.outcome.at_ms / 1000, UTC)
        text = f"passed before with the same content, on {when:%Y-%m-%d} in {self.outcome.took_ms / 1000:.1f} s"
        output = f"{text}; {self.outcome.output}" if self.outcome.output else text
        return replace(self.outcome, at_ms=at_ms, took_ms=0, output=output)


def passed_before(before: Mapping[str, str], stages: Collection[str]) -> list[PassedBefore] | None:
    """Reads these stages. Returns None unless all of them were passed and this release can read their results."""
    if any(stage not in before for stage in stages):
        return None
    try:
        return [PassedBefore.read(before[stage]) for stage in stages]
    except BadStored:
        return None  # the stages run again


def tried_with(program: Program, runtime: Runtime, limits: Limits, *, isolated: bool) -> str:
    """Names what the outcome of a stage depends on: the submission, and what runs it."""
    parts = [program.sha256, repr(program.manifest), runtime.name, runtime.known().digest, repr(limits), str(isolated)]
    return sha256("\n".join(parts).encode()).hexdigest()


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
