"""Makhop (値木): two to six seats, sums on roads. Rules: `docs/rules/makhop.md`.

The values that a bot gets and returns. Cards in any number are masks of `fudaba_games.kamikisen.cards`; a road is a
tuple of cards, of which the last is its end. `lays_of` lists what a hand can lay, with its sums; `wanted` and
`wanted_together` say which sums roads ask for; `laid_in_order` says how a road continues.
"""

from __future__ import annotations

from fudaba_games.makhop.moves import Lays, lays_of
from fudaba_games.makhop.sums import FREE, VALUE_OF_CARD, VALUED, laid_in_order, sum_of, wanted, wanted_together
from fudaba_games.makhop.values import (
    Clear,
    Cleared,
    DealEnded,
    Dealt,
    Extend,
    Extended,
    Join,
    Joined,
    MakhopEvent,
    MakhopMove,
    MakhopView,
    Open,
    Opened,
    Received,
    Reshuffled,
    Road,
    Turned,
)

__all__ = [
    "FREE",
    "VALUED",
    "VALUE_OF_CARD",
    "Clear",
    "Cleared",
    "DealEnded",
    "Dealt",
    "Extend",
    "Extended",
    "Join",
    "Joined",
    "Lays",
    "MakhopEvent",
    "MakhopMove",
    "MakhopView",
    "Open",
    "Opened",
    "Received",
    "Reshuffled",
    "Road",
    "Turned",
    "laid_in_order",
    "lays_of",
    "sum_of",
    "wanted",
    "wanted_together",
]
