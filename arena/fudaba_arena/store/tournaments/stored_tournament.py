"""All that is stored of a tournament, as it is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, final

from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock, ChosenBlocks
from fudaba_arena.store.tournaments.entries import Entries
from fudaba_arena.store.tournaments.generations import Generation
from fudaba_arena.store.tournaments.rounds import DrawnRound

__all__ = ["StoredTournament"]


@final
@dataclass(slots=True)
class StoredTournament:
    """All that is stored of a tournament."""

    definition: dict[str, Any]
    master: bytes
    blocks: ClosedBlocks
    """The totals of the closed blocks."""
    results: dict[str, MatchResult]
    """The results of matches of open blocks, by match id."""
    created: set[str]
    """The ids of the matches of open blocks that the service was asked for and has confirmed."""
    unreleased: set[int]
    """The closed blocks whose matches may not be seen by everybody yet."""
    withdrawn: dict[str, str]
    """The reason why each withdrawn bot plays no more."""
    no_shows: dict[str, int]
    """The number of blocks in a row that each bot did not show up for."""
    attempts: int
    """The number of attempts that a block had in the last run."""
    pardons: int
    """The number of times that parked blocks were given further attempts."""
    alive_ms: int
    """The time when an arena last played it, in milliseconds since 1970; 0 for never."""
    closed: bool
    """Whether it is over and its master is open."""
    rounds: list[DrawnRound] = field(default_factory=list)
    """The rounds of a Swiss that are drawn."""
    chosen: Sequence[ChosenBlock] = field(default_factory=ChosenBlocks)
    """The blocks that were chosen while it went on, by slot."""
    entries: Entries = field(default_factory=Entries)
    """The bots that were entered while it went on."""
    generations: list[Generation] = field(default_factory=list)
    """The generations of a ladder's season: one for each time that it went on from a store that was older than its
    service."""
    handed_out: set[int] = field(default_factory=set)
    """The open blocks that workers have."""
