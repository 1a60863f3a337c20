"""Piles of Numbers Crush whose cards are known."""

from __future__ import annotations

from fudaba_games.numbers_crush.state import NumbersCrushState

STOCK = "2C 3C 4C 2D 3D 4D 2H 3H 4H"
BIG, OTHER, THIRD, FOURTH = "KC QD QC", "KS QS JS", "KH JH 9S", "KD JD JC"
"""Hands that are too big to add up to a base."""


def drawn(state: NumbersCrushState, seat: int) -> int:
    return state.hands[seat].bit_count()
