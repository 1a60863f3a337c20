"""How a bracket in play stands: its groups with their points and decisions, and the places of its bots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, final

from fudaba_arena.schedule.bracket_plan import BracketGroup

__all__ = [
    "BY_ABSENCE",
    "BY_POINTS",
    "BY_SEED",
    "NOT_NEEDED",
    "Bracket",
    "BracketPlace",
    "BracketProgress",
    "GroupStanding",
]

BY_POINTS: Final = "points"
BY_ABSENCE: Final = "absence"
BY_SEED: Final = "seed"
NOT_NEEDED: Final = "not-needed"
"""The ways in which a group was decided."""


@final
@dataclass(frozen=True, slots=True)
class GroupStanding:
    """A group of a bracket in play."""

    group: BracketGroup
    bots: tuple[str, ...]
    """The bot in each seat; empty where it is not known yet."""
    points: tuple[Fraction, ...]
    """The points of each, in the same order."""
    blocks: int
    """The number of blocks that gave points."""
    places: tuple[str, ...]
    """The bots, best first; empty before it is decided."""
    decided_by: str
    """`points`, `absence`, `seed` or `not-needed`; empty before it is decided."""


@final
@dataclass(frozen=True, slots=True)
class BracketPlace:
    """The place of a bot in a bracket."""

    rank: int
    """The rank: 1 for the winner; 0 for a bot that may still win. Bots that went out alike share a rank."""
    bot: str
    seed: int
    """The seed, from 1."""


@final
@dataclass(frozen=True, slots=True)
class Bracket:
    """A bracket in play."""

    game: str
    rounds: int
    rounds_begun: int
    groups: tuple[GroupStanding, ...]
    """The groups, round by round."""
    places: tuple[BracketPlace, ...]
    """The bots that may still win, by seed, then the others, best first."""


@final
@dataclass(slots=True)
class BracketProgress:
    """The decisions of a bracket up to a drawn round."""

    round: int = -1
    """The round of the bracket in play."""
    playing: list[int] = field(default_factory=list)
    """The groups of this round that are played."""
    tiebreaks: int = 0
    """The number of blocks to break ties that were drawn in this round."""
    annulled: Counter[int] = field(default_factory=Counter)
    """The number of annulled blocks of each of these groups."""
    replayed: Counter[int] = field(default_factory=Counter)
    """The number of blocks that were drawn in their place."""
    points: dict[tuple[int, str], Fraction] = field(default_factory=dict)
    """The points of each bot in each group. Bots without any may be omitted."""
    blocks: Counter[int] = field(default_factory=Counter)
    places: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """The bots of each decided group, best first."""
    decided_by: dict[int, str] = field(default_factory=dict)
    out: set[str] = field(default_factory=set)
    """The bots that are out."""

    def points_of(self, index: int, bot: str) -> Fraction:
        """Returns the points of a bot in a group."""
        return self.points.get((index, bot), Fraction(0))

    def clear(self, indexes: Iterable[int]) -> None:
        """Forgets the points and the blocks of groups, to add them up anew."""
        cleared = frozenset(indexes)
        self.points = {key: points for key, points in self.points.items() if key[0] not in cleared}
        for index in cleared:
            self.blocks[index] = self.annulled[index] = 0
