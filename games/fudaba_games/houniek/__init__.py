"""Houniek (軟連): two to four seats, shedding on a circle of kinds. Rules: `docs/rules/houniek.md`.

The values that a bot gets and returns. Cards are masks of `fudaba_games.kamikisen.cards`; a foot is a place on the
circle of kinds (`PLACE_LETTERS`). `melds_of` lists the melds that cards can be; `beats` and `outdoes` say which meld
may be laid on another.
"""

from __future__ import annotations

from fudaba_games.houniek.circle import PLACE_LETTERS, PLACE_NAMES, beats
from fudaba_games.houniek.melds import Meld, colours_of, melds_of, outdoes
from fudaba_games.houniek.values import (
    DealEnded,
    Dealt,
    HouniekEvent,
    HouniekMove,
    HouniekView,
    Laid,
    Lay,
    Pass,
    Passed,
    Received,
    RoundBegan,
)

__all__ = [
    "PLACE_LETTERS",
    "PLACE_NAMES",
    "DealEnded",
    "Dealt",
    "HouniekEvent",
    "HouniekMove",
    "HouniekView",
    "Laid",
    "Lay",
    "Meld",
    "Pass",
    "Passed",
    "Received",
    "RoundBegan",
    "beats",
    "colours_of",
    "melds_of",
    "outdoes",
]
