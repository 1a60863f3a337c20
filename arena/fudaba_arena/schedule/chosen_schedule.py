"""A schedule whose blocks are chosen one by one during the tournament, for a season of a ladder.

The slots are the chosen blocks in the order of choice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, permutations
from typing import final

import numpy as np
from numpy.typing import NDArray

from fudaba.seatings import seating_count
from fudaba_arena.schedule.block_numbers import GROWING
from fudaba_arena.schedule.blocks import Block, named_matches, seated_matches
from fudaba_arena.schedule.schedule import Part, Schedule
from fudaba_arena.store.sealed.derived_values import Ints
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock, ChosenBlocks
from fudaba_arena.store.usage.time_use import entry_of
from fudaba_arena.tournament.games import TournamentGame

__all__ = ["ChosenSchedule", "meetings"]


@final
class ChosenSchedule(Schedule):
    """The schedule of a season, up to the last chosen block."""

    numbers = GROWING

    def __init__(
        self, tournament_id: str, games: Iterable[TournamentGame], chosen: Iterable[ChosenBlock], *, fresh: bool = False
    ) -> None:
        """`fresh` says whether each match has its own deal."""
        self._id = tournament_id
        self._fresh = fresh
        self._games = {game.game: game for game in games}
        self.chosen = chosen if isinstance(chosen, ChosenBlocks) else ChosenBlocks(chosen)
        """The chosen blocks, by slot. Only `add` adds to it."""
        self._blocks: Counter[str] = Counter()
        self._matches: Counter[str] = Counter()
        self._groups: Counter[str] = Counter()
        self._widest: Counter[str] = Counter()
        self._of_bot: dict[str, Counter[str]] = defaultdict(Counter)
        self._met: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        """By game and version, the number of blocks in which it met each bot."""
        for block, slots in self.chosen.kinds():
            self._count(block, len(slots))

    def add(self, chosen: ChosenBlock) -> Block:
        """Adds the block of the next slot, and returns it."""
        self.chosen.append(chosen)
        self._count(chosen, 1)
        return self.block(len(self.chosen) - 1)

    def _count(self, chosen: ChosenBlock, times: int) -> None:
        game, groups = self._games[chosen.game], len(chosen.groups)
        self._blocks[game.game] += times
        self._groups[game.game] += times * groups
        self._matches[game.game] += times * groups * seating_count(game.seats) * game.deals
        self._widest[game.game] = max(self._widest[game.game], groups)
        for bot in chain.from_iterable(chosen.groups):
            self._of_bot[game.game][bot] += times
        met = self._met[game.game]
        for version, other in meetings(chosen):
            met[version][other] += times

    @property
    def whole(self) -> bool:
        """False, since more blocks are chosen."""
        return False

    @property
    def games(self) -> tuple[str, ...]:
        """The games, in the order of the definition."""
        return tuple(self._games)

    @property
    def matches(self) -> int:
        """The number of matches of all chosen blocks."""
        return self._matches.total()

    def __len__(self) -> int:
        """Returns the number of chosen blocks."""
        return len(self.chosen)

    def _attempt(self, slot: int, attempt: int) -> Block:
        chosen = self.chosen.kind(slot)
        number = self.numbers.number(slot, attempt)
        game = self._games[chosen.game]
        seated = seated_matches(chosen.groups, game.deals, shared=chosen.shared, fresh=self._fresh)
        deals = 1 + max(deal for deal, _ in seated)
        generation = self.chosen.generation(slot)
        matches = named_matches(f"{self._id}-{generation}" if generation else self._id, number, seated)
        return Block(number, slot, attempt, 0, slot, deals, matches, chosen.game, generation)

    def game_of(self, number: int) -> str:
        """Returns the game of the block with a number."""
        return self.chosen.kind(self.numbers.slot(number)).game

    def of_final(self, numbers: Ints) -> NDArray[np.bool_]:
        """Returns which of these block numbers are in the season's final. Once that has begun, no others are chosen."""
        begin = bisect_left(range(len(self.chosen)), True, key=lambda slot: self.chosen.kind(slot).final)
        return np.asarray(numbers % self.numbers.step >= begin)

    def like(self, wanted: Callable[[Block], bool]) -> Iterator[int]:
        """Yields the slots of wanted blocks. Whether a block is wanted depends only on its players."""
        for _, slots in self.chosen.kinds():
            if len(slots) and wanted(self.block(int(slots[0]))):
                yield from slots.tolist()

    def part(self, game: str) -> Part:
        """Returns the chosen part of a game. Raises `KeyError` for a game that is not played."""
        seats = self._games[game].seats
        return Part(seats, self._blocks[game], self._matches[game], self._groups[game], self._widest[game])

    def blocks_of(self, game: str) -> Mapping[str, int]:
        """Counts each bot's blocks of a game."""
        return self._of_bot[game]

    def met(self, game: str) -> Mapping[str, Mapping[str, int]]:
        """Counts, by version, the blocks of a game in which it met each bot, whatever the bot's version."""
        return self._met[game]


def meetings(chosen: ChosenBlock) -> Iterator[tuple[str, str]]:
    """Yields each version of a chosen block with each bot of its group that it meets."""
    for group in chosen.groups:
        for version, other in permutations(group, 2):
            yield version, entry_of(other)
