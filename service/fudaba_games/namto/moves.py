"""The legal moves of Namto, in the rulebook's order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fudaba_games.namto.judging import least_raise
from fudaba_games.namto.state import NamtoState
from fudaba_games.namto.values import FOLD, MATCH, RAISES, NamtoMove, Phase

MATCHING: Final[tuple[NamtoMove, ...]] = (FOLD, MATCH)

_BETTING: Final = int(Phase.BETTING)


def legal_moves(state: NamtoState) -> Sequence[NamtoMove]:
    """Folding, then raising from the lowest bet to the highest, or matching."""
    if state.phase == _BETTING:
        return (FOLD, *RAISES[least_raise(state) : state.most + 1])
    return MATCHING
