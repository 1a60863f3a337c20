"""A stored submission: its author's announcement, and its end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self, final

from fudaba_arena.forms import known_fields, readable, with_unknown
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.submissions.stages import Outcome

__all__ = ["ACCEPTED", "CHECKING", "EXPIRED", "REFUSED", "Announced", "CheckProgress"]

CHECKING: Final = "checking"
ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
EXPIRED: Final = "expired"


@final
@dataclass(frozen=True, slots=True)
class Announced:
    """A submission as its author announced it."""

    submission_id: str
    bot: str
    account: str
    """The account to which the bot belongs."""
    file: str
    size: int
    sha256: str
    message: str
    created_ms: int
    expires_ms: int
    payer: str = ""
    """The account whose quotas it uses; empty if the organiser submitted it."""
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """The fields that only a later release knows; they are kept."""

    def line(self) -> str:
        """Returns the stored form."""
        return json.dumps(with_unknown(asdict(self)))

    @classmethod
    def read(cls, line: bytes) -> Self:
        """Reads the stored form. Raises `BadStored`."""
        with readable("a submission"):
            return cls(**known_fields(cls, json.loads(line), "a submission"))


@final
@dataclass(frozen=True, slots=True)
class CheckProgress:
    """How far the check of a submission is, or how it ended."""

    state: str
    """One of `CHECKING`, `ACCEPTED`, `REFUSED` and `EXPIRED`."""
    outcomes: tuple[Outcome, ...] = ()
    manifest: Manifest | None = None
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """The fields that only a later release knows; they are kept."""

    def line(self) -> str:
        """Returns the stored form."""
        manifest = None if self.manifest is None else self.manifest.values()
        parts = {"outcomes": [outcome.values() for outcome in self.outcomes], "manifest": manifest}
        return json.dumps(with_unknown(asdict(self) | parts))

    @classmethod
    def read(cls, line: bytes) -> Self:
        """Reads the stored form. Raises `BadStored`."""
        with readable("the end of a submission"):
            values = known_fields(cls, json.loads(line), "the end of a submission")
            manifest = values.get("manifest")
            outcomes = tuple(map(Outcome.from_values, values.get("outcomes", ())))
            read = {"outcomes": outcomes, "manifest": None if manifest is None else Manifest.from_values(manifest)}
            return cls(**values | read)
