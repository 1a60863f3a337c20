"""Positions of Houniek, written with the cards' texts."""

from __future__ import annotations

from fudaba_games.game import OptionValue, Shown
from fudaba_games.houniek.rules import HOUNIEK
from fudaba_games.houniek.state import HouniekState
from fudaba_games.houniek.values import HouniekEvent, HouniekView
from fudaba_games.kamikisen.cards import CARD_TEXTS
from fudaba_games.kamikisen.text import parse_cards


def cards(text: str) -> int:
    """Returns the mask of some cards, for example `cards("r1 r1 bS")`."""
    return parse_cards(text.split())


def dealt(seats: int = 3, seed: int = 0, **options: OptionValue) -> HouniekState:
    """Returns a dealt match."""
    return HOUNIEK.new_match(seats, HOUNIEK.resolve_options(options), bytes([seed]) * 32)[0]


def holding(*hands: str, stock: str = "", **options: OptionValue) -> HouniekState:
    """Returns a deal in which every seat has the hand given.

    Seat 0 deals and leads; it has drawn. The stock's top is first.
    """
    options.setdefault("deals", 1)
    state = dealt(len(hands), 0, **options)
    state.hands = [cards(hand) for hand in hands]
    state.stock = tuple([CARD_TEXTS.index(text) for text in stock.split()])
    return state


def turn(state: HouniekState) -> int:
    """Returns the seat to move."""
    (due,) = HOUNIEK.decisions(state)
    return due.seat


def do(state: HouniekState, *texts: str) -> list[HouniekEvent]:
    """Checks and plays moves by whoever has to, and returns all events."""
    events: list[Shown[HouniekEvent]] = []
    for text in texts:
        seat, move = turn(state), HOUNIEK.text.parse_move(text)
        HOUNIEK.check(state, seat, move)
        events += HOUNIEK.apply(state, seat, move)
    return [shown.event for shown in events]


def legal(state: HouniekState) -> list[str]:
    """Returns the legal moves of the seat to move."""
    return [HOUNIEK.text.format_move(move) for move in HOUNIEK.legal_moves(state, turn(state))]


def view(state: HouniekState, seat: int | None = None) -> HouniekView:
    """Returns what a seat, or a spectator, sees."""
    return HOUNIEK.view(state, seat)
