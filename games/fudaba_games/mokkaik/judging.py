"""Decides which moves of Mokkaik are legal, and why the others are not (rules page `docs/rules/mokkaik.md`, MO2 and
MO3).
"""

from __future__ import annotations

from fudaba_games.game import IllegalMove
from fudaba_games.kamikisen.cards import RED, STRENGTH_LETTERS
from fudaba_games.kamikisen.legality import check_cards, check_in_hand
from fudaba_games.kamikisen.melds import FORM_NAMES, SINGLE, melds_of
from fudaba_games.kamikisen.text import text_of
from fudaba_games.mokkaik.state import MokkaikState
from fudaba_games.mokkaik.text import no_meld
from fudaba_games.mokkaik.values import Discard, Lay, MokkaikMove


def check_move(state: MokkaikState, seat: int, move: MokkaikMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
    if isinstance(move, Discard) and not state.form:
        raise IllegalMove("LEAD_A_MELD", "you lead this round, so you cannot discard; lay a single, a set or a run")
    check_cards(move.cards)
    check_in_hand(state.hands[seat], move.cards)
    if isinstance(move, Lay):
        _check_meld(move)
        if state.form:
            _check_follow(state, move)
    elif move.cards.bit_count() != state.size:
        raise IllegalMove(
            "WRONG_NUMBER_OF_CARDS",
            f"discard as many cards as the leader's meld has: {state.size}, not {move.cards.bit_count()}",
        )


def _check_meld(move: Lay) -> None:
    readings = melds_of(move.cards)
    if not readings:
        raise IllegalMove("NO_MELD", no_meld(move.cards))
    form = readings[0].form
    if move.form != form:
        raise IllegalMove("WRONG_FORM", f"{text_of(move.cards)} is a {FORM_NAMES[form]}; say `{FORM_NAMES[form]}`")
    if all(reading.strength != move.strength for reading in readings):
        strengths = " or ".join([STRENGTH_LETTERS[reading.strength] for reading in readings])
        raise IllegalMove("WRONG_STRENGTH", f"{text_of(move.cards)} can have strength {strengths} only")


def _check_follow(state: MokkaikState, move: Lay) -> None:
    """Checks that the meld has the form, size and colours of the leader's, and is stronger than the best."""
    or_discard = f"or discard {state.size}"
    size = move.cards.bit_count()
    if move.form != state.form or size != state.size:
        led_meld = f"a {FORM_NAMES[state.form]}" + ("" if state.form == SINGLE else f" of {state.size}")
        raise IllegalMove("OTHER_MELD", f"the leader has laid {led_meld}; lay the same, {or_discard}")
    reds = (move.cards & RED).bit_count()
    if reds != state.reds:
        raise IllegalMove(
            "OTHER_COLOURS",
            f"the leader's meld has {state.reds} red and {state.size - state.reds} black; yours has {reds} and "
            f"{size - reds}; lay the same colours, {or_discard}",
        )
    if move.strength <= state.strength:
        raise IllegalMove(
            "TOO_WEAK",
            f"strength {STRENGTH_LETTERS[move.strength]} does not beat {STRENGTH_LETTERS[state.strength]}; lay a "
            f"stronger one, {or_discard}",
        )
