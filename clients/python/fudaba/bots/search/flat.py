"""Flat Monte-Carlo: every move is tried in the same deals, and the worse half is dropped again and again."""

from __future__ import annotations

from typing import Any

from fudaba.bots.search.budget import Spending
from fudaba.bots.search.position import Position
from fudaba_games.game import Chance
from fudaba_games.play import play_out

__all__ = ["flat_search"]


def flat_search(position: Position, spending: Spending, chance: Chance) -> Any:
    """The move with the best mean score after play by chance.

    Sequential halving (Karnin, Koren and Somekh 2013): as many rounds as it takes to halve the moves down to one, each
    with the same share of the budget.
    """
    game, seat = position.game, position.seat
    moves = list(position.moves(chance))
    totals = [0.0] * len(moves)
    left = list(range(len(moves)))
    rounds = max(1, (len(moves) - 1).bit_length())
    for number in range(1, rounds + 1):
        if len(left) == 1:
            break
        tried = 0
        while not tried or spending.share() < number / rounds:
            drawn = position.drawn(chance)
            for index in left:
                spending.spent += 1
                state = drawn.clone()
                game.advance(state, seat, moves[index])
                play_out(game, state, chance)
                outcome = game.outcome(state)
                totals[index] += outcome.scores[seat] if outcome is not None else 0
            tried += 1
            if spending.share() >= 1.0:
                break
        # All that are left were tried equally often; of equal ones the first stays.
        left = sorted(sorted(left, key=lambda index: -totals[index])[: (len(left) + 1) // 2])
    return moves[max(left, key=lambda index: totals[index])]
