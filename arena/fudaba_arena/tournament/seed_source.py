"""The standings from which the seeds of a knockout were taken, as its definition states them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self, final

from fudaba_arena.forms import known_fields

__all__ = ["FROM_LADDER", "SeedSource"]

FROM_LADDER: Final = "from_ladder"
"""The table of a definition that asks for the best bots of a ladder."""


@final
@dataclass(frozen=True, slots=True)
class SeedSource:
    """The standings from which the seeds of a knockout were taken."""

    ladder: str
    season: int
    """The number of the season."""
    id: str
    """The id of the season, which its export has too."""
    game: str
    """The table of the standings."""
    point: int
    """The point of the season's sequence, see `ClosedBlocks.point`."""

    def definition(self) -> dict[str, Any]:
        """Returns its JSON values."""
        return asdict(self)

    @classmethod
    def from_definition(cls, values: Mapping[str, Any]) -> Self:
        """Reads a stored or exported source."""
        return cls(**known_fields(cls, values, "the source of the seeds"))
