"""Decides which moves of Tashot are legal, and why the others are not (rules page `docs/rules/tashot.md`, TA3 to
TA6).
"""

from __future__ import annotations

from fudaba_games.game import IllegalMove
from fudaba_games.kamikisen.cards import CARD_TEXTS, CARDS, STRENGTH_LETTERS
from fudaba_games.kamikisen.legality import check_card_in_hand, check_cards, check_in_hand
from fudaba_games.kamikisen.melds import FORM_NAMES, SET, melds_of
from fudaba_games.kamikisen.text import text_of
from fudaba_games.tashot.shapes import CALL_SIZES, all_cards, mask_of_card, shape_of, with_card, without_card
from fudaba_games.tashot.state import TashotState
from fudaba_games.tashot.text import no_call, no_four
from fudaba_games.tashot.values import (
    PHASE_CALLED,
    PHASE_TURN,
    PHASE_WINDOW,
    Call,
    Decline,
    Discard,
    Four,
    TashotMove,
    Win,
    move_kind,
)

_TURN_MOVES = "`discard` a card, lay a set of `four` open, or `win`"
_ADVICE = {
    PHASE_TURN: f"it is your turn: {_TURN_MOVES}",
    PHASE_CALLED: "you have called: only `discard` is left",
    PHASE_WINDOW: "a card was discarded: `decline` it, `win` with it, or `call` it",
}


def check_move(state: TashotState, seat: int, move: TashotMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
    _check_kind(state.phase, move)
    hand, meld = state.hands[seat], state.melds[seat]
    if isinstance(move, Discard):
        _check_discard(hand, move.card)
    elif isinstance(move, Four):
        check_cards(move.cards)
        check_in_hand(hand, move.cards)
        _check_four(move.cards)
    elif isinstance(move, Win):
        six = hand if state.phase == PHASE_TURN else with_card(hand, state.offered)
        if shape_of(six, meld) is None:
            raise IllegalMove("NO_WIN", f"{text_of(all_cards(six, meld))} does not win; {WINNING_SHAPES}")
    elif isinstance(move, Call):
        _check_call(hand, move, state.offered)


WINNING_SHAPES = (
    "six cards win as three sets of two, as a set of two and a set of four, or as two melds of three, each a set or a "
    "run; an open meld is fixed"
)


def _check_kind(phase: int, move: TashotMove) -> None:
    if phase == PHASE_WINDOW:
        fits = isinstance(move, Decline | Win | Call)
    elif phase == PHASE_TURN:
        fits = isinstance(move, Discard | Four | Win)
    else:
        fits = isinstance(move, Discard)
    if not fits:
        raise IllegalMove("WRONG_KIND_OF_MOVE", f"`{move_kind(move)}` is not due now; {_ADVICE[phase]}")


def _check_discard(hand: int, card: int) -> None:
    if not 0 <= card < CARDS:
        raise IllegalMove("NOT_CARDS", f"{card} is not a card; cards are 0 to {CARDS - 1}")
    check_card_in_hand(hand, card)


def _check_four(cards: int) -> None:
    readings = melds_of(cards)
    if not readings or readings[0].form != SET or readings[0].size != 4:
        raise IllegalMove("NO_SET_OF_FOUR", no_four(cards))


def _check_call(hand: int, call: Call, offered: int) -> None:
    check_cards(call.cards)
    if not call.cards & mask_of_card(offered):
        raise IllegalMove(
            "WITHOUT_THE_DISCARD",
            f"name the whole meld, with the card that was discarded: {CARD_TEXTS[offered]} is not in "
            f"{text_of(call.cards)}",
        )
    check_in_hand(hand, without_card(call.cards, offered))
    readings = melds_of(call.cards)
    if not readings or readings[0].size not in CALL_SIZES.get(readings[0].form, ()):
        raise IllegalMove("NO_MELD_TO_CALL", no_call(call.cards))
    if all(reading.strength != call.strength for reading in readings):
        strengths = " or ".join([STRENGTH_LETTERS[reading.strength] for reading in readings])
        raise IllegalMove(
            "WRONG_STRENGTH", f"the {FORM_NAMES[readings[0].form]} {text_of(call.cards)} has strength {strengths}"
        )
    if call.cards.bit_count() > hand.bit_count():
        raise IllegalMove("NO_CARD_LEFT", "a call must leave a card to discard; yours would leave none")
