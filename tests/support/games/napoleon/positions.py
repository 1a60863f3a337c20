"""Positions of Napoleon, written with the cards' texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fudaba_games.cards import mask_of
from fudaba_games.game import Shown
from fudaba_games.napoleon.cards import DECK, HONOURS, call_of, parse_card, parse_cards
from fudaba_games.napoleon.rules import NAPOLEON
from fudaba_games.napoleon.state import NapoleonState
from fudaba_games.napoleon.values import NapoleonEvent, NapoleonView, Phase

SUITS: Final = {"clubs": 0, "diamonds": 1, "hearts": 2, "spades": 3, "no-trump": 4}


def cards(text: str) -> int:
    """Returns the mask of some cards, for example `cards("2C AS")`."""
    return parse_cards(text.split())


def in_order(text: str) -> list[int]:
    """Returns some cards in the order given."""
    return [parse_card(card_text) for card_text in text.split()]


def dealt(seed: int = 0, **options: int | str) -> NapoleonState:
    """Returns a dealt match."""
    return NAPOLEON.new_match(5, NAPOLEON.resolve_options(options), bytes([seed]) * 32)[0]


def turn(state: NapoleonState) -> int:
    """Returns the seat to move."""
    (due,) = NAPOLEON.decisions(state)
    return due.seat


def do(state: NapoleonState, *texts: str) -> list[NapoleonEvent]:
    """Checks and plays moves by whoever has to, and returns all events."""
    events: list[Shown[NapoleonEvent]] = []
    for text in texts:
        seat, move = turn(state), NAPOLEON.text.parse_move(text)
        NAPOLEON.check(state, seat, move)
        events += NAPOLEON.apply(state, seat, move)
    return [shown.event for shown in events]


def legal(state: NapoleonState) -> list[str]:
    """Returns the legal moves of the seat to move."""
    return [NAPOLEON.text.format_move(move) for move in NAPOLEON.legal_moves(state, turn(state))]


def bid_by(state: NapoleonState, seat: int, bid: str) -> list[NapoleonEvent]:
    """Everybody approves but one seat, which so becomes Napoleon with `bid`, for example `14S`."""
    while turn(state) != seat:
        do(state, "approve")
    return do(state, f"bid {bid}", *["approve"] * 4)


def tricks_begin(
    hands: Sequence[str],
    trump: str = "spades",
    *,
    number: int = 13,
    napoleon: int = 0,
    named: str = "AS",
    buried: str = "",
    first: bool = False,
    **options: int | str,
) -> NapoleonState:
    """Returns the last tricks of a deal: Napoleon leads, hands as given. With `first` they are the only ones of the
    deal.

    Without `buried` two cards that are in no hand are: no honours, where there are such.
    """
    state = dealt(0, **{"deals": 1, **options})
    state.phase = int(Phase.TRICKS)
    state.call, state.trump, state.napoleon = call_of(number, SUITS[trump]), SUITS[trump], napoleon
    state.calls = (state.call, 0, 0, 0, 0)
    state.hands = [cards(text) for text in hands]
    elsewhere = [card_index for card_index in range(52) if not any(hand >> card_index & 1 for hand in state.hands)]
    spare = [card_index for card_index in elsewhere if not HONOURS >> card_index & 1] + elsewhere
    state.buried = cards(buried) if buried else mask_of(spare[:2])
    state.widow = 0
    state.named = parse_card(named)
    holders = [seat for seat, hand in enumerate(state.hands) if hand >> state.named & 1]
    state.adjutant = holders[0] if holders else napoleon
    state.leader = state.turn = napoleon
    state.legal = state.hands[napoleon]
    gone = [card_index for card_index in elsewhere if not state.buried >> card_index & 1]
    if not first:
        count = 10 - state.hands[0].bit_count()
        state.tricks, state.winners = tuple(gone[: 5 * count]), (napoleon,) * count
    return state


def play_trick(state: NapoleonState, text: str) -> list[NapoleonEvent]:
    """Plays cards by whoever has to."""
    return do(state, *[f"play {card_text}" for card_text in text.split()])


def all_cards(state: NapoleonState) -> list[int]:
    """Masks of all the places where a card can be."""
    return [*state.hands, state.widow, state.buried, mask_of(state.trick), mask_of(state.tricks)]


def view(state: NapoleonState, seat: int | None = None) -> NapoleonView:
    """Returns what a seat, or a spectator, sees."""
    return NAPOLEON.view(state, seat)


__all__ = [
    "DECK",
    "all_cards",
    "bid_by",
    "cards",
    "dealt",
    "do",
    "in_order",
    "legal",
    "play_trick",
    "tricks_begin",
    "turn",
    "view",
]
