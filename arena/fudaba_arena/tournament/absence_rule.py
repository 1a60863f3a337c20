"""The rule for bots of a ladder that are away in the middle of a block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self, final

from fudaba.toml_reading import TableReader
from fudaba_arena.forms import known_fields

__all__ = ["AbsenceRule", "read_absence"]


@final
@dataclass(frozen=True, slots=True)
class AbsenceRule:
    """A bot that is away when another match of a begun block is to begin forfeits the rest of the block.

    By then a bot may know how the block is going. If its absence made the block void, it could choose which blocks
    count.
    """

    grace_seconds: int = 60
    """The time for which the arena waits for a remote bot."""
    graces: int = 2
    """The number of such waits in a block."""
    network: tuple[str, ...] = ()
    """The accounts whose bots share a network, such as a lecture hall's. A bot lost together with all of it pays
    nothing.
    """

    def definition(self) -> dict[str, Any]:
        """Converts it to JSON values."""
        return asdict(self) | {"network": list(self.network)}

    @classmethod
    def from_definition(cls, definition: Mapping[str, Any]) -> Self:
        """Reads what `definition` wrote."""
        known = known_fields(cls, definition, "what absence costs in a ladder")
        return cls(**known | {"network": tuple(known.get("network", ()))})


def read_absence(table: TableReader) -> AbsenceRule | None:
    """Reads the table `[absence]` of a ladder's file.

    Returns None if absence makes a block void, whatever was played of it.
    """
    forfeits = table.flag("forfeits", default=True)
    absence = AbsenceRule(
        grace_seconds=table.whole("grace_seconds", 60, 0, 3_600),
        graces=table.whole("graces", 2, 0, 100),
        network=table.texts("network", '["alice", "bob"]'),
    )
    if not forfeits:
        for key in ("grace_seconds", "graces", "network"):
            if table.has(key):
                table.wrong(key, f"{key} is for a ladder in which absence forfeits; leave it out, or forfeits = false")
    table.finish()
    return absence if forfeits else None
