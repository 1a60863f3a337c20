"""The rounds of a Swiss as the store has them: one after the other, and only ever added.

A round is stored before it is played, so that whoever goes on with the tournament plays the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self, final

from fudaba_arena.forms import known_fields

__all__ = ["DrawnBlock", "DrawnRound"]


@final
@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """The players of a block."""

    game: str
    groups: tuple[tuple[str, ...], ...]
    """The bots of each, sorted."""
    shared: bool
    """Whether each group plays each deal once; otherwise the only group replays it in every seating."""

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Reads what is stored."""
        known = known_fields(cls, values, "a block of a drawn round")
        return cls(**known | {"groups": tuple(map(tuple, known["groups"]))})


@final
@dataclass(frozen=True, slots=True)
class DrawnRound:
    """The pairings of a round, and the facts besides results with which it was drawn."""

    blocks: tuple[DrawnBlock, ...]
    """Their slots follow those of the rounds before."""
    byes: Mapping[str, tuple[str, ...]]
    """The bots that have a bye, by game."""
    out: tuple[str, ...]
    """The bots that were withdrawn, sorted."""
    unplayed: tuple[int, ...]
    """The slots of earlier rounds that had no result and were not tried any more."""

    def values(self) -> dict[str, Any]:
        """Converts it to JSON values."""
        return asdict(self)

    def line(self) -> str:
        """Writes it in its stored form."""
        return json.dumps(self.values(), separators=(",", ":"), sort_keys=True)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Reads what is stored."""
        known = known_fields(cls, values, "a drawn round")
        return cls(
            tuple(map(DrawnBlock.from_values, known["blocks"])),
            {game: tuple(bots) for game, bots in known["byes"].items()},
            tuple(known["out"]),
            tuple(known["unplayed"]),
        )
