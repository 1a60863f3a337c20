"""Positions of Niekhi, written with the texts of cards."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fudaba_games.game import IllegalMove, Shown
from fudaba_games.niekhi.cards import DECK, size_of
from fudaba_games.niekhi.melds import Meld, melds_of
from fudaba_games.niekhi.rules import NIEKHI
from fudaba_games.niekhi.state import NiekhiState
from fudaba_games.niekhi.text import parse_cards
from fudaba_games.niekhi.values import Laid, Lay, NiekhiEvent, NiekhiView
from tests.support.conformance.dump import dump


def cards(text: str) -> int:
    """Returns some cards, for example `cards("S 1 1 K")`."""
    return parse_cards(text.split())


def lay(text: str) -> Lay:
    """Returns a lay, for example `lay("run S 3 4 as 3-5")`."""
    move = NIEKHI.text.parse_move(text)
    assert isinstance(move, Lay)
    return move


def meld(text: str) -> Meld:
    """Returns what a lay counts as."""
    return lay(text).meld


def readings(text: str) -> list[tuple[str, int, int]]:
    """Returns everything that cards can be: form, length and strength, which is the number of the deck."""
    return [(listed_meld.form, listed_meld.length, listed_meld.strength) for listed_meld in melds_of(cards(text))]


def dealt(seats: int = 3, seed: int = 0, **options: int) -> NiekhiState:
    """Returns a dealt match."""
    return NIEKHI.new_match(seats, NIEKHI.resolve_options(options), bytes([seed]) * 32)[0]


def holding(
    hands: Sequence[str], *, pile: str = "", turn: int = 0, newest: str = "", by: int = -1, **options: int
) -> NiekhiState:
    """Returns a deal in which hands, discard pile and the newest meld (of the seat before the one to move) are as
    given.

    The cards that are nowhere have left the game, so that all are accounted for.
    """
    state = dealt(len(hands), **{"deals": 1, **options})
    state.hands = [cards(text) for text in hands]
    state.sizes = [size_of(hand) for hand in state.hands]
    state.pile, state.turn = cards(pile), turn
    laid = 0
    if newest:
        move = lay(newest)
        laid = move.cards
        state.table = (Laid(by if by >= 0 else (turn - 1) % len(hands), *move),)
        state.size, state.length, state.strength = size_of(laid), move.length, move.strength
    state.out = 0
    state.removed = DECK - sum(state.hands) - state.pile - laid
    return state


def turn(state: NiekhiState) -> int:
    """Returns the seat to move."""
    (due,) = NIEKHI.decisions(state)
    return due.seat


def do(state: NiekhiState, *texts: str) -> list[NiekhiEvent]:
    """Checks and plays moves by whoever has to, and returns all events."""
    events: list[Shown[NiekhiEvent]] = []
    for text in texts:
        seat, move = turn(state), NIEKHI.text.parse_move(text)
        NIEKHI.check(state, seat, move)
        events += NIEKHI.apply(state, seat, move)
    return [shown.event for shown in events]


def legal(state: NiekhiState) -> list[str]:
    """Returns the legal moves of the seat to move."""
    return [NIEKHI.text.format_move(move) for move in NIEKHI.legal_moves(state, turn(state))]


def view(state: NiekhiState, seat: int | None = None) -> NiekhiView:
    """Returns what a seat, or a spectator, knows."""
    return NIEKHI.view(state, seat)


def refused(state: NiekhiState, text: str) -> tuple[str, str]:
    """Returns why a move is refused: the rule's name, and the advice. The state stays as it was, to the byte."""
    before = dump(state)
    with pytest.raises(IllegalMove) as error:
        NIEKHI.check(state, turn(state), NIEKHI.text.parse_move(text))
    assert dump(state) == before
    return error.value.rule, str(error.value)
