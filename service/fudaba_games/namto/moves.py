"""The legal moves of Namto, in the rulebook's order (rules page `docs/rules/namto.md`, NT8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fudaba_games.namto.judging import least_bet
from fudaba_games.namto.state import NamtoState
from fudaba_games.namto.values import BETS, FOLD, MATCH, PHASE_BETTING, NamtoMove

MATCHING: Final[tuple[NamtoMove, ...]] = (FOLD, MATCH)


def legal_moves(state: NamtoState) -> Sequence[NamtoMove]:
    """Folding, then betting from the lowest bet to the highest, or matching."""
    if state.phase == PHASE_BETTING:
        return (FOLD, *BETS[least_bet(state) : state.most + 1])
    return MATCHING
