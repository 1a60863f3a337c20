"""Decides which moves are legal, and why the others are not. It needs no list of legal moves, and never makes one."""

from __future__ import annotations

from fudaba_games.game import IllegalMove
from high_card.state import HighCardState
from high_card.values import HighCardMove, Play


def check_move(state: HighCardState, seat: int, move: HighCardMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
    if isinstance(move, Play) and move.card not in state.hands[seat]:
        held = ", ".join(map(str, state.hands[seat]))
        raise IllegalMove("CARD_NOT_IN_HAND", f"your hand has no {move.card}; it has {held}; play one of them, or pass")
