"""A season's final: it is rated on its own blocks if every bot of the final has enough of them, otherwise on all blocks
of the season.

`Season.final_apart_blocks` says how many are enough. A bot of the final is one that has played a counting block of it.
So the choice follows from the results alone, whichever bots have left or been paused since.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, final

import numpy as np

from fudaba_arena.ladder.ratings import Results, records_of
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.sealed.derived_values import Ints

__all__ = [
    "FINAL_BLOCKS",
    "MIXED_BLOCKS",
    "SEASON_BLOCKS",
    "BlockResults",
    "block_results",
    "enough_in_final",
    "rated_on_together",
]

SEASON_BLOCKS: Final = "season"
"""A ladder is rated on all blocks of the season, although its final has begun."""
FINAL_BLOCKS: Final = "final"
"""The ladder is rated on the final's own blocks."""
MIXED_BLOCKS: Final = "mixed"
"""The ladder spans several games, of which some are rated on the final's blocks and some on all."""


@final
@dataclass(frozen=True, slots=True)
class BlockResults:
    """The results from which ladders are computed: the number of blocks with equal results, by result; see
    `went.went`.
    """

    every: Mapping[bytes, int]
    """All of these results."""
    of_final: Mapping[bytes, int] = field(default_factory=dict)
    """The blocks of a season's final among them, if the final may be rated on these alone."""
    early: Mapping[bytes, int] = field(default_factory=dict)
    """The number of blocks of each kind in the first half of their game's blocks, by the sequence; and the same for
    those of the final.
    """
    early_of_final: Mapping[bytes, int] = field(default_factory=dict)
    point: int = 0
    """The point of the sequence that they reflect, see `ClosedBlocks.point`; 0 for results at some places only."""


def block_results(state: ScheduledTournament, places: Ints | None = None) -> BlockResults:
    """Returns the results that count now, or those of blocks at some places of their sequence.

    Any thread may call it.
    """
    blocks, schedule, season = state.stored.blocks, state.schedule, state.tournament.season
    point, counting = blocks.counting_at_point() if places is None else (0, places)
    every, early = blocks.kinds_at(counting), blocks.early_kinds(counting)
    apart = season is not None and season.final_apart_blocks and state.stored.entries.frozen_ms is not None
    if not apart or not isinstance(schedule, ChosenSchedule):
        return BlockResults(every, early=early, point=point)
    in_final = counting[np.flatnonzero(schedule.of_final(blocks.places.numbers()[counting]))]
    return BlockResults(every, blocks.kinds_at(in_final), early, blocks.early_kinds(in_final), point)


def enough_in_final(game_results: Results, least_blocks: int, panel: Collection[str] = ()) -> bool:
    """Returns whether every bot with a block of the game in the final, bots of the panel aside, has at least this many
    of them.
    """
    blocks = [record.blocks for bot, record in records_of(game_results).items() if record.blocks and bot not in panel]
    return bool(blocks) and min(blocks) >= least_blocks


def rated_on_together(of_games: Iterable[str]) -> str:
    """Returns which results the overall ladder is rated on, given those of each game."""
    found = set(of_games)
    return found.pop() if len(found) == 1 else MIXED_BLOCKS
