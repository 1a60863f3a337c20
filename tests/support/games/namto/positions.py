"""Positions of Namto, written with the cards' texts."""

from __future__ import annotations

from collections.abc import Sequence

from fudaba_games.game import Shown
from fudaba_games.kamikisen.text import parse_card, parse_cards
from fudaba_games.namto.rules import NAMTO
from fudaba_games.namto.state import NamtoState
from fudaba_games.namto.values import NamtoEvent, NamtoView


def cards(text: str) -> int:
    """Returns the mask of some cards, for example `cards("r1 r1 bS")`."""
    return parse_cards(text.split())


def dealt(seats: int = 3, seed: int = 0, **options: int) -> NamtoState:
    """Returns a dealt match."""
    return NAMTO.new_match(seats, NAMTO.resolve_options(options), bytes([seed]) * 32)[0]


def holding(*hands: str, stock: str = "r0 r4 b8", stacks: Sequence[int] = (), **options: int) -> NamtoState:
    """Returns a deal when the betting begins: the hands, and the shared cards to come.

    Stacks are those after the entry.
    """
    state = dealt(len(hands), **{"deals": 1, **options})
    state.hands = [cards(hand) for hand in hands]
    state.stock = [parse_card(text) for text in stock.split()][: state.rounds - 1][::-1]
    if stacks:
        state.stacks = list(stacks)
        state.max_bet = min(stacks)
    return state


def turn(state: NamtoState) -> int:
    """Returns the seat to move."""
    (due,) = NAMTO.decisions(state)
    return due.seat


def do(state: NamtoState, *texts: str) -> list[NamtoEvent]:
    """Checks and plays moves by whoever has to, and returns all events."""
    events: list[Shown[NamtoEvent]] = []
    for text in texts:
        seat, move = turn(state), NAMTO.text.parse_move(text)
        NAMTO.check(state, seat, move)
        events += NAMTO.apply(state, seat, move)
    return [shown.event for shown in events]


def legal(state: NamtoState) -> list[str]:
    """Returns the legal moves of the seat to move."""
    return [NAMTO.text.format_move(move) for move in NAMTO.legal_moves(state, turn(state))]


def view(state: NamtoState, seat: int | None = None) -> NamtoView:
    """Returns what a seat, or a spectator, sees."""
    return NAMTO.view(state, seat)
