"""The legal moves of Namto, in the rulebook's order (rules page `docs/rules/namto.md`, NT8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fudaba_games.namto.judging import min_bet
from fudaba_games.namto.state import NamtoState
from fudaba_games.namto.values import BETS, CALL, FOLD, PHASE_BETTING, NamtoMove

CALLING: Final[tuple[NamtoMove, ...]] = (FOLD, CALL)


def legal_moves(state: NamtoState) -> Sequence[NamtoMove]:
    """Returns folding, then betting from the lowest bet to the highest, or calling."""
    if state.phase == PHASE_BETTING:
        return (FOLD, *BETS[min_bet(state) : state.max_bet + 1])
    return CALLING
