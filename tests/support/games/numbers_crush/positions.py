"""Positions of Numbers Crush, written with the cards' texts."""

from __future__ import annotations

from fudaba_games.game import OptionValue, Shown
from fudaba_games.numbers_crush import NUMBER_OF, SUIT_OF, NumbersCrushEvent, NumbersCrushView, Phase, mask_of
from fudaba_games.numbers_crush.cards import DECK, cards_of, parse_card
from fudaba_games.numbers_crush.rules import NUMBERS_CRUSH
from fudaba_games.numbers_crush.state import NumbersCrushState


def cards(text: str) -> int:
    """Returns the mask of some cards, for example `cards("3C X1")`."""
    return mask_of([parse_card(word) for word in text.split()])


def dealt(seats: int = 3, seed: int = 0, **options: OptionValue) -> NumbersCrushState:
    """Returns a dealt match."""
    return NUMBERS_CRUSH.new_match(seats, NUMBERS_CRUSH.resolve_options(options), bytes([seed]) * 32)[0]


def holding(base: str, *hands: str, stock: str = "", **options: OptionValue) -> NumbersCrushState:
    """Returns a deal with this base and these hands, in which seat 0 is to set in turn 1. The stock's top is first.

    All other cards lie under the base. Nothing has changed since a zero-out was last possible.
    """
    state = dealt(len(hands), 0, **options)
    state.phase, state.turn, state.turns, state.changed_seats, state.asked = int(Phase.SET), 0, 1, 0, 0
    state.hands = [cards(hand) for hand in hands]
    state.stock = [parse_card(word) for word in reversed(stock.split())]
    (state.base,) = cards_of(cards(base))
    state.number, state.suit = NUMBER_OF[state.base], SUIT_OF[state.base]
    held = [state.base, *state.stock, *[card for hand in state.hands for card in cards_of(hand)]]
    assert len(set(held)) == len(held), "a card is there twice"
    state.pile = DECK & ~(sum(state.hands) | mask_of(state.stock) | 1 << state.base)
    return state


def turn(state: NumbersCrushState) -> int:
    """Returns the only seat to move."""
    (due,) = NUMBERS_CRUSH.decisions(state)
    return due.seat


def asked(state: NumbersCrushState) -> list[int]:
    """Returns the seats with an open decision."""
    return [due.seat for due in NUMBERS_CRUSH.decisions(state)]


def do(state: NumbersCrushState, *texts: str) -> list[NumbersCrushEvent]:
    """Checks and plays moves by whoever has to, and returns all events. `2: zero_out` names the seat."""
    events: list[Shown[NumbersCrushEvent]] = []
    for text in texts:
        seat_text, colon, move_text = text.partition(": ")
        seat, move = (int(seat_text), move_text) if colon else (turn(state), text)
        parsed = NUMBERS_CRUSH.text.parse_move(move)
        NUMBERS_CRUSH.check(state, seat, parsed)
        events += NUMBERS_CRUSH.apply(state, seat, parsed)
    return [shown.event for shown in events]


def legal(state: NumbersCrushState) -> list[str]:
    """Returns the legal moves of the seat to move."""
    return [NUMBERS_CRUSH.text.format_move(move) for move in NUMBERS_CRUSH.legal_moves(state, turn(state))]


def sets(state: NumbersCrushState) -> set[str]:
    """Returns what may be set, without the word."""
    return {text.removeprefix("set ") for text in legal(state) if text.startswith("set ")}


def view(state: NumbersCrushState, seat: int | None = None) -> NumbersCrushView:
    """Returns what a seat, or a spectator, sees."""
    return NUMBERS_CRUSH.view(state, seat)
