"""Scoring of Nerts: what a deal scores, and what a match scores (rules page, NE8 and NE9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fudaba_games.nerts.cards import CARDS, NERTS_PILE_CARDS

POINTS_LOST_PER_CARD: Final = 2
"""The points that each card left in the Nerts pile costs."""
MAX_DEAL_POINTS: Final = CARDS
"""The most points that a seat can score in a deal: all its cards are on the foundations."""
MIN_DEAL_POINTS: Final = -POINTS_LOST_PER_CARD * NERTS_PILE_CARDS
"""The fewest points: the whole Nerts pile is left, and nothing is on the foundations."""


def deal_scores(founded: Sequence[int], left: Sequence[int]) -> tuple[int, ...]:
    """Returns the score of a deal, by seat: one point for each card on the foundations, minus two for each card in the
    Nerts pile.
    """
    return tuple([cards - POINTS_LOST_PER_CARD * rest for cards, rest in zip(founded, left, strict=True)])


def match_scores(totals: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the score of a match: each winner gets from each other seat the difference of their totals.

    Several winners share: each gets from each other seat the difference divided by the number of winners, rounded down.
    """
    best = max(totals)
    winners = totals.count(best)
    paid = [(best - total) // winners for total in totals]
    return tuple([sum(paid) if total == best else -winners * each for total, each in zip(totals, paid, strict=True)])


def most_that_is_lost(totals: Sequence[int], seat: int, target: int, deals_left: int) -> int:
    """Returns the most points that a seat can still lose in a match that is not over. `deals_left` includes the deal in
    progress.
    """
    others = max([total for index, total in enumerate(totals) if index != seat])
    # A match ends with the deal in which somebody gets over the target.
    best = min(others + MAX_DEAL_POINTS * deals_left, (target or max(others, 0)) + MAX_DEAL_POINTS)
    return best - (totals[seat] + MIN_DEAL_POINTS * deals_left)
