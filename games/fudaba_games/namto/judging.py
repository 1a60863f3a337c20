"""Decides which moves of Namto are legal, and why the others are not (rules page `docs/rules/namto.md`, NT3 and
NT4).
"""

from __future__ import annotations

from fudaba_games.game import IllegalMove
from fudaba_games.namto.state import NamtoState
from fudaba_games.namto.values import PHASE_BETTING, Bet, Call, NamtoMove


def min_bet(state: NamtoState) -> int:
    """Returns the lowest allowed bet: the last bet of the round, or 1."""
    return state.last or 1


def check_move(state: NamtoState, move: NamtoMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for the seat to move."""
    betting = state.phase == PHASE_BETTING
    if isinstance(move, Bet):
        if not betting:
            raise IllegalMove("WRONG_KIND_OF_MOVE", "`bet` is not due now; fold, or call the highest bet")
        least = min_bet(state)
        if move.points < least:
            raise IllegalMove("BET_TOO_LOW", f"{move.points} is too little; bet {least} to {state.max_bet}, or fold")
        if move.points > state.max_bet:
            raise IllegalMove(
                "BET_TOO_HIGH",
                f"{move.points} is too much: a seat that is in had only {state.max_bet} when the round began; "
                f"bet {least} to {state.max_bet}, or fold",
            )
    elif isinstance(move, Call) and betting:
        raise IllegalMove("WRONG_KIND_OF_MOVE", "`call` is not due now; fold or bet")
