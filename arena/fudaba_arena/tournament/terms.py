"""The terms of a block: its clock and the limits of its bots. An edit of a running ladder may change those of later
blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self, final

from fudaba_arena.forms import known_fields
from fudaba_arena.tournament.limits import BotLimits

__all__ = ["Change", "Clock", "Edit", "Terms", "shortened"]

_MAX_NOTED_CHARACTERS: Final = 200


def shortened(value: str) -> str:
    """Returns a value of a ladder's file as logs and stored edits have it: a long one, such as a list of accounts,
    without its end.
    """
    return value if len(value) <= _MAX_NOTED_CHARACTERS else f"{value[: _MAX_NOTED_CHARACTERS - 1]}…"


@final
@dataclass(frozen=True, slots=True)
class Clock:
    """The time of seats, in milliseconds; see `Clock` in the contract."""

    move_ms: int = 10_000
    increment_ms: int = 0
    bank_ms: int = 60_000
    max_timeouts: int = 3
    max_illegal: int = 10
    network_credit: bool = True
    """Whether network time, as shown by bots' pongs, is credited."""

    def definition(self) -> dict[str, int | bool]:
        """Returns its stored and exported form. The network credit is included only if it is off."""
        values = asdict(self)
        if self.network_credit:
            del values["network_credit"]
        return values


@final
@dataclass(frozen=True, slots=True)
class Terms:
    """The terms under which the matches of a block are played."""

    clock: Clock
    connect_seconds: int
    limits: BotLimits
    """The limits of submitted bots."""

    def definition(self) -> dict[str, Any]:
        """Converts it to JSON values."""
        return {
            "clock": self.clock.definition(),
            "connect_seconds": self.connect_seconds,
            "limits": self.limits.values(),
        }


@final
@dataclass(frozen=True, slots=True)
class Change:
    """A change of one key of a ladder's file."""

    key: str
    """The key with its table, such as `season.ends`."""
    before: str
    """Its value before, as in the file; empty where the file had none."""
    after: str

    def noted(self) -> Self:
        """Returns the change as it is stored, with shortened values."""
        return type(self)(self.key, shortened(self.before), shortened(self.after))


_EDIT: Final = "an edit of a ladder"


@final
@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of a season that goes on."""

    at_ms: int
    """The time of the edit, in milliseconds since 1970."""
    etag: str
    """The version of the ladder's file that was edited."""
    changes: tuple[Change, ...]
    """The changes, with shortened values."""
    before: Terms
    """The terms of the blocks that were chosen before."""

    def definition(self) -> dict[str, Any]:
        """Converts it to JSON values."""
        changes = [asdict(change) for change in self.changes]
        return {"at_ms": self.at_ms, "etag": self.etag, "changes": changes, **self.before.definition()}

    @classmethod
    def from_definition(cls, values: Mapping[str, Any]) -> Self:
        """Reads a stored edit."""
        clock = Clock(**known_fields(Clock, values["clock"], "the clock before an edit"))
        before = Terms(clock, values["connect_seconds"], BotLimits.stored(values["limits"]))
        changes = tuple(Change(**known_fields(Change, change, _EDIT)) for change in values["changes"])
        return cls(values["at_ms"], values["etag"], changes, before)
