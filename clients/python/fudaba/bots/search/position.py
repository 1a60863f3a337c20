"""The start of a search: states that agree with everything that a seat knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from fudaba.bots.search.budget import Spending
from fudaba_games.game import Chance, OptionValue
from fudaba_games.play import play_out
from fudaba_games.registry import AnyGame

__all__ = ["MAX_MOVES", "MOVES_PER_STRETCH", "Position", "finish"]

MAX_MOVES: Final = 48
"""The number of moves that are considered in a decision. From longer lists, some are drawn at random."""

MOVES_PER_STRETCH: Final = 8
"""The number of random moves after which a try checks the time."""


@final
class Position:
    """A decision of `seat`. Tries play to the end of the deal in progress, since no move now affects what comes
    after.
    """

    def __init__(
        self, game: AnyGame, seats: int, options: Mapping[str, OptionValue], seat: int, view: Any, chance: Chance
    ) -> None:
        self.game = game
        self.seat = seat
        self._supposed = game.suppose(view, seat, seats, game.only_this_deal(view, options), chance)

    def drawn(self, chance: Chance) -> Any:
        """Returns a state that could be the real one. The caller may change it."""
        return self.game.redeal(self._supposed, self.seat, chance)

    def default(self) -> Any:
        """Returns the move that is played after a timeout."""
        return self.game.legal_moves(self._supposed, self.seat)[0]

    def moves(self, chance: Chance) -> Sequence[Any]:
        """Returns the moves to choose from: all of them, or of a long list the default move and some drawn ones."""
        legal = self.game.legal_moves(self._supposed, self.seat)
        if len(legal) <= MAX_MOVES:
            return legal
        some = {legal[0]: None}
        for _ in range(3 * MAX_MOVES):
            some[self.game.random_move(self._supposed, self.seat, chance)] = None
            if len(some) == MAX_MOVES:
                break
        return list(some)


def finish(game: AnyGame, state: Any, chance: Chance, spending: Spending) -> bool:
    """Plays a state to its end at random. Returns False if the time ends first; then the try has no result."""
    while play_out(game, state, chance, MOVES_PER_STRETCH) == MOVES_PER_STRETCH:
        if spending.late():
            return False
    return True
