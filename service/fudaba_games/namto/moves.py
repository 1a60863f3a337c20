"""The legal moves of Namto, and which are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fudaba_games.game import IllegalMove
from fudaba_games.namto.state import MOST_SEATS, NamtoState
from fudaba_games.namto.values import Fold, Match, NamtoMove, Phase, Raise

MOST_STACK: Final = 1000
HIGHEST_RAISE: Final = MOST_SEATS * MOST_STACK // 2
"""Nobody can bet more than half of all the points, since another seat has to be able to pay as much."""

FOLD: Final = Fold()
MATCH: Final = Match()
RAISES: Final = tuple(Raise(points) for points in range(HIGHEST_RAISE + 1))
"""By points."""
MATCHING: Final[tuple[NamtoMove, ...]] = (FOLD, MATCH)

_KINDS: Final[dict[type[object], str]] = {Fold: "fold", Raise: "raise", Match: "match"}
MOVE_KINDS: Final = tuple(_KINDS.values())
_BETTING: Final = int(Phase.BETTING)


def move_kind(move: NamtoMove) -> str:
    """The kind of a move."""
    return _KINDS[type(move)]


def legal_moves(state: NamtoState) -> Sequence[NamtoMove]:
    """Folding, then raising from the lowest bet to the highest, or matching."""
    if state.phase == _BETTING:
        return (FOLD, *RAISES[least_raise(state) : state.most + 1])
    return MATCHING


def least_raise(state: NamtoState) -> int:
    """What has to be bet at least: as much as was bet last in the round, and never nothing."""
    return state.last or 1


def check_move(state: NamtoState, move: NamtoMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for the seat to move (rules page, NT3 and NT4)."""
    betting = state.phase == _BETTING
    if isinstance(move, Raise):
        if not betting:
            raise IllegalMove("WRONG_KIND_OF_MOVE", "`raise` is not due now; fold, or match the highest bet")
        least = least_raise(state)
        if move.points < least:
            raise IllegalMove("RAISE_TOO_LOW", f"{move.points} is too little; raise {least} to {state.most}, or fold")
        if move.points > state.most:
            raise IllegalMove(
                "RAISE_TOO_HIGH",
                f"{move.points} is too much: a seat that is in had only {state.most} when the round began; "
                f"raise {least} to {state.most}, or fold",
            )
    elif isinstance(move, Match) and betting:
        raise IllegalMove("WRONG_KIND_OF_MOVE", "`match` is not due now; fold or raise")
