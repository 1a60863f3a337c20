"""Naga (ナーガ): two seats, seven places, nine table cards. Rules: `docs/rules/naga.md`.

The values that a bot gets and returns, and functions that read its sets of cards (bit masks of the numbers 0-50 in deck
order). `fudaba_games.naga.hands` compares hands.
"""

from __future__ import annotations

from fudaba_games.cards import mask_of
from fudaba_games.naga.cards import CARD_TEXTS, ELTAM, PLACE_NAMES, PLACES, TRUMPS, cards_of, parse_cards, text_of
from fudaba_games.naga.values import (
    Battled,
    Commit,
    DealEnded,
    Dealt,
    Designate,
    Designated,
    NagaEvent,
    NagaMove,
    NagaView,
    Received,
)

__all__ = [
    "CARD_TEXTS",
    "ELTAM",
    "PLACES",
    "PLACE_NAMES",
    "TRUMPS",
    "Battled",
    "Commit",
    "DealEnded",
    "Dealt",
    "Designate",
    "Designated",
    "NagaEvent",
    "NagaMove",
    "NagaView",
    "Received",
    "cards_of",
    "mask_of",
    "parse_cards",
    "text_of",
]
