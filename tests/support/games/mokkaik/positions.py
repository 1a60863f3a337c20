"""Positions of Mokkaik, written with the cards' texts."""

from __future__ import annotations

from collections.abc import Sequence

from fudaba_games.game import Shown
from fudaba_games.kamikisen.text import parse_cards
from fudaba_games.mokkaik.rules import MOKKAIK
from fudaba_games.mokkaik.state import MokkaikState
from fudaba_games.mokkaik.values import MokkaikEvent, MokkaikView


def cards(text: str) -> int:
    """Returns the mask of some cards, for example `cards("r1 r1 bS")`."""
    return parse_cards(text.split())


def dealt(seats: int = 3, seed: int = 0, **options: int) -> MokkaikState:
    """Returns a dealt match."""
    return MOKKAIK.new_match(seats, MOKKAIK.resolve_options(options), bytes([seed]) * 32)[0]


def holding(*hands: str, public: Sequence[str] = (), multiplier: int = 2, **options: int) -> MokkaikState:
    """Returns a deal in which every seat has the hand given, and the public cards given. Seat 0 deals and leads."""
    state = dealt(len(hands), **{"deals": 1, **options})
    state.hands = [cards(hand) for hand in hands]
    for seat, text in enumerate(public):
        state.public_cards[seat] = cards(text)
    state.multiplier = multiplier
    return state


def turn(state: MokkaikState) -> int:
    """Returns the seat to move."""
    (due,) = MOKKAIK.decisions(state)
    return due.seat


def do(state: MokkaikState, *texts: str) -> list[MokkaikEvent]:
    """Checks and plays moves by whoever has to, and returns all events."""
    events: list[Shown[MokkaikEvent]] = []
    for text in texts:
        seat, move = turn(state), MOKKAIK.text.parse_move(text)
        MOKKAIK.check(state, seat, move)
        events += MOKKAIK.apply(state, seat, move)
    return [shown.event for shown in events]


def legal(state: MokkaikState) -> list[str]:
    """Returns the legal moves of the seat to move."""
    return [MOKKAIK.text.format_move(move) for move in MOKKAIK.legal_moves(state, turn(state))]


def view(state: MokkaikState, seat: int | None = None) -> MokkaikView:
    """Returns what a seat, or a spectator, sees."""
    return MOKKAIK.view(state, seat)
