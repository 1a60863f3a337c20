"""Positions of Makkaik, written with the cards' texts."""

from __future__ import annotations

from fudaba_games.game import Shown
from fudaba_games.kamikisen.text import parse_card, parse_cards
from fudaba_games.makkaik.rules import MAKKAIK
from fudaba_games.makkaik.state import MakkaikState
from fudaba_games.makkaik.values import MakkaikEvent, MakkaikView, Phase


def cards(text: str) -> int:
    """Returns the mask of some cards, for example `cards("r1 r1 bS")`."""
    return parse_cards(text.split())


def dealt(seats: int = 3, seed: int = 0, **options: int) -> MakkaikState:
    """Returns a dealt match."""
    return MAKKAIK.new_match(seats, MAKKAIK.resolve_options(options), bytes([seed]) * 32)[0]


def holding(
    *hands: str, public: str = "r0 r4 b8", stock: str = "", deals: int = 1, first_dealer: int = 0
) -> MakkaikState:
    """Returns a deal before the exchange: the hands, the public cards, and what is drawn, the next card first."""
    state = dealt(len(hands), deals=deals, first_dealer=first_dealer)
    state.hands = [cards(hand) for hand in hands]
    state.public_cards = cards(public)
    drawn = [parse_card(text) for text in stock.split()]
    state.stock = drawn[::-1] or state.stock
    return state


def betting(*hands: str, public: str = "r0 r4 b8", dealer: int = 0, deals: int = 1) -> MakkaikState:
    """Returns a deal when the betting begins: nobody has taken a public card. Seat `dealer` is the dealer."""
    state = holding(*hands, public=public, deals=deals, first_dealer=dealer)
    state.phase = int(Phase.BETTING)
    state.paid = [1] * state.seats
    return state


def turn(state: MakkaikState) -> int:
    """Returns the seat to move."""
    (due,) = MAKKAIK.decisions(state)
    return due.seat


def do(state: MakkaikState, *texts: str) -> list[MakkaikEvent]:
    """Checks and plays moves by whoever has to, and returns all events."""
    events: list[Shown[MakkaikEvent]] = []
    for text in texts:
        seat, move = turn(state), MAKKAIK.text.parse_move(text)
        MAKKAIK.check(state, seat, move)
        events += MAKKAIK.apply(state, seat, move)
    return [shown.event for shown in events]


def legal(state: MakkaikState) -> list[str]:
    """Returns the legal moves of the seat to move."""
    return [MAKKAIK.text.format_move(move) for move in MAKKAIK.legal_moves(state, turn(state))]


def view(state: MakkaikState, seat: int | None = None) -> MakkaikView:
    """Returns what a seat, or a spectator, sees."""
    return MAKKAIK.view(state, seat)
