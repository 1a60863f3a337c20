"""Round robin: from the definition of a tournament to its blocks, always the same ones.

In a *cycle* everybody meets everybody once, in rounds in which nobody plays twice (the circle method). The tournament
is as many cycles as it has blocks per pairing, so that after every round all bots have played about equally often.

A pairing whose bots all keep nothing has a rotating block of its own. The other pairings of a round share blocks, so
that their deals are played at several tables (`fudaba_arena.blocks`); where only one is left over, a pairing that
keeps nothing joins it for comparison.

Numbers: the blocks as planned have the numbers 0 to `len(schedule)` - 1, in the order in which they are played. The
replacement of a void block has the number of the void one plus `len(schedule)`, so new deals, and new match ids. So
a block's number says everything about it, whoever asks and in whatever order blocks became void.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from string import ascii_lowercase
from typing import Final, final

from fudaba_arena.blocks import Block, Entrant, Table, rotating_tables, shared_tables

__all__ = ["BadSchedule", "RoundRobin", "Schedule"]

MATCH_ID_LENGTH: Final = 80
TOURNAMENT_ID_LENGTH: Final = 48
"""Leaves room in a match id for the numbers of block and table."""
SHARED_PAIRINGS: Final = 8
"""At most so many pairings share a block. More would add little comparison, and one fault would void more matches."""

_TOURNAMENT_ID: Final = re.compile(rf"[A-Za-z0-9._-]{{1,{TOURNAMENT_ID_LENGTH}}}")


@final
class BadSchedule(ValueError):
    """A tournament that cannot be scheduled. `str()` says why, and what to do instead."""


@final
@dataclass(frozen=True, slots=True)
class RoundRobin:
    """A tournament of two-seat matches in which everybody meets everybody. The order of the entrants means nothing."""

    tournament: str
    """Its id: 1-48 of A-Z, a-z, 0-9, `.`, `_` and `-`. Match ids begin with it."""
    entrants: tuple[Entrant, ...]
    blocks: int = 1
    """Blocks for each pairing."""
    deals: int = 1
    """A block has twice so many matches for each pairing (for two seats): rotating blocks replay each deal."""
    same_author: bool = False
    """Whether two bots of one author may meet."""


@final
@dataclass(frozen=True, slots=True)
class _Planned:
    """A block of a cycle, before it has a number."""

    round: int
    pairings: tuple[tuple[str, ...], ...]
    shared: bool


@final
class Schedule:
    """The blocks of a round robin. Equal definitions give equal schedules. Raises `BadSchedule`."""

    def __init__(self, definition: RoundRobin) -> None:
        _check(definition)
        self.definition = definition
        self._cycle = _plan(definition)
        if not self._cycle:
            raise BadSchedule("all bots are of one author; enter others, or allow bots of one author to meet")

    def __len__(self) -> int:
        """The number of blocks that count in the end, replacements taking the place of void ones."""
        return len(self._cycle) * self.definition.blocks

    def __iter__(self) -> Iterator[Block]:
        """The blocks as planned, in the order in which they are to be played."""
        return (self.block(number) for number in range(len(self)))

    def block(self, number: int) -> Block:
        """The block of a number, planned or replacement."""
        if number < 0:
            raise ValueError(f"block numbers begin at 0, so there is no block {number}")
        attempt, slot = divmod(number, len(self))
        cycle, place = divmod(slot, len(self._cycle))
        planned, deals = self._cycle[place], self.definition.deals
        if planned.shared:
            seatings = shared_tables(planned.pairings, deals)
        else:
            seatings = rotating_tables(planned.pairings[0], deals)
        tables = tuple(
            Table(f"{self.definition.tournament}-b{number}-{_letters(index)}", deal, bots)
            for index, (deal, bots) in enumerate(seatings)
        )
        return Block(number, slot, attempt, cycle, planned.round, 1 + max(table.deal for table in tables), tables)

    def replacement(self, block: Block) -> Block:
        """The block that is played instead of a void one: the same tables, new deals."""
        return self.block(block.number + len(self))

    def pending(self, finished: Collection[int], void: Collection[int]) -> Iterator[Block]:
        """The blocks that are still to be played, in order, when blocks of these numbers are finished and void.

        A void block is followed by its replacement in the same place.
        """
        done, gone = frozenset(finished), frozenset(void)
        for slot in range(len(self)):
            number = slot
            while number in gone:
                number += len(self)
            if number not in done:
                yield self.block(number)

    @property
    def pairings(self) -> int:
        """The number of pairings that meet."""
        return sum(len(planned.pairings) for planned in self._cycle)

    @property
    def widest(self) -> int:
        """The number of pairings in the block that has most: 1 where no pairings share a block."""
        return max(len(planned.pairings) for planned in self._cycle)

    @property
    def matches(self) -> int:
        """The number of matches that count in the end."""
        of_cycle = (len(planned.pairings) * len(planned.pairings[0]) for planned in self._cycle)
        return sum(of_cycle) * self.definition.deals * self.definition.blocks

    @property
    def fingerprint(self) -> str:
        """64 hex digits, equal for equal schedules: what stored results must belong to if they are to be counted."""
        names = sorted((bot.name, bot.author, bot.memoryless) for bot in self.definition.entrants)
        rest = (self.definition.tournament, self.definition.blocks, self.definition.deals, self.definition.same_author)
        return sha256(repr((names, rest)).encode()).hexdigest()


def _check(definition: RoundRobin) -> None:
    """Raises `BadSchedule` for what cannot be played."""
    if not _TOURNAMENT_ID.fullmatch(definition.tournament):
        raise BadSchedule(
            f"{definition.tournament!r} is no id of a tournament: write 1 to {TOURNAMENT_ID_LENGTH} of"
            " A-Z, a-z, 0-9, '.', '_' and '-'"
        )
    names = [bot.name for bot in definition.entrants]
    if len(names) < 2:
        raise BadSchedule(f"a tournament needs at least 2 bots, this one has {len(names)}")
    if "" in names:
        raise BadSchedule("a bot without a name; give every bot one")
    for name in names:
        if names.count(name) > 1:
            raise BadSchedule(f"bot {name} is entered twice; enter it once")
    if definition.blocks < 1:
        raise BadSchedule(f"blocks is {definition.blocks}; at least 1 is needed for each pairing")
    if definition.deals < 1:
        raise BadSchedule(f"deals is {definition.deals}; a block needs at least 1")


def _plan(definition: RoundRobin) -> list[_Planned]:
    """The blocks of one cycle, in order."""
    bots = {bot.name: bot for bot in definition.entrants}
    plan: list[_Planned] = []
    for number, pairings in enumerate(_circle(sorted(bots))):
        allowed = [
            pairing
            for pairing in pairings
            if definition.same_author or len({_owner(bots[name]) for name in pairing}) == len(pairing)
        ]
        alone = [pairing for pairing in allowed if all(bots[name].memoryless for name in pairing)]
        groups = _groups([pairing for pairing in allowed if pairing not in alone], bots)
        for group in groups:
            joins = next((pairing for pairing in alone if not _share_owner(pairing, group, bots)), None)
            if len(group) == 1 and joins is not None:
                alone.remove(joins)
                group.append(joins)
        plan += [_Planned(number, tuple(group), shared=True) for group in groups]
        plan += [_Planned(number, (pairing,), shared=False) for pairing in alone]
    return plan


def _circle(names: Sequence[str]) -> list[list[tuple[str, ...]]]:
    """The rounds of a round robin of pairs: everybody meets everybody once, nobody plays twice in a round."""
    ring: list[str | None] = [*names, None] if len(names) % 2 else list(names)
    size = len(ring)
    rounds: list[list[tuple[str, ...]]] = []
    for turn in range(size - 1):
        circle = [ring[0], *(ring[1 + (turn + place) % (size - 1)] for place in range(size - 1))]
        pairs = [(circle[place], circle[size - 1 - place]) for place in range(size // 2)]
        rounds.append([(a, b) for a, b in pairs if a is not None and b is not None])
    return rounds


def _groups(pairings: Sequence[tuple[str, ...]], bots: dict[str, Entrant]) -> list[list[tuple[str, ...]]]:
    """The pairings that are to share a block, in blocks of about equal size without an author at two tables."""
    groups: list[list[tuple[str, ...]]] = [[] for _ in range(-(-len(pairings) // SHARED_PAIRINGS))]
    for pairing in pairings:
        free = [g for g in groups if len(g) < SHARED_PAIRINGS and not _share_owner(pairing, g, bots)]
        if free:
            min(free, key=len).append(pairing)
        else:
            groups.append([pairing])
    return groups


def _share_owner(pairing: Sequence[str], group: Sequence[Sequence[str]], bots: dict[str, Entrant]) -> bool:
    """Whether somebody has a bot in the pairing and one in the group."""
    taken = {_owner(bots[name]) for other in group for name in other}
    return any(_owner(bots[name]) in taken for name in pairing)


def _owner(bot: Entrant) -> tuple[str, str]:
    """Who is behind a bot: its author, or just itself."""
    return ("author", bot.author) if bot.author else ("bot", bot.name)


def _letters(index: int) -> str:
    """a, b, … z, aa, ab, …"""
    text = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, len(ascii_lowercase))
        text = ascii_lowercase[letter] + text
    return text
