"""How the entrants of a season stand, as far as what is played next depends on it."""

from __future__ import annotations

from fudaba_arena.ladder.ladders import block_results, ladders_of
from fudaba_arena.schedule.choosing import Known, Ratings
from fudaba_arena.schedule.state import TournamentState

__all__ = ["known"]


def known(state: TournamentState) -> Ratings:
    """The ratings of all entrants. It may run in another thread."""
    ladders = ladders_of(state, block_results(state))
    return {
        game: {row.bot: Known(row.rating, row.half) for row in ladder.rows} for game, ladder in ladders.games.items()
    }
