"""Makkaik (値戦): two to six seats, exchange and betting with the Kamikisen deck. Rules: `docs/rules/makkaik.md`.

The values that a bot gets and returns. A card is a number, cards are masks of `fudaba_games.kamikisen.cards`.
`best_meld` finds the best meld of a hand with the public cards; `showdown_key` and `winners_of` decide which hand wins.
"""

from __future__ import annotations

from fudaba_games.makkaik.showdown import BestMeld, Category, best_meld, showdown_key, winners_of
from fudaba_games.makkaik.values import (
    BaseNamed,
    BettingBegan,
    DealEnded,
    DealerChanged,
    Dealt,
    Draw,
    Drew,
    Exchange,
    Fold,
    Folded,
    Keep,
    Kept,
    MakkaikEvent,
    MakkaikMove,
    MakkaikView,
    Phase,
    Received,
    Saw,
    Showdown,
    ShownHand,
    Stay,
    Stayed,
    Swap,
    Swapped,
)

__all__ = [
    "BaseNamed",
    "BestMeld",
    "BettingBegan",
    "Category",
    "DealEnded",
    "DealerChanged",
    "Dealt",
    "Draw",
    "Drew",
    "Exchange",
    "Fold",
    "Folded",
    "Keep",
    "Kept",
    "MakkaikEvent",
    "MakkaikMove",
    "MakkaikView",
    "Phase",
    "Received",
    "Saw",
    "Showdown",
    "ShownHand",
    "Stay",
    "Stayed",
    "Swap",
    "Swapped",
    "best_meld",
    "showdown_key",
    "winners_of",
]
