"""Positions of Makhop, written with the cards' texts."""

from __future__ import annotations

from fudaba_games.game import OptionValue, Shown
from fudaba_games.kamikisen.cards import CARD_TEXTS
from fudaba_games.kamikisen.text import parse_card, parse_cards
from fudaba_games.makhop import MakhopEvent, MakhopView
from fudaba_games.makhop.rules import MAKHOP
from fudaba_games.makhop.state import MakhopState


def cards(text: str) -> int:
    """Returns the mask of some cards, for example `cards("r1 r1 bS")`."""
    return parse_cards(text.split())


def card(text: str) -> int:
    """Returns the number of a card."""
    return parse_card(text)


def dealt(seats: int = 3, seed: int = 0, **options: OptionValue) -> MakhopState:
    """Returns a dealt match."""
    return MAKHOP.new_match(seats, MAKHOP.resolve_options(options), bytes([seed]) * 32)[0]


def table(roads: str, *hands: str, stock: str = "", vanished: str = "", **options: OptionValue) -> MakhopState:
    """Returns a deal with these roads, parted by commas, and hands.

    Seat 0 deals and moves. The stock's top is first.
    """
    options.setdefault("deals", 1)
    state = dealt(len(hands), 0, **options)
    state.roads = tuple([tuple([card(text) for text in road.split()]) for road in roads.split(",") if road])
    state.hands = [cards(hand) for hand in hands]
    state.stock = tuple([card(text) for text in stock.split()])
    state.vanished = cards(vanished)
    return state


def roads(state: MakhopState) -> list[str]:
    """Returns the roads as texts."""
    return [" ".join([CARD_TEXTS[card_index] for card_index in road]) for road in state.roads]


def turn(state: MakhopState) -> int:
    """Returns the seat to move."""
    (due,) = MAKHOP.decisions(state)
    return due.seat


def do(state: MakhopState, *texts: str) -> list[MakhopEvent]:
    """Checks and plays moves by whoever has to, and returns all events."""
    events: list[Shown[MakhopEvent]] = []
    for text in texts:
        seat, move = turn(state), MAKHOP.text.parse_move(text)
        MAKHOP.check(state, seat, move)
        events += MAKHOP.apply(state, seat, move)
    return [shown.event for shown in events]


def legal(state: MakhopState) -> list[str]:
    """Returns the legal moves of the seat to move."""
    return [MAKHOP.text.format_move(move) for move in MAKHOP.legal_moves(state, turn(state))]


def view(state: MakhopState, seat: int | None = None) -> MakhopView:
    """Returns what a seat, or a spectator, sees."""
    return MAKHOP.view(state, seat)
