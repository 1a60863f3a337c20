"""Decides which moves of Makkaik are legal, and why the others are not (rules page `docs/rules/makkaik.md`, MA2 and
MA4).
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import IllegalMove
from fudaba_games.kamikisen.cards import CARD_MASKS, CARD_TEXTS, CARDS
from fudaba_games.kamikisen.text import text_of
from fudaba_games.makkaik.state import MakkaikState
from fudaba_games.makkaik.values import (
    HIGHEST_BASE,
    PHASE_BETTING,
    PHASE_EXCHANGE,
    PHASE_KEEPING,
    Keep,
    MakkaikMove,
    Stay,
    Swap,
    move_kind,
)

_DUE: Final[dict[int, tuple[tuple[str, ...], str]]] = {
    PHASE_EXCHANGE: (("swap", "draw"), "swap a card with a public one, or draw"),
    PHASE_KEEPING: (("keep",), "keep one of the cards that you have drawn"),
    PHASE_BETTING: (("fold", "stay"), "fold or stay"),
}
"""For each phase, the kinds of move that are due, and a text that says what to do."""


def check_move(state: MakkaikState, seat: int, move: MakkaikMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
    kind = move_kind(move)
    kinds, advice = _DUE[state.phase]
    if kind not in kinds:
        raise IllegalMove("WRONG_KIND_OF_MOVE", f"`{kind}` is not due now; {advice}")
    if isinstance(move, Swap):
        _check_card(move.given, state.hands[seat], "CARD_NOT_IN_HAND", "your hand has")
        _check_card(move.taken, state.public_cards, "CARD_NOT_PUBLIC", "the public cards have")
    elif isinstance(move, Keep):
        _check_card(move.kept, state.drawn, "CARD_NOT_DRAWN", "what you have drawn has")
        _check_card(move.given, state.hands[seat], "CARD_NOT_IN_HAND", "your hand has")
    elif isinstance(move, Stay):
        _check_base(state, move.base)


def _check_card(card: int, cards: int, rule: str, place: str) -> None:
    if not 0 <= card < CARDS:
        raise IllegalMove("NO_SUCH_CARD", f"there is no card {card}; cards are 0 to {CARDS - 1} in deck order")
    if not cards & CARD_MASKS[card]:
        raise IllegalMove(rule, f"{place} no {CARD_TEXTS[card]}; it is {text_of(cards)}")


def _check_base(state: MakkaikState, base: int) -> None:
    if not 0 <= base <= HIGHEST_BASE:
        raise IllegalMove("NO_SUCH_BASE", f"{base} is not a base; a base is 1 to {HIGHEST_BASE}")
    if not state.base and not base:
        raise IllegalMove("NAME_A_BASE", f"you are the dealer: name a base, `stay 1` to `stay {HIGHEST_BASE}`, or fold")
    if state.base and base:
        raise IllegalMove("BASE_IS_NAMED", f"the dealer has named the base, {state.base}; pay it with `stay`, or fold")
