"""How far a tournament is: its schedule, and what is stored of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, final

from fudaba_arena.blocks import Block, Table, commitment
from fudaba_arena.ladders import Ladders, ladders
from fudaba_arena.ratings import BlockResult, TableResult
from fudaba_arena.store import StoredTournament
from fudaba_arena.tournament import Tournament

__all__ = ["NOBODY", "TournamentState", "changes"]

NOBODY: Final = frozenset({"stopped", "away"})
"""Causes of void blocks that do not count as an attempt: the arena itself was stopped or killed."""


@final
class TournamentState:
    """A tournament in play. The runner changes `stored` whenever the store has taken a change."""

    def __init__(self, tournament: Tournament, stored: StoredTournament) -> None:
        self.tournament = tournament
        self.stored = stored
        self.commitment = commitment(stored.master).hex()
        self.id = f"{tournament.name}-{self.commitment[:8]}"
        """Match ids begin with it. The part of the commitment keeps two runs of one file apart."""
        self.schedule = tournament.schedule(self.id)

    def tables(self, block: Block) -> tuple[Table, ...]:
        """The matches of a block that are to be played: those of withdrawn bots are left out."""
        gone = self.stored.withdrawn
        return tuple(table for table in block.tables if not any(bot in gone for bot in table.bots))

    def attempts(self, slot: int) -> int:
        """How many attempts at a place in the schedule have failed."""
        return sum(void.slot == slot and void.cause not in NOBODY for void in self.stored.void.values())

    def parked(self, block: Block) -> bool:
        """Whether a block is not tried any more: too many attempts have failed, or its bots are withdrawn."""
        allowed = self.tournament.attempts * (1 + self.stored.pardons)
        return not self.tables(block) or (block.attempt > 0 and self.attempts(block.slot) >= allowed)

    def unfinished(self) -> Iterator[Block]:
        """The blocks that have no result yet, parked ones too, in the order of the schedule."""
        return self.schedule.pending(self.stored.finished.keys(), self.stored.void.keys())

    @property
    def parked_blocks(self) -> list[Block]:
        """The blocks that are not tried any more."""
        return [block for block in self.unfinished() if self.parked(block)]

    @property
    def matches_counted(self) -> int:
        """The number of matches that count so far."""
        return sum(len(matches) for matches in self.stored.finished.values())

    @property
    def complete(self) -> bool:
        """Whether every block has its result."""
        return len(self.stored.finished) == len(self.schedule)

    def block_results(self) -> list[BlockResult]:
        """The results that count."""
        found = []
        for number, match_ids in sorted(self.stored.finished.items()):
            results = [self.stored.results[match_id] for match_id in match_ids]
            tables = tuple(TableResult(r.match_id, r.deal, r.bots, r.scores) for r in results)
            found.append(BlockResult(number, tables))
        return found

    def voids(self) -> dict[str, dict[str, int]]:
        """The number of void blocks that are put down to each bot, by game."""
        counts = {
            game.game: {bot.name: 0 for bot in self.tournament.bots if bot.plays(game.game)}
            for game in self.tournament.games
        }
        for void in list(self.stored.void.values()):
            of_game = counts[self.schedule.game_of(void.block)]
            for bot in void.bots:
                of_game[bot] = of_game.get(bot, 0) + 1
        return counts

    def forfeits(self) -> dict[str, dict[str, int]]:
        """How many of the matches that count each bot forfeited, by cause; bots that forfeited none are left out."""
        counts: dict[str, dict[str, int]] = {}
        for match_ids in self.stored.finished.values():
            for match_id in match_ids:
                result = self.stored.results[match_id]
                if result.forfeited:
                    causes = counts.setdefault(result.forfeited, {})
                    causes[result.forfeit_cause] = causes.get(result.forfeit_cause, 0) + 1
        return counts

    def ladders(self, results: Sequence[BlockResult]) -> Ladders:
        """The ladders from `block_results()`. It may run in another thread."""
        return ladders(self.tournament, self.schedule.game_of, results, self.voids())


def changes(stored: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between two definitions of a tournament, a sentence for each."""
    told: list[str] = []
    for key in sorted(stored.keys() | now.keys()):
        before, after = stored.get(key), now.get(key)
        if before == after:
            continue
        if before is None or after is None:
            told.append(f"{key} is new" if before is None else f"{key} is gone")
        elif isinstance(before, dict) and isinstance(after, dict):
            told += [
                f"{name} of {key} was {before.get(name)!r}, is {after.get(name)!r}"
                for name in sorted(before.keys() | after.keys())
                if before.get(name) != after.get(name)
            ]
        else:
            told.append(f"{key} was {before!r}, is {after!r}")
    return told
