"""Decides which moves of Naga are legal, and why the others are not (rules page `docs/rules/naga.md`, N4 and N5)."""

from __future__ import annotations

from fudaba_games.game import IllegalMove
from fudaba_games.naga.cards import DECK, ELTAM, SINGLE_PLACES, text_of
from fudaba_games.naga.state import NagaState
from fudaba_games.naga.values import Designate, NagaMove


def check_move(state: NagaState, seat: int, move: NagaMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
    if isinstance(move, Designate):
        _check_designation(state, move.place)
    else:
        _check_commitment(state, seat, move.cards)


def to_commit(state: NagaState) -> int:
    """Returns the number of cards that a seat commits in this battle (N4.3, N5.2)."""
    return 2 if state.place == ELTAM else 3


def _check_designation(state: NagaState, place: int) -> None:
    if state.place:
        raise IllegalMove("WRONG_KIND_OF_MOVE", f"place {state.place} is designated; commit {to_commit(state)} cards")
    if place == ELTAM:
        raise IllegalMove("ELTAM_NOT_DESIGNATED", "Eltam (4) is never designated; its battle is the last one")
    if not 1 <= place <= 7:
        raise IllegalMove("NO_SUCH_PLACE", f"there is no place {place}; places are 1 to 7")
    if not state.places >> place & 1:
        left = ", ".join(str(single_place) for single_place in SINGLE_PLACES if state.places >> single_place & 1)
        raise IllegalMove("PLACE_TAKEN", f"the card of place {place} has left the table; designate one of {left}")


def _check_commitment(state: NagaState, seat: int, cards: int) -> None:
    if not state.place:
        raise IllegalMove("WRONG_KIND_OF_MOVE", "no place is designated yet; designate one")
    hand = state.hands[seat]
    missing = cards & ~hand
    if missing:
        missing_text = text_of(missing) if cards > 0 and not missing & ~DECK else "a number that is not a card"
        raise IllegalMove("CARD_NOT_IN_HAND", f"your hand has no {missing_text}; it is {text_of(hand)}")
    if cards.bit_count() != to_commit(state):
        raise IllegalMove(
            "WRONG_NUMBER_OF_CARDS", f"commit {to_commit(state)} cards in this battle, not {cards.bit_count()}"
        )
