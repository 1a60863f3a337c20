"""The stages of a submission's check before its bot may play, and the outcome of each.

A submission's record is the list of its stages, in order. Each passed stage leads to the next; the first failed stage
is the last. `unpack` runs nothing; workers run the other stages in a sandbox, see `programs/`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Self, final

from fudaba_arena.forms import known_fields, with_unknown
from fudaba_arena.submissions.faults import BadSubmission, Fault
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.submissions.unpacking import Unpacked, unpack
from fudaba_games.wording import counted

__all__ = ["Outcome", "Stage", "check_unpack", "following"]


@final
class Stage(StrEnum):
    """The stages of a check, in order."""

    UNPACK = "unpack"
    """The archive is read and unpacked, and `bot.toml` is read."""
    BUILD = "build"
    """The build command is run. This stage is left out if there is none."""
    START = "start"
    """The bot is started, and keeps running."""
    CONNECT = "connect"
    """The bot connects to the service, in every seat of a match."""
    MATCH = "match"
    """The bot plays a match against itself to the end, one for each of its games."""
    RESOURCES = "resources"
    """The use in its matches is far enough from the limits. Nothing more is run."""


@final
@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a stage."""

    stage: Stage
    passed: bool
    at_ms: int
    """The time when it began, in milliseconds since 1970."""
    took_ms: int
    output: str
    """The text for its author, of one or more lines. Names in it are the author's."""
    fault: Fault | None = None
    """The fault, for programs; None if it passed."""
    game: str = ""
    """The game of a match; empty in other stages."""
    start_ms: int = 0
    """The time until all programs of a passed match had connected. 0 in values of an earlier release."""
    slowest_ms: int = 0
    """The bot's own time for its slowest decision. 0 in values of an earlier release."""
    cpu_ms: int = 0
    """The processor time of the seat that used most. 0 in values of an earlier release."""
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Fields that a later release has stored; they are kept."""

    def values(self) -> dict[str, Any]:
        """Converts it to the stored JSON values."""
        return with_unknown(asdict(self))

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Reads stored values. Raises `BadStored`, and `ValueError` for an unknown stage or fault."""
        known = known_fields(cls, values, "the outcome of a stage")
        fault = known.get("fault")
        return cls(**known | {"stage": Stage(known["stage"]), "fault": None if fault is None else Fault(fault)})


def following(manifest: Manifest, outcomes: Sequence[Outcome]) -> tuple[Stage, str] | None:
    """Returns the stage after these, with the game of a match; None if nothing more is run.

    Starting and connecting are part of the first match, and are reported together with it.
    """
    if manifest.build and all(outcome.stage is not Stage.BUILD for outcome in outcomes):
        return Stage.BUILD, ""
    played = sum(outcome.stage is Stage.MATCH for outcome in outcomes)
    return (Stage.MATCH, manifest.games[played]) if played < len(manifest.games) else None


def check_unpack(source: Path, name: str, into: Path, limits: SubmissionLimits) -> tuple[Outcome, Manifest | None]:
    """Returns the outcome of the first stage. `into` is made, unless the submission is refused.

    Raises `OSError` when the disk fails.
    """
    began, at_ms = time.monotonic(), time.time_ns() // 1_000_000
    try:
        unpacked = unpack(source, name, into, limits)
    except BadSubmission as error:
        return Outcome(Stage.UNPACK, False, at_ms, _since(began), str(error), error.fault), None
    return Outcome(Stage.UNPACK, True, at_ms, _since(began), _summary(unpacked)), unpacked.manifest


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


def _summary(unpacked: Unpacked) -> str:
    manifest = unpacked.manifest
    contents = f"{counted(unpacked.files, 'file')}, {unpacked.size:,} bytes"
    return f"{contents}: a bot in {manifest.language} for {', '.join(manifest.games)}"
