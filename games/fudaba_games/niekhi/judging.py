"""Decides which moves of Niekhi are legal, and why the others are not (rules page `docs/rules/niekhi.md`, NI4 to
NI7).
"""

from __future__ import annotations

from fudaba_games.game import IllegalMove
from fudaba_games.kamikisen.cards import STRENGTH_LETTERS
from fudaba_games.niekhi.cards import ALL_STRENGTHS, has, is_cards, size_of
from fudaba_games.niekhi.melds import Meld, melds_of
from fudaba_games.niekhi.state import NiekhiState
from fudaba_games.niekhi.text import describe_meld, span_text, text_of
from fudaba_games.niekhi.values import PHASE_LAYING, Lay, Name, NiekhiMove, Pass, Take, move_kind


def check_move(state: NiekhiState, seat: int, move: NiekhiMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
    laying = isinstance(move, Pass | Lay)
    if laying != (state.phase == PHASE_LAYING):
        advice = "lay a meld, or pass" if not laying else "use your generals: `decline`, `name` or `take`"
        raise IllegalMove("WRONG_KIND_OF_MOVE", f"`{move_kind(move)}` is not due now; {advice}")
    if isinstance(move, Lay):
        _check_lay(state, seat, move)
    elif isinstance(move, Pass):
        if not state.size:
            raise IllegalMove("LEADER_MUST_LAY", "you lead, and may not pass; lay any meld of your hand")
    elif isinstance(move, Name):
        _check_name(state, move.strengths)
    elif isinstance(move, Take):
        _check_take(state, move.cards)


def _check_lay(state: NiekhiState, seat: int, lay: Lay) -> None:
    cards, hand = lay.cards, state.hands[seat]
    if not is_cards(cards):
        raise IllegalMove("NO_SUCH_CARDS", f"{cards} is not a number of cards; see fudaba_games.niekhi.cards")
    if not has(hand, cards):
        raise IllegalMove("CARD_NOT_IN_HAND", f"your hand has not all of {text_of(cards)}; it is {text_of(hand)}")
    melds = melds_of(cards)
    if not melds:
        raise IllegalMove(
            "NOT_A_MELD",
            f"{text_of(cards) or 'no card'} is not a meld; lay a single, a set, a run of three or more, "
            "or a run of equal sets: three of two cards, or two of more",
        )
    meld = Meld(size_of(cards), lay.length, lay.strength)
    if meld not in melds:
        read = ", ".join([f"{reading.form} {span_text(reading)}" for reading in melds])
        raise IllegalMove("WRONG_READING", f"{text_of(cards)} does not count as that; it can be: {read}")
    if state.size:
        _check_beats(meld, Meld(state.size, state.length, state.strength))


def _check_beats(meld: Meld, newest: Meld) -> None:
    if meld.beats(newest):
        return
    newest_text = describe_meld(newest)
    if meld.size == newest.size and meld.length == newest.length:
        raise IllegalMove(
            "TOO_WEAK", f"a {describe_meld(meld)} is not stronger than the {newest_text}; lay a stronger one"
        )
    if newest.is_bomb:
        raise IllegalMove(
            "OTHER_MELD", f"on the {newest_text} lay as large a set that is stronger, or a larger set, or pass"
        )
    raise IllegalMove(
        "OTHER_MELD", f"on the {newest_text} lay the same meld, stronger, or a set of three or more, or pass"
    )


def _check_name(state: NiekhiState, strengths: int) -> None:
    if not 0 <= strengths <= ALL_STRENGTHS:
        raise IllegalMove("NO_SUCH_STRENGTH", f"{strengths} is not a mask of strengths; they are bits 0 to 10")
    if strengths.bit_count() != state.generals:
        raise IllegalMove(
            "WRONG_NUMBER_OF_STRENGTHS",
            f"name as many strengths as you have laid generals, {state.generals}, not {strengths.bit_count()}; "
            f"the strengths are {' '.join(STRENGTH_LETTERS)}",
        )


def _check_take(state: NiekhiState, cards: int) -> None:
    pile = state.pile
    if not pile:
        raise IllegalMove("PILE_EMPTY", "the discard pile is empty; name strengths, or decline")
    if not is_cards(cards):
        raise IllegalMove("NO_SUCH_CARDS", f"{cards} is not a number of cards; see fudaba_games.niekhi.cards")
    if not has(pile, cards):
        raise IllegalMove("CARD_NOT_IN_PILE", f"the discard pile has not all of {text_of(cards)}: {text_of(pile)}")
    number = min(state.generals, size_of(pile))
    if size_of(cards) != number:
        raise IllegalMove("WRONG_NUMBER_OF_CARDS", f"take {number} of the pile, not {size_of(cards)}")
