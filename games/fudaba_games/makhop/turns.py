"""The effects of the moves of Makhop (rules page `docs/rules/makhop.md`, MH1 and MH3 to MH8). The moves have been
checked before.

Each function appends its events to `events`, and makes none if `events` is None.
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.kamikisen.cards import BIT_OF, CARD_OF_BIT, INNER, mask_of, places_of, without
from fudaba_games.kamikisen.dealing import deal_hands, shuffled_places
from fudaba_games.kamikisen.one_by_one import NOBODY
from fudaba_games.kamikisen.scoring import next_dealer, shared
from fudaba_games.makhop.state import MakhopState
from fudaba_games.makhop.sums import laid_in_order
from fudaba_games.makhop.values import (
    Clear,
    Cleared,
    DealEnded,
    Dealt,
    Extend,
    Extended,
    Join,
    Joined,
    MakhopEvent,
    Opened,
    Received,
    Reshuffled,
    Turned,
)
from fudaba_games.shuffle import shuffled

Events = EventSink[MakhopEvent]

HAND_SIZE: Final = 6
"""The number of cards that each seat is dealt."""
INITIAL_ROADS: Final = 2
"""The number of roads after the deal, and after a clear."""
MAX_TURNS: Final = 400
"""The largest number of turns of a deal (MH7.4)."""
PRICE_POINTS: Final = 1
"""The price that each loser pays each winner."""


def deal_cards(state: MakhopState, events: Events) -> None:
    """Deals the deal that `state.deal` and `state.dealer` name (MH1)."""
    seats, dealer = state.seats, state.dealer
    places = shuffled_places(state.seed, state.deal, 0)
    state.hands = deal_hands(places, seats, dealer, HAND_SIZE)
    state.stock = tuple([CARD_OF_BIT[place] for place in places[seats * HAND_SIZE :]])
    state.turn = dealer
    state.turns = state.idle = state.stock_cards = state.vanished = state.shuffles = 0
    state.roads = ()
    if events is not None:
        events.append(Shown(PUBLIC, Dealt(state.deal, dealer)))
        order = [(dealer + offset) % seats for offset in range(seats)]
        events.extend([Shown(1 << seat, Received(seat, state.hands[seat])) for seat in order])
    _start_roads(state, events)


def _start_roads(state: MakhopState, events: Events) -> None:
    """Starts two new roads, or fewer if there are fewer cards."""
    for _ in range(INITIAL_ROADS):
        if _can_turn(state):
            card = _turn_up(state, events)
            if events is not None:
                events.append(Shown(PUBLIC, Turned(card)))


def _can_turn(state: MakhopState) -> bool:
    return bool(state.stock or state.vanished)


def _turn_up(state: MakhopState, events: Events) -> int:
    """Starts a road with the top card of the stock. If the stock is empty, the vanished cards first become the stock
    (MH6).
    """
    if not state.stock:
        state.shuffles += 1
        places = shuffled(list(places_of(state.vanished)), state.seed, state.deal, state.shuffles)
        if events is not None:
            events.append(Shown(PUBLIC, Reshuffled(state.vanished)))
        state.stock = tuple([CARD_OF_BIT[place] for place in places])
        state.stock_cards = state.vanished
        state.vanished = 0
    card = state.stock[0]
    state.stock = state.stock[1:]
    if state.shuffles:
        state.stock_cards = without(state.stock_cards, 1 << BIT_OF[card])
    state.roads += ((card,),)
    return card


def open_road(state: MakhopState, seat: int, events: Events) -> None:
    """Lays no card for a seat; this starts a new road, or nothing (MH3)."""
    if len(state.roads) < state.max_roads and _can_turn(state):
        card = _turn_up(state, events)
        state.idle = 0
    else:
        card = -1
        state.idle += 1
    if events is not None:
        events.append(Shown(PUBLIC, Opened(seat, card)))
    _next_turn(state, seat, events)


def extend_road(state: MakhopState, seat: int, move: Extend, events: Events) -> None:
    """Lays a seat's cards on a road (MH4)."""
    number, cards, end = move
    roads = state.roads
    state.roads = (*roads[:number], roads[number] + laid_in_order(cards, end), *roads[number + 1 :])
    if events is not None:
        events.append(Shown(PUBLIC, Extended(seat, number, cards, end)))
    _lay(state, seat, cards, events)


def join_roads(state: MakhopState, seat: int, move: Join, events: Events) -> None:
    """Joins two roads for a seat. The joined road has the place of the first (MH5)."""
    number, other_road, cards, end = move
    roads = list(state.roads)
    roads[number] += roads.pop(other_road) + laid_in_order(cards, end)
    state.roads = tuple(roads)
    if events is not None:
        events.append(Shown(PUBLIC, Joined(seat, number, other_road, cards, end)))
    _lay(state, seat, cards, events)


def clear_roads(state: MakhopState, seat: int, move: Clear, events: Events) -> None:
    """Removes all roads and the card that clears them (MH6). The last card of a hand wins before new roads start."""
    card = 1 << BIT_OF[move.card]
    state.vanished = mask_of([move.card, *chain.from_iterable(state.roads)], state.vanished)
    state.roads = ()
    if events is not None:
        events.append(Shown(PUBLIC, Cleared(seat, move.card)))
    if state.hands[seat] != card:
        _start_roads(state, events)
    _lay(state, seat, card, events)


def _lay(state: MakhopState, seat: int, cards: int, events: Events) -> None:
    """Takes cards from a hand. With its last card the seat wins the deal."""
    hand = state.hands[seat] ^ cards
    while high := hand & INNER & ~(hand << 1):  # `settled`, without a call
        hand ^= high | high >> 1
    state.hands[seat] = hand
    state.idle = 0
    if hand:
        _next_turn(state, seat, events)
    else:
        state.turns += 1
        _end_deal(state, (seat,), events)


def _next_turn(state: MakhopState, seat: int, events: Events) -> None:
    """Passes the turn to the next seat, or ends the deal after a full circle without effect or after the last turn
    (MH7).
    """
    state.turns += 1
    if state.turns >= MAX_TURNS or state.idle >= state.seats:
        sizes = [hand.bit_count() for hand in state.hands]
        fewest = min(sizes)
        _end_deal(state, tuple([winner for winner, size in enumerate(sizes) if size == fewest]), events)
        return
    state.turn = seat + 1 if seat + 1 < state.seats else 0


def _end_deal(state: MakhopState, winners: tuple[int, ...], events: Events) -> None:
    """Scores the deal, and deals the next one if there is one."""
    scores = shared(winners, state.seats, PRICE_POINTS)
    if events is not None:
        sizes = tuple([hand.bit_count() for hand in state.hands])
        events.append(Shown(PUBLIC, DealEnded(winners, sizes, scores)))
    state.scores = tuple([score + other for score, other in zip(state.scores, scores, strict=True)])
    if state.deal + 1 == state.deals:
        state.turn = NOBODY
        return
    state.deal += 1
    state.dealer = next_dealer(winners, state.dealer, state.seats)
    deal_cards(state, events)
