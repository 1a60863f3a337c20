"""The generations of a season. A new one begins whenever the season continues from a store older than its service.

The blocks chosen after that carry the generation's name, see `ChosenBlock.generation`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Self, final

from fudaba_arena.forms import known_fields

__all__ = ["Generation"]


@final
@dataclass(frozen=True, slots=True)
class Generation:
    """A season's continuation from a restored store."""

    name: str
    """A random name, so that it is never reused, whatever is restored."""
    at_ms: int
    """The time when it was noticed, in milliseconds since 1970."""
    matches: int
    """The number of matches on the service then whose blocks the store did not know."""
    newest_ms: int
    """The time when the newest of them was created."""

    def line(self) -> str:
        """Returns its stored form."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """Reads a stored generation."""
        return cls(**known_fields(cls, json.loads(line), "a generation of a season"))
