"""The payments of a deal of Mokkaik (rules page `docs/rules/mokkaik.md`, MO5)."""

from __future__ import annotations

from typing import Final

from fudaba_games.kamikisen.scoring import paid_to

PRICE_POINTS: Final = 6
"""The points that a loser without public cards pays."""


def payments(winner: int, public_counts: tuple[int, ...], dealer: int, multiplier: int) -> tuple[int, ...]:
    """Returns the score of a deal, one entry for each seat (MO5.2 and MO5.3).

    Each loser pays the winner 6 minus the number of its own public cards. What the dealer pays or receives is
    multiplied.
    """
    return paid_to(winner, [PRICE_POINTS - count for count in public_counts], dealer, multiplier)
