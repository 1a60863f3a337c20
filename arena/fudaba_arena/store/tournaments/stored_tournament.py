"""Everything stored about a tournament, as loaded."""

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
    """Everything stored about a tournament."""

    definition: dict[str, Any]
    master: bytes
    blocks: ClosedBlocks
    """The totals of the closed blocks."""
    results: dict[str, MatchResult]
    """The results of matches of open blocks, by match id."""
    created: set[str]
    """The ids of the matches of open blocks that the service has confirmed."""
    unreleased: set[int]
    """The closed blocks whose matches are not yet visible to everybody."""
    withdrawn: dict[str, str]
    """The reason why each withdrawn bot was withdrawn."""
    no_shows: dict[str, int]
    """The number of consecutive blocks that each bot did not show up for."""
    attempts: int
    """The number of attempts for a block in the last run."""
    pardons: int
    """The number of times that parked blocks got further attempts."""
    alive_ms: int
    """The time when an arena last played it, in milliseconds since 1970; 0 for never."""
    closed: bool
    """Whether it is over and its master is open."""
    rounds: list[DrawnRound] = field(default_factory=list)
    """The drawn rounds of a Swiss or a knockout."""
    chosen: Sequence[ChosenBlock] = field(default_factory=ChosenBlocks)
    """The blocks that were chosen during play, by slot."""
    entries: Entries = field(default_factory=Entries)
    """The bots that were entered during play."""
    generations: list[Generation] = field(default_factory=list)
    """The generations of a season: one for each continuation from a store older than its service."""
    handed_out: set[int] = field(default_factory=set)
    """The open blocks that workers have."""
