"""Mokkaik (行戦): two to six seats, tricks of melds with the Kamikisen deck. Rules: `docs/rules/mokkaik.md`.

The values that a bot gets and returns. Cards are masks of `fudaba_games.kamikisen.cards`, melds those of
`fudaba_games.kamikisen.melds`; `fudaba_games.mokkaik.scoring.payments` computes what a deal costs.
"""

from __future__ import annotations

from fudaba_games.mokkaik.scoring import payments
from fudaba_games.mokkaik.turns import hand_size
from fudaba_games.mokkaik.values import (
    DealEnded,
    Dealt,
    Discard,
    Discarded,
    Laid,
    Lay,
    MokkaikEvent,
    MokkaikMove,
    MokkaikView,
    Received,
    RoundWon,
)

__all__ = [
    "DealEnded",
    "Dealt",
    "Discard",
    "Discarded",
    "Laid",
    "Lay",
    "MokkaikEvent",
    "MokkaikMove",
    "MokkaikView",
    "Received",
    "RoundWon",
    "hand_size",
    "payments",
]
