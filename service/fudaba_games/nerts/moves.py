"""The legal moves of a seat: all of them in the rulebook's order, one by chance, and why others are none."""

from __future__ import annotations

from typing import Final

from fudaba_games.game import IllegalMove
from fudaba_games.nerts.cards import BITS, CARD_TEXTS, EMPTY, FITS, NO_CARD, RANKS, WORKS
from fudaba_games.nerts.layout import (
    BUILDING,
    CALLING,
    FLIPPING,
    FOUNDING,
    MOVE_KINDS,
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
    NERTS_TOP,
    RECYCLE,
    SHIFTS,
    SOURCES,
    TUCKS,
    WAIT,
    WASTE_TOP,
    Build,
    Call,
    Flip,
    Found,
    NertsMove,
    Recycle,
    Shift,
    Tuck,
    Wait,
)

KINDS: Final = tuple(
    tuple(kind for kind in (1 << bit for bit in range(len(MOVE_KINDS))) if kinds & kind)
    for kinds in range(1 << len(MOVE_KINDS))
)
"""By mask of kinds: its bits, one by one."""
_NAMES: Final = {1 << bit: name for bit, name in enumerate(MOVE_KINDS)}
_SINGLE: Final[dict[int, NertsMove]] = {WAITING: WAIT, FLIPPING: FLIP, RECYCLING: RECYCLE, CALLING: CALL}
"""The kinds that have one move."""


def kinds_of(state: NertsState, seat: int) -> int:
    """The mask of the kinds of move that a seat has."""
    layout = state.layouts[seat]
    return layout.kinds | FOUNDING if layout.reach & state.wanted else layout.kinds


def legal_moves(state: NertsState, seat: int) -> list[NertsMove]:
    """All of them: by kind, then by the card that is moved (of a block the first one), then by where it goes."""
    moves: list[NertsMove] = []
    for kind in KINDS[kinds_of(state, seat)]:
        moves += of_kind(state, seat, kind)
    return moves


def legal_kinds(state: NertsState, seat: int) -> list[tuple[str, int]]:
    """The kinds of the legal moves, with how many there are of each."""
    return [
        (_NAMES[kind], 1 if kind in _SINGLE else len(of_kind(state, seat, kind)))
        for kind in KINDS[kinds_of(state, seat)]
    ]


def of_kind(state: NertsState, seat: int, kind: int) -> list[NertsMove]:
    """The legal moves of a kind that has some."""
    layout = state.layouts[seat]
    if kind == SHIFTING:
        return _shifts(layout)
    if kind == FOUNDING:
        return _founds(state, layout)
    if kind == BUILDING:
        return _builds(layout)
    if kind == TUCKING:
        top = layout.nerts[-1]
        return [TUCKS[at] for at, work in enumerate(layout.works) if work and FITS[work[0]] >> top & 1]
    return [_SINGLE[kind]]


def _source(layout: Layout, card: int) -> int:
    """Where a card is that can be played to a foundation."""
    if layout.nerts and layout.nerts[-1] == card:
        return NERTS_TOP
    if layout.waste and layout.waste[-1] == card:
        return WASTE_TOP
    for at, work in enumerate(layout.works):
        if work and work[-1] == card:
            return FIRST_WORK + at
    raise AssertionError("the card is in reach")


def random_of_kind(state: NertsState, seat: int, kind: int, drawn: float) -> NertsMove:
    """One of the legal moves of a kind that has some, by a number drawn from 0 to below 1."""
    if kind == SHIFTING:
        return _random_shift(state.layouts[seat], drawn)
    if kind == BUILDING:
        return _random_build(state.layouts[seat], drawn)
    found = of_kind(state, seat, kind)
    return found[int(drawn * len(found))]


def _random_shift(layout: Layout, drawn: float) -> NertsMove:
    """The block is drawn first, then the work pile."""
    starts = layout.starts
    drawn *= starts.bit_count()
    for _ in range(int(drawn)):
        starts &= starts - 1
    card = (starts & -starts).bit_length() - 1
    start, at = _start_of(layout, card)
    onto = FITS[card] if at else FITS[card] & ~BITS[EMPTY]
    return SHIFTS[start][len(layout.works[start]) - at][_fitting(layout, onto, int(drawn % 1 * WORKS))]


def _random_build(layout: Layout, drawn: float) -> NertsMove:
    """The card is drawn first, then the work pile."""
    nerts = FITS[layout.nerts[-1]] if layout.nerts else 0
    waste = FITS[layout.waste[-1]] if layout.waste else 0
    drawn *= 2
    if nerts & layout.lasts and (drawn < 1 or not waste & layout.lasts):
        return BUILDS[NERTS_TOP][_fitting(layout, nerts, int(drawn % 1 * WORKS))]
    return BUILDS[WASTE_TOP][_fitting(layout, waste, int(drawn % 1 * WORKS))]


def _fitting(layout: Layout, onto: int, work: int) -> int:
    """The first work pile, from a drawn one on, whose last card is in a mask; there is one."""
    ends = layout.ends
    while not onto >> ends[work] & 1:
        work = (work + 1) % WORKS
    return work


def _founds(state: NertsState, layout: Layout) -> list[NertsMove]:
    moves: list[NertsMove] = []
    cards = layout.reach & state.wanted
    while cards:
        low = cards & -cards
        cards ^= low
        card = low.bit_length() - 1
        by_pile = FOUNDS[_source(layout, card)]
        piles = state.accept[card]
        while piles:
            low = piles & -piles
            piles ^= low
            moves.append(by_pile[low.bit_length() - 1])
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
        by_work = SHIFTS[start][len(layout.works[start]) - at]
        moves += [by_work[to] for to, last in enumerate(layout.ends) if onto >> last & 1]
    return moves


def _start_of(layout: Layout, card: int) -> tuple[int, int]:
    """In which work pile a card lies, and where in it."""
    works, start = layout.works, 0
    while (at := works[start].find(card)) < 0:
        start += 1
    return start, at


def check(state: NertsState, seat: int, move: NertsMove) -> None:
    """Raises `IllegalMove` unless a seat may make this move."""
    layout = state.layouts[seat]
    if isinstance(move, Found):
        _check_found(state, layout, move)
    elif isinstance(move, Build):
        _check_build(layout, move)
    elif isinstance(move, Shift):
        _check_shift(layout, move)
    elif isinstance(move, Tuck):
        _check_tuck(layout, move)
    else:
        _check_plain(layout, move)


def _check_plain(layout: Layout, move: Wait | Flip | Recycle | Call) -> None:
    """The moves that are about no single card."""
    if isinstance(move, Flip):
        if not layout.stock:
            raise IllegalMove("STOCK_EMPTY", "your stock is empty; `recycle` makes the waste the stock again")
    elif isinstance(move, Recycle):
        if layout.stock:
            raise IllegalMove("STOCK_NOT_EMPTY", f"your stock has {len(layout.stock)} cards; `flip` them first")
        if not layout.waste:
            raise IllegalMove("WASTE_EMPTY", "stock and waste are both empty; there is nothing to turn over")
    elif isinstance(move, Call) and layout.nerts:
        raise IllegalMove("NERTS_PILE_NOT_EMPTY", f"your Nerts pile has {len(layout.nerts)} cards; call without any")


def _card_at(layout: Layout, source: int, sources: int) -> int:
    """The card of a source. Raises `IllegalMove`."""
    if not 0 <= source < sources:
        raise IllegalMove("NO_SUCH_SOURCE", f"there is no source {source}; a card comes from 0 to {sources - 1}")
    if source == NERTS_TOP:
        pile, name = layout.nerts, "Nerts pile"
    elif source == WASTE_TOP:
        pile, name = layout.waste, "waste"
    else:
        pile, name = layout.works[source - FIRST_WORK], f"work pile {source - FIRST_WORK}"
    if not pile:
        raise IllegalMove("SOURCE_EMPTY", f"your {name} is empty")
    return pile[-1]


def _check_work(work: int) -> None:
    if not 0 <= work < WORKS:
        raise IllegalMove("NO_SUCH_WORK_PILE", f"there is no work pile {work}; work piles are 0 to 3")


def _check_found(state: NertsState, layout: Layout, move: Found) -> None:
    card = _card_at(layout, move.source, SOURCES)
    piles = len(state.piles)
    if not 0 <= move.pile <= piles:
        raise IllegalMove("NO_SUCH_FOUNDATION", f"there is no foundation {move.pile}; an ace starts {piles}")
    if state.accept[card] >> move.pile & 1:
        return
    if card % RANKS == 0:
        raise IllegalMove("ACE_STARTS_A_FOUNDATION", f"an ace starts a new foundation, which is {piles}")
    if move.pile == piles:
        raise IllegalMove("ONLY_AN_ACE_STARTS", f"only an ace starts a foundation, not {CARD_TEXTS[card]}")
    height = len(state.piles[move.pile])
    top = CARD_TEXTS[RANKS * state.suits[move.pile] + height - 1]
    raise IllegalMove("DOES_NOT_FOLLOW", f"{CARD_TEXTS[card]} does not follow {top} on foundation {move.pile}")


def _check_onto(layout: Layout, card: int, work: int) -> None:
    """Whether a card, or a block that begins with it, may go onto a work pile."""
    pile = layout.works[work]
    if pile and not FITS[card] >> pile[-1] & 1:
        raise IllegalMove(
            "DOES_NOT_FIT",
            f"{CARD_TEXTS[card]} does not go onto {CARD_TEXTS[pile[-1]]}: it has to be one lower, of the other colour",
        )


def _check_build(layout: Layout, move: Build) -> None:
    card = _card_at(layout, move.source, FIRST_WORK)
    _check_work(move.work)
    _check_onto(layout, card, move.work)


def _check_shift(layout: Layout, move: Shift) -> None:
    _check_work(move.start)
    _check_work(move.work)
    if move.start == move.work:
        raise IllegalMove("SAME_PILE", "a block moves to another work pile")
    pile = layout.works[move.start]
    if not 1 <= move.count <= len(pile):
        raise IllegalMove(
            "NO_SUCH_BLOCK", f"work pile {move.start} has {len(pile)} cards; a block is 1 or more of them"
        )
    if move.count == len(pile) and not layout.works[move.work]:
        raise IllegalMove("PILE_TO_EMPTY", "a whole pile does not move to an empty one: that would change nothing")
    _check_onto(layout, pile[-move.count], move.work)


def _check_tuck(layout: Layout, move: Tuck) -> None:
    _check_work(move.work)
    if not layout.nerts:
        raise IllegalMove("SOURCE_EMPTY", "your Nerts pile is empty")
    if all(layout.works):
        raise IllegalMove("NO_EMPTY_PILE", "a card is tucked only while some work pile is empty")
    pile = layout.works[move.work]
    if not pile:
        raise IllegalMove("NOTHING_TO_TUCK_UNDER", f"work pile {move.work} is empty; `build` lays a card there")
    top = layout.nerts[-1]
    if not FITS[pile[0]] >> top & 1:
        raise IllegalMove(
            "DOES_NOT_FIT",
            f"{CARD_TEXTS[top]} does not go under {CARD_TEXTS[pile[0]]}: it has to be one higher, of the other colour",
        )
