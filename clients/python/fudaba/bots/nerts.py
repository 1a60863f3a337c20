"""A sensible way to play Nerts: the Nerts pile first, then points, then room; the stock if there is nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fudaba_games.nerts.cards import FITS, RANK_COUNT
from fudaba_games.nerts.scoring import deal_scores
from fudaba_games.nerts.values import (
    FIRST_WORK,
    NERTS_TOP,
    Build,
    Call,
    Flip,
    Found,
    NertsMove,
    NertsView,
    Recycle,
    SeatView,
    Shift,
    Tuck,
    Wait,
)

WAITING_WORTH: Final = 0.0
FLIPPING_WORTH: Final = 1.0
AIMLESS_WORTH: Final = -1.0
"""Moves that only go back and forth, or fill room that has a better use."""
MAX_GAINLESS_TICKS: Final = 24
"""The number of ticks without a gain after which a seat that has gone through its stock waits for the stocks to be
turned.
"""


def choose_sensible(view: NertsView, seat: int, legal_moves: Sequence[NertsMove]) -> NertsMove:
    """Returns a legal move of `seat`, whose view is given."""
    return max(legal_moves, key=lambda move: _worth(view, seat, move))


def _worth(view: NertsView, seat: int, move: NertsMove) -> float:
    if isinstance(move, Call):
        return 100.0 if _leads(view, seat) else 2.0
    if isinstance(move, Flip | Recycle):
        # In real time `idle` counts movements, and those of all seats.
        patience = MAX_GAINLESS_TICKS * len(view.seats) if view.idle > view.tick else MAX_GAINLESS_TICKS
        return AIMLESS_WORTH if view.idle > patience else FLIPPING_WORTH
    return WAITING_WORTH if isinstance(move, Wait) else _worth_on_the_table(view.seats[seat], move)


def _worth_on_the_table(own: SeatView, move: Found | Build | Shift | Tuck) -> float:
    if isinstance(move, Found):
        return _worth_of_found(own, move)
    if isinstance(move, Tuck):
        return 42.0
    if isinstance(move, Build):
        return _worth_of_build(own, move)
    return _worth_of_shift(own, move)


def _leads(view: NertsView, seat: int) -> bool:
    """Returns whether calling now wins the deal, or at least leaves nothing to wait for."""
    results = deal_scores(
        [seat_view.founded for seat_view in view.seats], [seat_view.nerts_size for seat_view in view.seats]
    )
    return results[seat] == max(results)


def _worth_of_found(own: SeatView, move: Found) -> float:
    if move.source == NERTS_TOP:
        return 60.0
    if move.source < FIRST_WORK:
        return 30.0
    # A card of a work pile scores, and a pile that it leaves empty takes the next card of the Nerts pile.
    return 50.0 if len(own.work_piles[move.source - FIRST_WORK]) == 1 else 35.0


def _worth_of_build(own: SeatView, move: Build) -> float:
    onto_card = bool(own.work_piles[move.work])
    if move.source == NERTS_TOP:
        return 45.0 if onto_card else 40.0
    if onto_card:
        # From the waste only what makes a place for the Nerts pile's top, or at least takes no room.
        return 20.0 if own.nerts_size and FITS[own.nerts_top] >> own.waste_top & 1 else 4.0
    return 10.0 if not own.nerts_size else AIMLESS_WORTH


def _worth_of_shift(own: SeatView, move: Shift) -> float:
    pile = own.work_piles[move.from_work]
    if move.count == len(pile):
        return 25.0 if own.nerts_size or own.waste_size else AIMLESS_WORTH
    if not own.work_piles[move.to_work]:
        return AIMLESS_WORTH
    left = pile[-move.count - 1]
    if own.nerts_size and FITS[own.nerts_top] >> left & 1 and not FITS[own.nerts_top] >> pile[-1] & 1:
        return 15.0
    return AIMLESS_WORTH if left % RANK_COUNT else 3.0
