"""The interface of every schedule, however its blocks are made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import final

from fudaba_arena.schedule.block_numbers import BlockNumbers
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


class Schedule(ABC):
    """The blocks of a tournament.

    A schedule has *slots*, numbered from 0 in the order of play, and each slot has a block for every attempt. A block's
    number determines its slot and its attempt, and so its deals: no two blocks of a tournament have the same number,
    whoever asks and in whatever order blocks became void.
    """

    numbers: BlockNumbers
    """The numbers of its blocks."""

    @property
    @abstractmethod
    def whole(self) -> bool:
        """Whether all slots are known. Otherwise, more are added during the tournament."""

    @property
    @abstractmethod
    def games(self) -> tuple[str, ...]:
        """The games, in the order of the definition."""

    @property
    @abstractmethod
    def matches(self) -> int:
        """The number of matches that count if every slot gets its block."""

    @abstractmethod
    def part(self, game: str) -> Part:
        """Returns the part of a game. Raises `KeyError` for a game that is not played."""

    @abstractmethod
    def game_of(self, number: int) -> str:
        """Returns the game of the block with a number."""

    @abstractmethod
    def like(self, wanted: Callable[[Block], bool]) -> Iterator[int]:
        """Yields the slots of wanted blocks. Whether a block is wanted depends only on its players."""

    @abstractmethod
    def __len__(self) -> int:
        """Returns the number of known slots."""

    @abstractmethod
    def _attempt(self, slot: int, attempt: int) -> Block:
        """Returns the block of a known slot at an attempt."""

    def __iter__(self) -> Iterator[Block]:
        """Iterates over the blocks of the first attempts in the order of play."""
        return (self._attempt(slot, 0) for slot in range(len(self)))

    def block(self, number: int) -> Block:
        """Returns the block with a number. Raises `ValueError` if there is none."""
        slot = self.numbers.slot(number)
        if number < 0 or slot >= len(self):
            raise ValueError(f"there is no block {number}")
        return self._attempt(slot, self.numbers.attempt(number))

    def turn(self, slot: int, attempts: Mapping[int, int]) -> Block:
        """Returns the block to play for a known slot. `attempts` is the number of void blocks of a slot."""
        return self._attempt(slot, attempts.get(slot, 0))

    def replacement(self, block: Block) -> Block:
        """Returns the block that is played instead of a void one: the same bots in the same seats, new deals."""
        return self._attempt(block.slot, block.attempt + 1)

    def pending(self, filled: Callable[[int], bool], attempts: Mapping[int, int]) -> Iterator[Block]:
        """Yields the blocks still to be played, in order: the next block of each unfilled slot.

        `attempts` is the number of void blocks of a slot.
        """
        return (self.turn(slot, attempts) for slot in range(len(self)) if not filled(slot))
