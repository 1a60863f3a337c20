"""Caps on the share of a bot's blocks that one opponent, and the bots of one author, may have.

Whoever throws matches to a friend lifts it, the more the greater its part in the friend's blocks. So a version meets
one opponent in no more than `pair` of its blocks of a game, and the bots of one owner in no more than `author`. An
opponent is a bot, whatever its version. A share is rounded up to a whole block, so that a first block can be played.

A small ladder cannot play by such caps: of two opponents one has half of the blocks. Where the bots that are here
cannot fill a bot's blocks within its caps, these are raised by one factor until they can, as in a round robin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import Final, final

from fudaba_arena.schedule.contender import Contender
from fudaba_arena.store.usage.time_use import entry_of

__all__ = ["Meetings", "ShareCaps", "raising_factor"]

_ROUNDING_BLOCKS: Final = 1e-9
"""The error by which floating point may exceed a whole number of blocks."""


@final
@dataclass(frozen=True, slots=True)
class Meetings:
    """The blocks of a game in which versions met bots, played or planned."""

    of_version: Mapping[str, Mapping[str, int]]
    """The number of blocks in which a version met each bot. Bots that it did not meet may be missing."""
    left_out: Mapping[tuple[str, str], int]
    """The blocks among these that count as not chosen, by version and bot."""
    bots_of: Mapping[str, Sequence[str]]
    """The bots of each owner, also those that have left."""

    def with_bot(self, version: str, bot: str) -> int:
        """Counts the blocks in which a version met a bot."""
        met = self.of_version.get(version)
        return met.get(bot, 0) - self.left_out.get((version, bot), 0) if met else 0

    def with_owner(self, version: str, owner: str) -> int:
        """Counts the blocks in which a version met bots of an owner, once for each of them."""
        return sum(self.with_bot(version, bot) for bot in self.bots_of.get(owner, ()))


@final
class ShareCaps:
    """The caps of a game's next block, for the bots that are here."""

    def __init__(
        self,
        pair: float,
        author: float,
        seats: int,
        here: Iterable[Contender],
        meetings: Meetings,
        *,
        same_author: bool = False,
    ) -> None:
        """`pair` and `author` are shares from 0 to 1; 0 for no cap. `here` has all bots that could play, also those
        that have enough to play now. `same_author` says whether bots of one owner meet.
        """
        self._pair, self._author = pair or inf, author or inf
        self._opponents = seats - 1
        self._same_author = same_author
        self._meetings = meetings
        self._bots = Counter(contender.owner for contender in here if not contender.panel)
        """The number of bots of each owner that are here. The panel has blocks of its own, and fills no others."""
        self._total = sum(map(self._part, self._bots.values()))
        self._factors: dict[str, float] = {}
        """By how much the caps of an owner's bots are raised."""

    @property
    def raised(self) -> bool:
        """Whether the caps of some bots had to be raised, since too few others are here."""
        return any(self._factor(owner) > 1 for owner in self._bots)

    def excess(self, contender: Contender, other: Contender) -> float:
        """Returns by how much another meeting of two bots would exceed their caps, as a ratio of 1 or more to the
        nearest of them; 0 if it is within all, or if one of them is of the panel.
        """
        if contender.panel or other.panel:
            return 0.0
        return max(self._excess(contender, other), self._excess(other, contender))

    def _excess(self, contender: Contender, other: Contender) -> float:
        factor, blocks = self._factor(contender.owner), contender.blocks + 1
        met = self._meetings.with_bot(contender.name, entry_of(other.name))
        excess = _over(met + 1, factor * self._pair, blocks)
        if self._author < inf:
            of_owner = self._meetings.with_owner(contender.name, other.owner)
            excess = max(excess, _over(of_owner + 1, factor * self._author, blocks))
        return excess

    def _part(self, bots: int) -> float:
        """Returns the share of another bot's blocks that this many bots of one owner may have together."""
        return min(1.0, self._author, bots * self._pair)

    def _factor(self, owner: str) -> float:
        known = self._factors.get(owner)
        if known is None:
            own = self._bots[owner]
            beside = self._part(own - 1) if self._same_author else 0.0
            known = 1.0
            if self._total - self._part(own) + beside < self._opponents:
                parts = [self._part(bots) for other, bots in self._bots.items() if other != owner]
                known = raising_factor([*parts, beside], self._opponents)
            self._factors[owner] = known
        return known


def raising_factor(shares: Iterable[float], needed: float) -> float:
    """Returns the least factor of 1 or more with which shares add up to `needed`, none of them counted above 1.

    Where even shares of 1 do not add up to it, the factor raises each to 1.
    """
    ascending = sorted(share for share in shares if share)
    needed = min(needed, len(ascending))
    while ascending:
        factor = needed / sum(ascending)
        largest = ascending.pop()
        if factor * largest <= 1 + _ROUNDING_BLOCKS:
            return max(1.0, factor)
        needed -= 1
    return 1.0


def _over(met: int, share: float, blocks: int) -> float:
    """Returns the ratio of meetings to those that a share of blocks allows, if they are more; otherwise 0."""
    if share >= 1:
        return 0.0
    return met / (share * blocks) if met > ceil(share * blocks - _ROUNDING_BLOCKS) else 0.0
