"""Decides which moves of Houniek are legal, and why the others are not (rules page `docs/rules/houniek.md`, HO3 to
HO6).
"""

from __future__ import annotations

from fudaba_games.game import IllegalMove
from fudaba_games.houniek.circle import PLACE_LETTERS, PLACE_NAMES
from fudaba_games.houniek.melds import Meld, melds_of, outdoes
from fudaba_games.houniek.state import HouniekState
from fudaba_games.houniek.text import no_meld, wrong_foot
from fudaba_games.houniek.values import HouniekMove, Lay, Pass
from fudaba_games.kamikisen.cards import RED
from fudaba_games.kamikisen.legality import check_cards, check_in_hand
from fudaba_games.kamikisen.melds import FORM_NAMES, SINGLE
from fudaba_games.kamikisen.text import text_of


def check_move(state: HouniekState, seat: int, move: HouniekMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
    if isinstance(move, Pass):
        if not state.form:
            raise IllegalMove("LEAD_A_MELD", "you lead this round, so you cannot pass; lay a single, a run or a set")
        return
    check_cards(move.cards)
    check_in_hand(state.hands[seat], move.cards)
    meld = _check_meld(move)
    if state.form:
        _check_follow(state, move, meld)


def _check_meld(move: Lay) -> Meld:
    melds = melds_of(move.cards)
    if not melds:
        raise IllegalMove("NO_MELD", no_meld(move.cards))
    fitting = [meld for meld in melds if meld.form == move.form]
    if not fitting:
        names = " or a ".join(dict.fromkeys([FORM_NAMES[meld.form] for meld in melds]))
        raise IllegalMove("WRONG_FORM", f"{text_of(move.cards)} can only be a {names}; say so")
    for meld in fitting:
        if meld.foot == move.foot:
            return meld
    raise IllegalMove("WRONG_FOOT", wrong_foot(move.cards, fitting))


def _check_follow(state: HouniekState, move: Lay, meld: Meld) -> None:
    newest = Meld(state.form, state.size, state.foot)
    foot = PLACE_LETTERS[newest.foot]
    if not move.cards & state.colours:
        colour = "red" if state.colours == RED else "black"
        raise IllegalMove(
            "NO_COMMON_COLOUR", f"the newest meld is {colour}; lay one with at least one {colour} card, or pass"
        )
    if outdoes(meld, newest):
        return
    if meld.size > newest.size:
        raise IllegalMove(
            "OTHER_FOOT",
            f"a meld of more cards needs the foot of the newest one, {foot}, not {PLACE_LETTERS[meld.foot]}; or pass",
        )
    if (meld.form, meld.size) == (newest.form, newest.size):
        raise IllegalMove(
            "TOO_WEAK",
            f"{PLACE_NAMES[meld.foot]} does not beat {PLACE_NAMES[newest.foot]}; lay a foot that does, or more cards "
            f"with the foot {foot}, or pass",
        )
    wanted_meld = f"a {FORM_NAMES[newest.form]}" + ("" if newest.form == SINGLE else f" of {newest.size}")
    raise IllegalMove(
        "OTHER_MELD",
        f"the newest meld is {wanted_meld}; lay {wanted_meld} with a foot that beats {foot}, or more cards with the "
        f"foot {foot}, or pass",
    )
