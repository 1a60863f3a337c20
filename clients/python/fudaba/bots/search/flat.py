"""Flat Monte Carlo: all moves are tried in the same deals, and the worse half is dropped repeatedly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from fudaba.bots.search.budget import Spending
from fudaba.bots.search.position import Position, finish
from fudaba_games.game import Chance

__all__ = ["flat_search"]


def flat_search(position: Position, spending: Spending, chance: Chance) -> Any:
    """Returns the move with the best mean score after play by chance; the default move if there was no time to finish a
    try.

    Sequential halving (Karnin, Koren and Somekh 2013): as many rounds as it takes to halve the moves down to one, each
    with the same share of the budget. Moves are tried in random order, so a budget that ends too early compares an
    unbiased sample of them.
    """
    trials = _Trials(position, spending, chance)
    left = list(range(len(trials.moves)))
    rounds = max(1, (len(left) - 1).bit_length())
    for number in range(1, rounds + 1):
        if len(left) == 1:
            break
        passes = 0
        while not passes or spending.share() < number / rounds:
            if not trials.try_all(left):
                return trials.best(left)
            passes += 1
        # All that are left were tried equally often; of equal ones the first stays.
        left = sorted(trials.by_mean(left)[: (len(left) + 1) // 2])
    return trials.best(left)


@final
class _Trials:
    """The moves of one position, and the results of their tries."""

    def __init__(self, position: Position, spending: Spending, chance: Chance) -> None:
        self.moves: Sequence[Any] = list(position.moves(chance))
        self._position = position
        self._spending = spending
        self._chance = chance
        self._tries = [0] * len(self.moves)
        self._totals = [0.0] * len(self.moves)

    def try_all(self, left: list[int]) -> bool:
        """Makes one try of each of these moves in the same deal, in random order. Returns False if the budget ends
        first.
        """
        position, chance = self._position, self._chance
        game, seat = position.game, position.seat
        order = list(left)
        chance.shuffle(order)
        drawn = position.drawn(chance)
        for index in order:
            if not self._spending.take():
                return False
            state = drawn.clone()
            game.advance(state, seat, self.moves[index])
            if not finish(game, state, chance, self._spending):
                return False
            outcome = game.outcome(state)
            self._totals[index] += outcome.scores[seat] if outcome is not None else 0
            self._tries[index] += 1
        return True

    def by_mean(self, left: list[int]) -> list[int]:
        """Sorts the tried moves by mean score, best first; equal ones keep their order."""
        tried = [index for index in left if self._tries[index]]
        return sorted(tried, key=lambda index: -self._totals[index] / self._tries[index])

    def best(self, left: list[int]) -> Any:
        """Returns the best tried move among these; the default move if none was tried."""
        ranked = self.by_mean(left)
        return self.moves[ranked[0]] if ranked else self._position.default()
