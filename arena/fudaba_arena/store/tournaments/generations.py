"""The generations of a season: it begins one whenever it goes on from a store that was older than its service.

Each time a generation begins: what is chosen from then on carries its name, see `ChosenBlock.generation`.
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
    """A season's start from a restored store."""

    name: str
    """Random, so that it never comes again, whatever is restored."""
    at_ms: int
    """The time when it was noticed, in milliseconds since 1970."""
    matches: int
    """The number of matches that the service had then of blocks that the store did not know."""
    newest_ms: int
    """The time when the newest of them was created."""

    def line(self) -> str:
        """Writes it in its stored form."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """Reads what is stored."""
        return cls(**known_fields(cls, json.loads(line), "a generation of a season"))
