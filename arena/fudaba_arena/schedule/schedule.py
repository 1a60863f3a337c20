"""The interface of every schedule, however its blocks come about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, final

from fudaba_arena.schedule.blocks import Block

__all__ = ["BadSchedule", "Part", "Schedule"]


@final
class BadSchedule(ValueError):
    """A tournament that cannot be scheduled. `str()` says why, and what to do instead."""


@final
@dataclass(frozen=True, slots=True)
class Part:
    """The part of a tournament in a game."""

    seats: int
    blocks: int
    """Blocks that count in the end; where that is not known, those that are known so far."""
    matches: int
    """Matches of these blocks."""
    groups: int
    """Groups that meet in a cycle."""
    widest: int
    """The number of groups in the block that has most: 1 where no groups share a block."""


class Schedule(Protocol):
    """The blocks of a tournament.

    A schedule has *slots*, numbered from 0 in the order in which they are to be played, and each has a block for every
    attempt at it. A block's number says which slot and which attempt it is, and so fixes the deals: no two blocks of a
    tournament have the same one, whoever asks and in whatever order blocks became void.
    """

    @property
    def whole(self) -> bool:
        """Whether all slots are known. Otherwise more are added while the tournament is played."""
        ...

    @property
    def games(self) -> tuple[str, ...]:
        """The games, in the order of the definition."""
        ...

    @property
    def matches(self) -> int:
        """The number of matches that count if every slot gets its block."""
        ...

    def __len__(self) -> int:
        """Returns the number of slots, as far as they are known."""
        ...

    def __iter__(self) -> Iterator[Block]:
        """Returns the blocks of the first attempts, in the order in which they are to be played."""
        ...

    def block(self, number: int) -> Block:
        """Returns the block of a number. Raises `ValueError` where there is none."""
        ...

    def game_of(self, number: int) -> str:
        """Returns the game of the block of a number."""
        ...

    def turn(self, slot: int, attempts: Mapping[int, int]) -> Block:
        """Returns the block to play for a slot. `attempts` is how many blocks of a slot are void."""
        ...

    def replacement(self, block: Block) -> Block:
        """Returns the block that is played instead of a void one: the same bots in the same seats, new deals."""
        ...

    def pending(self, filled: Callable[[int], bool], attempts: Mapping[int, int]) -> Iterator[Block]:
        """Returns the blocks that are still to be played, in order: the next one of each slot that is not filled."""
        ...

    def like(self, wanted: Callable[[Block], bool]) -> Iterator[int]:
        """Returns the slots of blocks that are wanted, which depends on who plays in them only."""
        ...

    def part(self, game: str) -> Part:
        """Returns how much is played of a game. Raises `KeyError` for one that is not."""
        ...
