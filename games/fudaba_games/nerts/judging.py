"""Decides which moves of Nerts are legal, and why the others are not (rules page `docs/rules/nerts.md`, NE4, NE5 and
NE8.1).
"""

from __future__ import annotations

from fudaba_games.game import IllegalMove
from fudaba_games.nerts.cards import CARD_TEXTS, FITS, RANK_COUNT, WORKS_PER_SEAT
from fudaba_games.nerts.layout import Layout
from fudaba_games.nerts.state import NertsState
from fudaba_games.nerts.values import (
    FIRST_WORK,
    NERTS_TOP,
    SOURCES,
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


def check_move(state: NertsState, seat: int, move: NertsMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
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
    """Checks the moves that concern no single card."""
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
    """Returns the card of a source. Raises `IllegalMove`."""
    if not 0 <= source < sources:
        raise IllegalMove("NO_SUCH_SOURCE", f"there is no source {source}; a card comes from 0 to {sources - 1}")
    if source == NERTS_TOP:
        pile, name = layout.nerts, "Nerts pile"
    elif source == WASTE_TOP:
        pile, name = layout.waste, "waste"
    else:
        pile, name = layout.work_piles[source - FIRST_WORK], f"work pile {source - FIRST_WORK}"
    if not pile:
        raise IllegalMove("SOURCE_EMPTY", f"your {name} is empty")
    return pile[-1]


def _check_work(work: int) -> None:
    if not 0 <= work < WORKS_PER_SEAT:
        raise IllegalMove("NO_SUCH_WORK_PILE", f"there is no work pile {work}; work piles are 0 to 3")


def _check_found(state: NertsState, layout: Layout, move: Found) -> None:
    card = _card_at(layout, move.source, SOURCES)
    next_id = len(state.foundations)
    if not 0 <= move.foundation <= next_id:
        raise IllegalMove("NO_SUCH_FOUNDATION", f"there is no foundation {move.foundation}; an ace starts {next_id}")
    if state.accept[card] >> move.foundation & 1:
        return
    if card % RANK_COUNT == 0:
        raise IllegalMove("ACE_STARTS_A_FOUNDATION", f"an ace starts a new foundation, which is {next_id}")
    if move.foundation == next_id:
        raise IllegalMove("ONLY_AN_ACE_STARTS", f"only an ace starts a foundation, not {CARD_TEXTS[card]}")
    height = len(state.foundations[move.foundation])
    top = CARD_TEXTS[RANK_COUNT * state.suits[move.foundation] + height - 1]
    raise IllegalMove("DOES_NOT_FOLLOW", f"{CARD_TEXTS[card]} does not follow {top} on foundation {move.foundation}")


def _check_onto(layout: Layout, card: int, work: int) -> None:
    """Checks whether a card, or a block that begins with it, may go onto a work pile."""
    pile = layout.work_piles[work]
    if pile and not FITS[card] >> pile[-1] & 1:
        raise IllegalMove(
            "DOES_NOT_FIT",
            f"{CARD_TEXTS[card]} does not go onto {CARD_TEXTS[pile[-1]]}: it has to be one lower, of the other colour",
        )


def _check_build(layout: Layout, move: Build) -> None:
    if FIRST_WORK <= move.source < SOURCES:
        start = move.source - FIRST_WORK
        raise IllegalMove(
            "NOT_FROM_A_WORK_PILE",
            f"source {move.source} is work pile {start}, whose cards move with `shift`; "
            f"`build` takes a card from nerts ({NERTS_TOP}) or waste ({WASTE_TOP})",
        )
    card = _card_at(layout, move.source, FIRST_WORK)
    _check_work(move.work)
    _check_onto(layout, card, move.work)


def _check_shift(layout: Layout, move: Shift) -> None:
    _check_work(move.from_work)
    _check_work(move.to_work)
    if move.from_work == move.to_work:
        raise IllegalMove("SAME_PILE", "a block moves to another work pile")
    pile = layout.work_piles[move.from_work]
    if not 1 <= move.count <= len(pile):
        raise IllegalMove(
            "NO_SUCH_BLOCK", f"work pile {move.from_work} has {len(pile)} cards; a block is 1 or more of them"
        )
    if move.count == len(pile) and not layout.work_piles[move.to_work]:
        raise IllegalMove("PILE_TO_EMPTY", "a whole pile does not move to an empty one: that would change nothing")
    _check_onto(layout, pile[-move.count], move.to_work)


def _check_tuck(layout: Layout, move: Tuck) -> None:
    _check_work(move.work)
    if not layout.nerts:
        raise IllegalMove("SOURCE_EMPTY", "your Nerts pile is empty")
    if all(layout.work_piles):
        raise IllegalMove("NO_EMPTY_PILE", "a card is tucked only while some work pile is empty")
    pile = layout.work_piles[move.work]
    if not pile:
        raise IllegalMove("NOTHING_TO_TUCK_UNDER", f"work pile {move.work} is empty; `build` lays a card there")
    top = layout.nerts[-1]
    if not FITS[pile[0]] >> top & 1:
        raise IllegalMove(
            "DOES_NOT_FIT",
            f"{CARD_TEXTS[top]} does not go under {CARD_TEXTS[pile[0]]}: it has to be one higher, of the other colour",
        )
