"""A bot that could play a ladder's next block, and what its choice depends on."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import final

__all__ = ["Contender"]


@final
@dataclass(frozen=True, slots=True)
class Contender:
    """A bot that could play now."""

    name: str
    owner: str
    """Its owner: its author, or the bot itself."""
    stateless: bool
    """Whether it keeps nothing between matches, and so may replay a deal."""
    blocks: int = 0
    """The number of blocks of the game that it has played or is playing; in a season's final, only blocks of the
    final.
    """
    needs: bool = True
    """Whether it should play more blocks."""
    rating: float = 1500.0
    """The rating in Elo points; an assumed rating for a bot without one."""
    half: float = inf
    """The current estimate of half the rating's interval."""
    panel: bool = False
    """Whether it is a bot of the panel: its rating is fixed, it needs no blocks, and no cap concerns it."""
