"""The input of a fair-play report: the closed blocks of a season, and the owners of its entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock
from fudaba_arena.store.usage.time_use import entry_of

__all__ = ["PlayedSeason", "played_season"]


@final
@dataclass(frozen=True, slots=True)
class PlayedSeason:
    """A season as it was played."""

    margins: Mapping[str, float]
    """The `win_margin` of each game, in the ladder's order."""
    owners: Mapping[str, str]
    """The owner of each entry; entries of one account have the same."""
    blocks: Sequence[ClosedBlock]
    """The closed blocks, void ones included, in the order in which they were closed. What was annulled is left out,
    and every match with an entry that was disqualified."""
    panel: frozenset[str] = frozenset()
    """The entries of the panel. They play as they always do, so nothing that they give or take is looked at."""


def played_season(state: ScheduledTournament) -> PlayedSeason:
    """Returns what is stored of a season. The state has to have the lines of its blocks."""
    closed, tournament = state.stored.blocks, state.tournament
    season, entries = tournament.season, {entry_of(bot.name): bot.owner for bot in tournament.bots}
    blocks = sorted(closed.blocks(), key=lambda block: closed.places.get(block.block) or 0)
    return PlayedSeason(
        {game.game: game.win_margin for game in tournament.games},
        entries,
        [left for block in blocks if (left := _without_annulled(closed, block)).void is not None or left.counting],
        frozenset(entry for entry in entries if season is not None and season.on_panel(entry)),
    )


def _without_annulled(closed: ClosedBlocks, block: ClosedBlock) -> ClosedBlock:
    if block.void is not None:
        return block
    taken = closed.reduced.get(block.block)
    struck = taken.struck if taken is not None else frozenset[str]()
    counted = tuple(
        match
        for match in block.counted
        if closed.match_counts(block.block, match.bots) and struck.isdisjoint(match.bots)
    )
    return replace(block, results=counted, counting=len(counted))
