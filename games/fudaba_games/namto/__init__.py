"""Namto (開樽): two to six seats, betting on hidden and shared Kamikisen cards. Rules: `docs/rules/namto.md`.

The values that a bot gets and returns. A card is a number, and sets of cards are masks of
`fudaba_games.kamikisen.cards`. `best_melds` finds the melds of a hand with the shared cards; `worth_of` and
`winners_of` decide which hand wins.
"""

from __future__ import annotations

from fudaba_games.namto.melds import RANK_NAMES, BestMeld, Rank, best_melds, meld_of, winners_of, worth_of
from fudaba_games.namto.values import (
    Bet,
    BetMade,
    Call,
    Called,
    DealEnded,
    DealerChanged,
    Dealt,
    Fold,
    Folded,
    NamtoEvent,
    NamtoMove,
    NamtoView,
    Opened,
    Phase,
    Received,
    Showdown,
    ShownHand,
)

__all__ = [
    "RANK_NAMES",
    "BestMeld",
    "Bet",
    "BetMade",
    "Call",
    "Called",
    "DealEnded",
    "DealerChanged",
    "Dealt",
    "Fold",
    "Folded",
    "NamtoEvent",
    "NamtoMove",
    "NamtoView",
    "Opened",
    "Phase",
    "Rank",
    "Received",
    "Showdown",
    "ShownHand",
    "best_melds",
    "meld_of",
    "winners_of",
    "worth_of",
]
