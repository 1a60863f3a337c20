"""The rounds of a Swiss as the store has them: one after the other, and only ever added.

A round is stored before it is played, so that whoever goes on with the tournament plays the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self, final

__all__ = ["DrawnBlock", "DrawnRound"]


@final
@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """Who plays a block."""

    game: str
    groups: tuple[tuple[str, ...], ...]
    """The bots of each, sorted."""
    shared: bool
    """Whether each group plays each deal once; otherwise the only group replays it in every seating."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Reads what is stored."""
        return cls(values["game"], tuple(map(tuple, values["groups"])), values["shared"])


@final
@dataclass(frozen=True, slots=True)
class DrawnRound:
    """Who plays in a round, and what was known besides results when it was drawn."""

    blocks: tuple[DrawnBlock, ...]
    """Their slots follow those of the rounds before."""
    byes: Mapping[str, tuple[str, ...]]
    """By game, the bots that have a bye."""
    out: tuple[str, ...]
    """The bots that were withdrawn, sorted."""
    unplayed: tuple[int, ...]
    """The slots of earlier rounds that had no result and were not tried any more."""

    def values(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    def line(self) -> str:
        """As the store has it."""
        return json.dumps(self.values(), separators=(",", ":"), sort_keys=True)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Reads what is stored."""
        return cls(
            tuple(map(DrawnBlock.of, values["blocks"])),
            {game: tuple(bots) for game, bots in values["byes"].items()},
            tuple(values["out"]),
            tuple(values["unplayed"]),
        )
