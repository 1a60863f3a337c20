"""The interface of every schedule, however its blocks are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, final

from fudaba_arena.schedule.blocks import Block

__all__ = ["BadSchedule", "Part", "Schedule"]


@final
class BadSchedule(ValueError):
    """A tournament cannot be scheduled. `str()` says why, and what to do instead."""


@final
@dataclass(frozen=True, slots=True)
class Part:
    """The part of a tournament in a game."""

    seats: int
    blocks: int
    """The blocks that count at the end; if that is not known, those known so far."""
    matches: int
    """Matches of these blocks."""
    groups: int
    """Groups that meet in a cycle."""
    widest: int
    """The number of groups in the largest block: 1 if no groups share a block."""


class Schedule(Protocol):
    """The blocks of a tournament.

    A schedule has *slots*, numbered from 0 in the order of play, and each slot has a block for every attempt. A block's
    number determines its slot and its attempt, and so its deals: no two blocks of a tournament have the same number,
    whoever asks and in whatever order blocks became void.
    """

    @property
    def whole(self) -> bool:
        """Whether all slots are known. Otherwise, more are added during the tournament."""
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
        """Returns the number of known slots."""
        ...

    def __iter__(self) -> Iterator[Block]:
        """Iterates over the blocks of the first attempts in the order of play."""
        ...

    def block(self, number: int) -> Block:
        """Returns the block with a number. Raises `ValueError` if there is none."""
        ...

    def game_of(self, number: int) -> str:
        """Returns the game of the block with a number."""
        ...

    def turn(self, slot: int, attempts: Mapping[int, int]) -> Block:
        """Returns the block to play for a slot. `attempts` is the number of void blocks of a slot."""
        ...

    def replacement(self, block: Block) -> Block:
        """Returns the block that is played instead of a void one: the same bots in the same seats, new deals."""
        ...

    def pending(self, filled: Callable[[int], bool], attempts: Mapping[int, int]) -> Iterator[Block]:
        """Returns the blocks still to be played, in order: the next block of each unfilled slot."""
        ...

    def like(self, wanted: Callable[[Block], bool]) -> Iterator[int]:
        """Returns the slots of wanted blocks. Whether a block is wanted depends only on its players."""
        ...

    def part(self, game: str) -> Part:
        """Returns the part of a game. Raises `KeyError` for a game that is not played."""
        ...
