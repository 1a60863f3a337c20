"""Games of the deck that ask one seat at a time until the match is over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from fudaba_games.game import Decision, E, Game, M, Outcome, State, V

NOBODY: Final = -1
"""`OneByOneState.turn` when the match is over."""

_MAX_SEATS: Final = 6
_DECISIONS: Final[tuple[tuple[Decision, ...], ...]] = (*[(Decision(seat),) for seat in range(_MAX_SEATS)], ())
"""The open decisions, by the seat to move; the last entry, for nobody, is empty."""


class OneByOneState(State):
    """A state with a turn and scores."""

    turn: int
    """The seat to move; `NOBODY` when the match is over."""
    scores: tuple[int, ...]


S = TypeVar("S", bound=OneByOneState)


class OneByOneGame(Game[S, M, V, E]):
    """The rules of such a game: whose turn it is, and when the match is over."""

    def decisions(self, state: S) -> Sequence[Decision]:
        """Returns the decision of the seat to move, until the match is over."""
        return _DECISIONS[state.turn]

    def turn(self, state: S) -> int:
        """Returns the seat to move."""
        return state.turn

    def outcome(self, state: S) -> Outcome | None:
        """Returns the scores of all deals, once they are played."""
        return Outcome(state.scores) if state.turn == NOBODY else None
