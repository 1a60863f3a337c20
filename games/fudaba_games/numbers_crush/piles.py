"""Dealing, drawing and discarding of cards (rules page `docs/rules/numbers_crush.md`, C3), and who has seen which card.

Each function appends its events to a list, and makes none if the list is None.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.numbers_crush.cards import CARDS, JOKER, NUMBER_OF, SUIT_OF, cards_of
from fudaba_games.numbers_crush.state import NumbersCrushState
from fudaba_games.numbers_crush.values import (
    Dealt,
    Drew,
    Gave,
    Handed,
    NumbersCrushEvent,
    Penalised,
    Received,
    Reshuffled,
    Turned,
)
from fudaba_games.shuffle import shuffled

HAND_CARDS: Final = 5
Events = EventSink[NumbersCrushEvent]


def deal_cards(state: NumbersCrushState, events: Events) -> None:
    """Deals the deal that `state.deal` and `state.dealer` name, and turns the first base (C3.1 to C3.3)."""
    seats = state.seats
    deck = shuffled(list(range(CARDS)), state.seed, state.deal, 0)
    if events is not None:
        events.append(Shown(PUBLIC, Dealt(state.deal, state.dealer)))
    for place in range(seats):
        seat = (state.dealer + place) % seats
        hand = 0
        for card in deck[place : HAND_CARDS * seats : seats]:
            hand |= 1 << card
        state.hands[seat] = hand
        if events is not None:
            events.append(Shown(1 << seat, Received(seat, hand)))
    at = HAND_CARDS * seats
    state.pile = 0
    while True:
        card = deck[at]
        at += 1
        if events is not None:
            events.append(Shown(PUBLIC, Turned(card)))
        if card < JOKER:
            break
        state.pile |= 1 << card
    state.base, state.number, state.suit = card, NUMBER_OF[card], SUIT_OF[card]
    state.stock = deck[: at - 1 : -1]
    state.shuffles = 1


def draw_card(state: NumbersCrushState, events: Events) -> int:
    """Takes the top card of the stock, which is first made anew if it has run out; -1 if there is no card (C3.5)."""
    if not state.stock:
        if not state.pile:
            return -1
        cards = cards_of(state.pile)
        state.stock = shuffled(cards, state.seed, state.deal, state.shuffles)[::-1]
        state.shuffles += 1
        state.pile = 0
        if events is not None:
            events.append(Shown(PUBLIC, Reshuffled(len(cards))))
    return state.stock.pop()


def draw_hidden(state: NumbersCrushState, seat: int, count: int, events: Events) -> None:
    """Draws cards that only the seat sees."""
    drawn = 0
    number = 0
    for _ in range(count):
        card = draw_card(state, events)
        if card < 0:
            break
        drawn |= 1 << card
        number += 1
    if events is not None:
        events.append(Shown(PUBLIC, Drew(seat, number)))
    if drawn:
        state.hands[seat] |= drawn
        state.changed_seats |= 1 << seat
        if events is not None:
            events.append(Shown(1 << seat, Received(seat, drawn)))


def draw_open(state: NumbersCrushState, seat: int, events: Events) -> int:
    """Draws a penalty card, which everybody sees; -1 if there is no card."""
    card = draw_card(state, events)
    if card < 0:
        return -1
    state.penalty_cards += (card,)
    bit = 1 << card
    state.hands[seat] |= bit
    state.changed_seats |= 1 << seat
    state.known[seat] |= bit
    if events is not None:
        events.append(Shown(PUBLIC, Penalised(seat, card)))
    return card


def put_away(state: NumbersCrushState, seat: int, cards: int) -> None:
    """Takes cards from a hand, and shows them to everybody."""
    state.hands[seat] &= ~cards
    state.changed_seats |= 1 << seat
    state.known[seat] &= ~cards
    if state.gifts:
        for index in range(seat, len(state.known_alone), state.seats):
            state.known_alone[index] &= ~cards


def give_card(state: NumbersCrushState, seat: int, card: int, to: int, events: Events) -> None:
    """Moves a card face down from one hand to another.

    Of the cards that the others knew in the giver's hand, any may have gone; only the two seats know which.
    """
    bit = 1 << card
    seats = state.seats
    state.known_alone[seats * to + seat] = (state.known_alone[seats * to + seat] | state.known[seat]) & ~bit
    state.known[seat] = 0
    for other_seat in range(seats):
        if other_seat != to:
            state.known_alone[seats * other_seat + seat] = 0
    state.known_alone[seats * seat + to] |= bit
    state.hands[seat] ^= bit
    state.hands[to] |= bit
    state.gifts = True
    state.changed_seats |= 1 << seat | 1 << to
    if events is not None:
        events.append(Shown(PUBLIC, Gave(seat, to)))
        events.append(Shown(1 << seat | 1 << to, Handed(seat, to, card)))
