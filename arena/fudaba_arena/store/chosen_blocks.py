"""Blocks that were chosen while a tournament went on, as the store has them: one after the other, and only ever added.

A block is stored before it is played, so that whoever goes on with the tournament plays the same.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Self, final

__all__ = ["ChosenBlock"]


@final
@dataclass(frozen=True, slots=True)
class ChosenBlock:
    """Who plays a block. Its slot is its place among all that were chosen, from 0."""

    game: str
    groups: tuple[tuple[str, ...], ...]
    """The bots that meet, one for each seat."""
    shared: bool
    """Whether each group plays each deal once; otherwise the only group replays it in every seating."""
    chosen_for: str = ""
    """The bot whose rating was to become more certain."""
    at_ms: int = 0
    """When it was chosen, in milliseconds since 1970."""
    final: bool = False
    """Whether it is of the season's final: whoever chose it knew that the versions are frozen."""

    def line(self) -> str:
        """As the store has it."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def of(cls, line: bytes) -> Self:
        """Reads what is stored."""
        values = json.loads(line)
        return cls(**values | {"groups": tuple(map(tuple, values["groups"]))})
