"""High Card (ハイカード): two seats, three rounds a deal, the higher card wins. Rules: `high_card.md`.

The values that a bot gets and returns. A card is a number 1-12.
"""

from __future__ import annotations

from high_card.values import (
    NO_CARD,
    Compared,
    DealEnded,
    Dealt,
    HighCardEvent,
    HighCardMove,
    HighCardView,
    Pass,
    Play,
    Received,
)

__all__ = [
    "NO_CARD",
    "Compared",
    "DealEnded",
    "Dealt",
    "HighCardEvent",
    "HighCardMove",
    "HighCardView",
    "Pass",
    "Play",
    "Received",
]
