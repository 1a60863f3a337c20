"""Tashot (終季): two to six seats, drawing, discarding and calling with the Kamikisen deck.

Rules: `docs/rules/tashot.md`. The values that a bot gets and returns. Cards are those of
`fudaba_games.kamikisen.cards`, melds those of `fudaba_games.kamikisen.melds`; `fudaba_games.tashot.shapes` decides
which hands win and what they pay.
"""

from __future__ import annotations

from fudaba_games.tashot.shapes import Points, Shape, payments, points_of, shape_of
from fudaba_games.tashot.values import (
    Call,
    DealEnded,
    Dealt,
    Decline,
    Discard,
    Discarded,
    Four,
    Opened,
    OpenMeld,
    Phase,
    Received,
    TashotEvent,
    TashotMove,
    TashotView,
    TurnBegan,
    Win,
    Won,
)

__all__ = [
    "Call",
    "DealEnded",
    "Dealt",
    "Decline",
    "Discard",
    "Discarded",
    "Four",
    "OpenMeld",
    "Opened",
    "Phase",
    "Points",
    "Received",
    "Shape",
    "TashotEvent",
    "TashotMove",
    "TashotView",
    "TurnBegan",
    "Win",
    "Won",
    "payments",
    "points_of",
    "shape_of",
]
