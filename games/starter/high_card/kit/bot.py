"""The sensible way to play High Card."""

from __future__ import annotations

from collections.abc import Sequence

from high_card.turns import DECK, ROUNDS_PER_DEAL
from high_card.values import HighCardMove, HighCardView, Play


def choose_sensible(view: HighCardView, seat: int, legal_moves: Sequence[HighCardMove]) -> HighCardMove:  # noqa: ARG001
    """Plays the lowest card that beats most cards that the other seat may hold, and in the last round the highest."""
    cards = [move for move in legal_moves if isinstance(move, Play)]
    if len(view.played) // 2 == ROUNDS_PER_DEAL - 1:
        return max(cards, key=lambda move: move.card)
    unseen = [card for card in DECK if card not in view.hand and card not in view.played]
    good = [move for move in cards if sum(card < move.card for card in unseen) * 3 > len(unseen) * 2]
    return min(good or cards, key=lambda move: move.card)
