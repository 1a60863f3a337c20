"""The payments after a deal of a Kamikisen game, and the dealer's multiplier (親の加点)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

FIRST_MULTIPLIER: Final = 2
"""The multiplier with every new dealer."""


def next_multiplier(multiplier: int, dealer: int, winner: int) -> int:
    """Returns the multiplier of the next deal, whose dealer is `winner`: one more if the dealer has won, otherwise 2
    again.
    """
    return multiplier + 1 if winner == dealer else FIRST_MULTIPLIER


def paid_to(winner: int, amounts: Sequence[int], dealer: int, multiplier: int) -> tuple[int, ...]:
    """Returns the score of a deal, one entry for each seat, if every seat pays `winner` its amount.

    `amounts` are by seat; the winner's own entry does not count, and a negative amount is paid the other way. What the
    dealer pays or receives is multiplied; `multiplier` 1 leaves it as it is.
    """
    scores = [0] * len(amounts)
    times = multiplier if winner == dealer else 1
    for seat, amount in enumerate(amounts):
        if seat != winner:
            paid = amount * (multiplier if seat == dealer else times)
            scores[seat] -= paid
            scores[winner] += paid
    return tuple(scores)


def shared(winners: Sequence[int], seats: int, amount: int) -> tuple[int, ...]:
    """Returns the score of a deal, one entry for each seat, if every loser pays each of the winners the same amount."""
    won = amount * (seats - len(winners))
    lost = -amount * len(winners)
    return tuple([won if seat in winners else lost for seat in range(seats)])


def next_dealer(winners: Sequence[int], dealer: int, seats: int) -> int:
    """Returns the next dealer: the winner of a deal that is nearest to its dealer clockwise, the dealer first."""
    return min(winners, key=lambda seat: (seat - dealer) % seats)
