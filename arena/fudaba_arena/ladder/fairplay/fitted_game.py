"""One game of a season, as its report needs it: blocks, entries, and fits without the matches of some pairs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final, Self, final

import numpy as np

from fudaba_arena.ladder.fairplay.lines import MAX_MATCHES
from fudaba_arena.ladder.fairplay.residuals import GameFit, Residuals, Units, Variance
from fudaba_arena.ladder.fairplay.rows import PlayedRows
from fudaba_arena.ladder.fairplay.season import PlayedSeason
from fudaba_arena.ladder.ratings.design import Floats
from fudaba_arena.ladder.ratings.model import solve
from fudaba_arena.ladder.ratings.results import Ints
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.usage.time_use import entry_of

__all__ = ["FittedGame", "Matches", "Pair", "PlayedGame", "Sample"]

Pair = tuple[str, str]
"""Two entries, in the order of their names."""
Matches = Sequence[Sequence[MatchResult]]
_MIN_SPARE_SHARE: Final = 0.5
"""The share of the results that the ratings have to leave for residuals to say something."""


@final
@dataclass(frozen=True)
class PlayedGame:
    """A game with at least one counting block."""

    game: str
    win_margin: float
    season: PlayedSeason
    counted: Sequence[ClosedBlock]
    void: Sequence[ClosedBlock]
    names: tuple[str, ...]
    """The versions that have played, sorted."""
    seats: int

    @classmethod
    def of_season(cls, season: PlayedSeason, game: str) -> Self | None:
        """Returns a game of a season; None if no block of it counts."""
        blocks = [block for block in season.blocks if block.game == game]
        counted = [block for block in blocks if block.void is None]
        if not counted:
            return None
        names = {bot for block in counted for match in block.counted for bot in match.bots}
        seats = len(counted[0].counted[0].bots)
        void = [block for block in blocks if block.void is not None]
        return cls(game, season.margins[game], season, counted, void, tuple(sorted(names)), seats)

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """The entries that have played, sorted."""
        return tuple(sorted(set(map(entry_of, self.names))))

    @property
    def competing(self) -> tuple[str, ...]:
        """These entries without the bots of the panel."""
        return tuple(entry for entry in self.entries if entry not in self.season.panel)

    @cached_property
    def entry_of_bot(self) -> Ints:
        """(names,): the index of each version's entry."""
        place = {entry: at for at, entry in enumerate(self.entries)}
        return np.array([place[entry_of(name)] for name in self.names], dtype=np.int64)

    def owner(self, entry: str) -> str:
        """Returns the owner of an entry."""
        return self.season.owners.get(entry, f"bot {entry}")

    def fitted(self, left_out: Collection[Pair]) -> FittedGame | None:
        """Fits the ratings without matches in which one of these pairs met.

        Returns None if too little is left to compare anything with ratings.
        """
        kept: list[list[MatchResult]] = []
        apart: list[list[MatchResult]] = []
        gone = set(left_out)
        for block in self.counted:
            split = [gone.isdisjoint(pairs_of(match)) if gone else True for match in block.counted]
            kept.append([match for match, stays in zip(block.counted, split, strict=True) if stays])
            apart.append([match for match, stays in zip(block.counted, split, strict=True) if not stays])
        rows = PlayedRows.of_blocks(kept, self.names, self.win_margin)
        playing = len(np.unique(rows.design.columns[:, :2]))
        comparisons = sum(map(bool, kept)) * (self.seats - 1)
        spare = 1 - (playing + self.seats - 2) / comparisons if comparisons else 0.0
        if spare < _MIN_SPARE_SHARE:
            return None
        solution = solve(rows.design)
        fit = GameFit(solution, np.linalg.inv(solution.information))
        others = PlayedRows.of_blocks(apart, self.names, self.win_margin)
        return FittedGame(
            self, fit, spare, Sample(self, rows, fit, fitted=True), Sample(self, others, fit, fitted=False)
        )

    def outside(self, fit: GameFit, blocks: Matches) -> Sample:
        """Returns blocks that the ratings were not fitted to."""
        rows = PlayedRows.of_blocks(blocks, self.names, self.win_margin)
        return Sample(self, rows, fit, fitted=False)

    def evidence(self, wanted: Callable[[ClosedBlock, MatchResult], bool]) -> tuple[tuple[str, ...], int, int]:
        """Returns the ids of the newest counting matches that are wanted, and the numbers of all of them and of their
        blocks.
        """
        return evidence(self.counted, wanted)


def evidence(
    blocks: Sequence[ClosedBlock], wanted: Callable[[ClosedBlock, MatchResult], bool]
) -> tuple[tuple[str, ...], int, int]:
    """Does `PlayedGame.evidence` for any blocks, whether they count or not."""
    found = [
        [match.match_id for match in block.results if wanted(block, match)]
        for block in blocks
        if block.void is not None or block.counting
    ]
    ids = [match_id for of_block in found for match_id in of_block]
    return tuple(ids[-MAX_MATCHES:]), len(ids), sum(map(bool, found))


def pairs_of(match: MatchResult) -> Iterator[Pair]:
    """Yields the pairs of entries in a match."""
    return combinations(sorted(map(entry_of, match.bots)), 2)


@final
@dataclass(frozen=True)
class FittedGame:
    """A game with its ratings."""

    game: PlayedGame
    fit: GameFit
    spare: float
    kept: Sample
    """The matches to which the ratings were fitted."""
    apart: Sample
    """The matches that were left out."""

    @cached_property
    def pair_variance(self) -> Variance:
        """How far residuals of a pair in a block stray."""
        return Variance.estimated(self.kept.pairs[0], self.spare)

    @cached_property
    def entry_variance(self) -> Variance:
        """How far residuals of an entry in a block stray."""
        return Variance.estimated(self.kept.by_entry[0], self.spare)


@final
@dataclass(frozen=True)
class Sample:
    """Blocks with the residuals of their matches."""

    game: PlayedGame
    rows: PlayedRows
    fit: GameFit
    fitted: bool

    @cached_property
    def met(self) -> frozenset[Pair]:
        """The pairs of entries that have met."""
        entries = self.game.entries
        first, other = (np.sort(np.stack(self._seated), axis=0)).tolist()
        return frozenset((entries[a], entries[b]) for a, b in set(zip(first, other, strict=True)))

    @cached_property
    def pairs(self) -> tuple[Residuals, Ints, Ints]:
        """The residuals by block and pair, from the side of the first entry, and each unit's entries."""
        first, other = self._seated
        swap = first > other
        size = len(self.game.entries)
        key = (self.rows.block * size + np.where(swap, other, first)) * size + np.where(swap, first, other)
        residuals, keys = self._residuals(key, np.arange(len(first)), np.where(swap, -1.0, 1.0))
        return residuals, keys // size % size, keys % size

    @cached_property
    def by_entry(self) -> tuple[Residuals, Ints, Ints]:
        """The residuals by block and entry, and each unit's block and entry."""
        first, other = self._seated
        size, rows = len(self.game.entries), np.arange(len(first))
        key = np.concatenate([self.rows.block * size + first, self.rows.block * size + other])
        residuals, keys = self._residuals(key, np.concatenate([rows, rows]), np.repeat([1.0, -1.0], len(rows)))
        return residuals, keys // size, keys % size

    @property
    def _seated(self) -> tuple[Ints, Ints]:
        """(rows,), twice: the entries of each row."""
        bots = self.game.entry_of_bot[self.rows.design.columns[:, :2]]
        return bots[:, 0], bots[:, 1]

    def _residuals(self, key: Ints, row: Ints, sign: Floats) -> tuple[Residuals, Ints]:
        units, keys = Units.from_rows(key, row, sign)
        return Residuals(self.rows, self.fit, units, fitted=self.fitted), keys
