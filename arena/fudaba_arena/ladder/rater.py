"""The current ladders, fitted once for display and for the choice of the next blocks."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, final

from fudaba_arena.ladder.ladders import Ladders, block_results, ladders_of
from fudaba_arena.schedule.next_block import KnownRating, Ratings
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulments import Annulment

__all__ = ["Rater"]


class _Point(NamedTuple):
    """A point in a tournament's stored state, which determines its ladders."""

    tournament_id: str
    point: int
    """See `ClosedBlocks.point`."""
    newest: tuple[int, int]
    """The block that stands there. A store that lost its last blocks goes on with others, up to the same point."""
    annulments: Sequence[Annulment]
    """The noted annulments, including undone ones and their undoings."""
    entry_changes: int


@final
class Rater:
    """Caches the ladders of each tournament while they are valid. Any thread may call it."""

    def __init__(self) -> None:
        self._fitting: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._kept: dict[str, tuple[_Point, Ladders]] = {}

    def ladders(self, state: ScheduledTournament) -> Ladders:
        """Returns the ladders of everything known now."""
        name, stored = state.tournament.name, state.stored
        with self._fitting[name]:
            blocks = stored.blocks
            now = _Point(state.id, blocks.point, blocks.newest(), blocks.annulments, len(stored.entries.changes))
            known, ladders = self._kept.get(name, (None, None))
            if ladders is None or known != now:
                ladders = ladders_of(state, block_results(state))
                self._kept[name] = now, ladders
            return ladders

    def known(self, state: ScheduledTournament) -> Ratings:
        """Returns the ratings of all entrants, as the choice of the next blocks needs them."""
        games = self.ladders(state).games
        return {
            game: {row.bot: KnownRating(row.rating, row.half, row.blocks) for row in ladder.rows}
            for game, ladder in games.items()
        }
