"""The legal moves of a seat: all of them in order, or a random one (rules page `docs/rules/nerts.md`, NE10.2)."""

from __future__ import annotations

from typing import Final

from fudaba_games.nerts.cards import BITS, EMPTY, FITS, NO_CARD, WORKS_PER_SEAT
from fudaba_games.nerts.layout import (
    BUILDING,
    CALLING,
    FLIPPING,
    FOUNDING,
    RECYCLING,
    SHIFTING,
    TUCKING,
    WAITING,
    Layout,
)
from fudaba_games.nerts.state import NertsState
from fudaba_games.nerts.values import (
    BUILDS,
    CALL,
    FIRST_WORK,
    FLIP,
    FOUNDS,
    MOVE_KINDS,
    NERTS_TOP,
    RECYCLE,
    SHIFTS,
    TUCKS,
    WAIT,
    WASTE_TOP,
    NertsMove,
)

KINDS: Final = tuple(
    tuple(kind for kind in (1 << bit for bit in range(len(MOVE_KINDS))) if kinds & kind)
    for kinds in range(1 << len(MOVE_KINDS))
)
"""For each mask of kinds, its bits, one by one."""
_NAMES: Final = {1 << bit: name for bit, name in enumerate(MOVE_KINDS)}
_SINGLE: Final[dict[int, NertsMove]] = {WAITING: WAIT, FLIPPING: FLIP, RECYCLING: RECYCLE, CALLING: CALL}
"""The kinds that have a single move."""


def kinds_of(state: NertsState, seat: int) -> int:
    """Returns the mask of the kinds of move that a seat has."""
    layout = state.layouts[seat]
    return layout.kinds | FOUNDING if layout.reach & state.wanted else layout.kinds


def legal_moves(state: NertsState, seat: int) -> list[NertsMove]:
    """Returns all legal moves: by kind, then by the card that moves (the first of a block), then by its destination."""
    moves: list[NertsMove] = []
    for kind in KINDS[kinds_of(state, seat)]:
        moves += of_kind(state, seat, kind)
    return moves


def legal_kinds(state: NertsState, seat: int) -> list[tuple[str, int]]:
    """Returns the kinds of the legal moves, with the number of each."""
    return [
        (_NAMES[kind], 1 if kind in _SINGLE else len(of_kind(state, seat, kind)))
        for kind in KINDS[kinds_of(state, seat)]
    ]


def of_kind(state: NertsState, seat: int, kind: int) -> list[NertsMove]:
    """Returns the legal moves of a kind that has at least one."""
    layout = state.layouts[seat]
    if kind == SHIFTING:
        return _shifts(layout)
    if kind == FOUNDING:
        return _founds(state, layout)
    if kind == BUILDING:
        return _builds(layout)
    if kind == TUCKING:
        top = layout.nerts[-1]
        return [TUCKS[at] for at, work in enumerate(layout.work_piles) if work and FITS[work[0]] >> top & 1]
    return [_SINGLE[kind]]


def _source(layout: Layout, card: int) -> int:
    """Returns the place of a card that can be played to a foundation."""
    if layout.nerts and layout.nerts[-1] == card:
        return NERTS_TOP
    if layout.waste and layout.waste[-1] == card:
        return WASTE_TOP
    for at, work in enumerate(layout.work_piles):
        if work and work[-1] == card:
            return FIRST_WORK + at
    raise AssertionError("the card is in reach")


def random_of_kind(state: NertsState, seat: int, kind: int, drawn: float) -> NertsMove:
    """Returns one of the legal moves of a kind that has at least one, by a number drawn from 0 up to, but not
    including, 1.
    """
    if kind == SHIFTING:
        return _random_shift(state.layouts[seat], drawn)
    if kind == BUILDING:
        return _random_build(state.layouts[seat], drawn)
    found = of_kind(state, seat, kind)
    return found[int(drawn * len(found))]


def _random_shift(layout: Layout, drawn: float) -> NertsMove:
    """Draws a shift. The block is drawn first, then the work pile."""
    starts = layout.starts
    drawn *= starts.bit_count()
    for _ in range(int(drawn)):
        starts &= starts - 1
    card = (starts & -starts).bit_length() - 1
    start, at = _start_of(layout, card)
    onto = FITS[card] if at else FITS[card] & ~BITS[EMPTY]
    return SHIFTS[start][len(layout.work_piles[start]) - at][_fitting(layout, onto, int(drawn % 1 * WORKS_PER_SEAT))]


def _random_build(layout: Layout, drawn: float) -> NertsMove:
    """Draws a build. The card is drawn first, then the work pile."""
    nerts = FITS[layout.nerts[-1]] if layout.nerts else 0
    waste = FITS[layout.waste[-1]] if layout.waste else 0
    drawn *= 2
    if nerts & layout.lasts and (drawn < 1 or not waste & layout.lasts):
        return BUILDS[NERTS_TOP][_fitting(layout, nerts, int(drawn % 1 * WORKS_PER_SEAT))]
    return BUILDS[WASTE_TOP][_fitting(layout, waste, int(drawn % 1 * WORKS_PER_SEAT))]


def _fitting(layout: Layout, onto: int, work: int) -> int:
    """Returns the first work pile, from a drawn one on, whose last card is in a mask. There is at least one."""
    ends = layout.ends
    while not onto >> ends[work] & 1:
        work = (work + 1) % WORKS_PER_SEAT
    return work


def _founds(state: NertsState, layout: Layout) -> list[NertsMove]:
    moves: list[NertsMove] = []
    cards = layout.reach & state.wanted
    while cards:
        low = cards & -cards
        cards ^= low
        card = low.bit_length() - 1
        by_foundation = FOUNDS[_source(layout, card)]
        onto = state.accept[card]
        while onto:
            low = onto & -onto
            onto ^= low
            moves.append(by_foundation[low.bit_length() - 1])
    return moves


def _builds(layout: Layout) -> list[NertsMove]:
    nerts = layout.nerts[-1] if layout.nerts else NO_CARD
    waste = layout.waste[-1] if layout.waste else NO_CARD
    moves: list[NertsMove] = []
    order = ((nerts, NERTS_TOP), (waste, WASTE_TOP)) if nerts < waste else ((waste, WASTE_TOP), (nerts, NERTS_TOP))
    for card, source in order:
        if card != NO_CARD:
            onto = FITS[card]
            moves += [BUILDS[source][at] for at, last in enumerate(layout.ends) if onto >> last & 1]
    return moves


def _shifts(layout: Layout) -> list[NertsMove]:
    moves: list[NertsMove] = []
    starts = layout.starts
    while starts:
        low = starts & -starts
        starts ^= low
        card = low.bit_length() - 1
        start, at = _start_of(layout, card)
        onto = FITS[card] if at else FITS[card] & ~BITS[EMPTY]
        by_work = SHIFTS[start][len(layout.work_piles[start]) - at]
        moves += [by_work[to] for to, last in enumerate(layout.ends) if onto >> last & 1]
    return moves


def _start_of(layout: Layout, card: int) -> tuple[int, int]:
    """Returns the work pile in which a card lies, and its position there."""
    works, start = layout.work_piles, 0
    while (at := works[start].find(card)) < 0:
        start += 1
    return start, at
