"""A sensible way to play Makhop: lay many cards at a time, and leave roads on which the rest of the hand fits.

It counts and never samples: a decision takes about a millisecond, and the same view gives the same move.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from fudaba_games.kamikisen.cards import BIT_OF, without
from fudaba_games.makhop.moves import lays_of
from fudaba_games.makhop.sums import FREE, VALUE_OF_CARD, VALUED, sums_asked_for, wanted
from fudaba_games.makhop.values import Clear, Extend, MakhopMove, MakhopView, Open

__all__ = ["choose_sensible", "turns_needed"]

MAX_MOVES_COMPARED: Final = 300
"""The number of legal moves that it compares. From a longer list it takes evenly spread moves."""

NO_ROAD_COST_TURNS: Final = 0.2
"""The number of extra turns until a road fits, if none does."""


def choose_sensible(view: MakhopView, seat: int, legal_moves: Sequence[MakhopMove]) -> MakhopMove:  # noqa: ARG001 - the view is the seat's
    """Returns a sensible move, always the same one for the same view."""
    if len(legal_moves) == 1:
        return legal_moves[0]
    step = -(-len(legal_moves) // MAX_MOVES_COMPARED)
    looked_at = list(legal_moves) if step == 1 else [legal_moves[0], *legal_moves[1::step]]
    asked = [wanted(road) for road in view.roads]
    return min(looked_at, key=lambda move: _cost(view.hand, asked, move))


def _cost(hand: int, asked: list[int], move: MakhopMove) -> float:
    """Returns roughly the number of turns that a hand still needs after a move. A move that empties it costs least."""
    if isinstance(move, Open):
        return turns_needed(hand, asked)
    if isinstance(move, Clear):
        rest = without(hand, 1 << BIT_OF[move.card])
        return turns_needed(rest, []) if rest else -100.0
    rest = without(hand, move.cards)
    if not rest:
        return -100.0
    left = asked[:]
    left[move.road] = VALUE_OF_CARD[move.end]
    if not isinstance(move, Extend):
        del left[move.other_road]
    return turns_needed(rest, left)


def turns_needed(hand: int, asked: Sequence[int]) -> float:
    """Returns roughly the number of turns needed to lay a hand if roads ask for these sums, or for any card (`FREE`).

    As many cards as fit at once are laid next, then each card takes a turn, since roads change until then. A ship, king
    or emperor takes its own turn, whatever is on the table.
    """
    valued = hand & VALUED
    alone = (hand ^ valued).bit_count()
    if not valued:
        return float(alone)
    single, pairs = sums_asked_for(asked)
    next_time = most_cards(valued, single | pairs, FREE in asked)
    count = valued.bit_count()
    if next_time:
        return alone + 1.0 + count - next_time
    return alone + count + NO_ROAD_COST_TURNS


@lru_cache(maxsize=1 << 14)
def most_cards(valued: int, sums: int, free: bool) -> int:
    """Returns how many of some value cards fit at once on roads, or on pairs of roads, that ask for sums (a mask)."""
    lays = lays_of(valued)
    fitting = [choice.bit_count() for choice, total in zip(lays.choices, lays.totals, strict=True) if sums >> total & 1]
    return max(fitting, default=1 if free else 0)
