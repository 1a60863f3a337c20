"""The effects of the moves of Tashot (rules page `docs/rules/tashot.md`, TA2 to TA8). The moves have been checked
before.

Each function appends its events to a list, and makes none if the list is None.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.kamikisen.cards import CARD_OF_BIT, without
from fudaba_games.kamikisen.dealing import deal_hands, shuffled_places
from fudaba_games.kamikisen.melds import SET, melds_of
from fudaba_games.kamikisen.scoring import next_multiplier
from fudaba_games.tashot.moves import after_call, takers
from fudaba_games.tashot.shapes import all_cards, mask_of_card, payments, points_of, shape_of, with_card, without_card
from fudaba_games.tashot.state import TashotState
from fudaba_games.tashot.values import (
    NO_CARD,
    NOBODY,
    PHASE_CALLED,
    PHASE_OVER,
    PHASE_TURN,
    PHASE_WINDOW,
    Call,
    DealEnded,
    Dealt,
    Decline,
    Discarded,
    Opened,
    OpenMeld,
    Received,
    TashotEvent,
    TashotMove,
    TurnBegan,
    Win,
    Won,
)

Events = EventSink[TashotEvent]

HAND_CARDS: Final = 5
"""The number of cards that are dealt to every seat."""


def deal_cards(state: TashotState, events: Events) -> None:
    """Deals the deal that `state.deal` and `state.dealer` name; the dealer draws (TA2)."""
    seats, dealer = state.seats, state.dealer
    places = shuffled_places(state.seed, state.deal, 0)
    state.hands = deal_hands(places, seats, dealer, HAND_CARDS)
    state.stock = [CARD_OF_BIT[place] for place in reversed(places[seats * HAND_CARDS :])]
    state.turned = (state.stock.pop(),) if state.lights else ()
    state.melds = [None] * seats
    state.discards = [0] * seats
    state.unfinished = (1 << seats) - 1
    state.before = tuple(state.scores)
    if events is not None:
        light = state.turned[0] if state.turned else NO_CARD
        events.append(Shown(PUBLIC, Dealt(state.deal, dealer, state.multiplier, light)))
        order = [(dealer + offset) % seats for offset in range(seats)]
        events.extend([Shown(1 << seat, Received(seat, state.hands[seat])) for seat in order])
    _draw(state, dealer, events)


def _draw(state: TashotState, seat: int, events: Events) -> None:
    card = state.stock.pop()
    state.hands[seat] = with_card(state.hands[seat], card)
    state.phase = PHASE_TURN
    state.turn = seat
    state.asked = 1 << seat
    state.drawn = card
    if events is not None:
        events.append(Shown(PUBLIC, TurnBegan(seat, len(state.stock))))
        events.append(Shown(1 << seat, Received(seat, mask_of_card(card))))


def discard(state: TashotState, seat: int, card: int, events: Events) -> None:
    """Discards a card for a seat, and asks the seats that can take it (TA3.2, TA4)."""
    state.hands[seat] = without_card(state.hands[seat], card)
    state.discards[seat] = with_card(state.discards[seat], card)
    state.drawn = NO_CARD
    if events is not None:
        events.append(Shown(PUBLIC, Discarded(seat, card)))
    asked = takers(state.hands, state.melds, seat, card)
    if asked or state.window_ms:
        state.phase = PHASE_WINDOW
        state.offered = card
        state.asked = asked
    else:
        _pass_on(state, events)


def lay_four(state: TashotState, seat: int, cards: int, events: Events) -> None:
    """Lays a set of four open for a seat, which moves on (TA3.3)."""
    state.hands[seat] = without(state.hands[seat], cards)
    if state.drawn != NO_CARD and not state.hands[seat] & mask_of_card(state.drawn):
        state.drawn = NO_CARD
    _open(state, OpenMeld(seat, cards, SET, melds_of(cards)[0].strength), NOBODY, events)


def answer(state: TashotState, seat: int, move: TashotMove, events: Events) -> None:
    """Stores a seat's answer. The last answer closes a window that has no time (TA4)."""
    state.asked &= ~(1 << seat)
    if not isinstance(move, Decline):
        state.answers[seat] = move
    if not state.asked and not state.window_ms:
        close_window(state, events)


def close_window(state: TashotState, events: Events) -> None:
    """Gives the discarded card to the seat that wants it; among several to a winner, then to the soonest seat
    (TA4.4).
    """
    state.asked = 0
    answers = state.answers
    if not any(answers):
        state.offered = NO_CARD
        _pass_on(state, events)
        return
    seats, source = state.seats, state.turn
    state.answers = [None] * seats
    wanted = [(seat, answers[seat]) for seat in [(source + step) % seats for step in range(1, seats)]]
    for seat, move in wanted:
        if isinstance(move, Win):
            win(state, seat, source, events)
            return
    for seat, move in wanted:
        if isinstance(move, Call):
            _call(state, seat, source, move, events)
            return


def _call(state: TashotState, seat: int, source: int, call: Call, events: Events) -> None:
    """Takes the discarded card for a seat's meld; the seat pays for it and discards (TA5)."""
    seats = state.seats
    state.hands[seat] = after_call(state.hands[seat], call, state.offered)
    state.discards[source] = without_card(state.discards[source], state.offered)
    state.offered = NO_CARD
    state.scores[seat] -= 1
    state.scores[source] += 1
    passed = source
    while passed != seat:  # who discarded has finished its turn, and those in between are skipped
        state.unfinished &= ~(1 << passed)
        passed = (passed + 1) % seats
    state.phase = PHASE_CALLED
    state.turn = seat
    state.asked = 1 << seat
    form = melds_of(call.cards)[0].form
    _open(state, OpenMeld(seat, call.cards, form, call.strength), source, events)


def _open(state: TashotState, meld: OpenMeld, source: int, events: Events) -> None:
    """Lays a meld open. A set of four is paid for at once (TA5.5)."""
    seat = meld.seat
    state.melds[seat] = meld
    if meld.cards.bit_count() == 4:
        scores = state.scores
        for payer in range(state.seats):
            scores[payer] += state.seats - 1 if payer == seat else -1
    if events is not None:
        events.append(Shown(PUBLIC, Opened(seat, source, meld.cards, meld.form, meld.strength)))


def _pass_on(state: TashotState, events: Events) -> None:
    """Lets the next seat draw when nobody has taken the card, or ends the deal without a winner (TA8.1)."""
    seat = state.turn
    state.unfinished &= ~(1 << seat)
    if state.stock:
        _draw(state, seat + 1 if seat + 1 < state.seats else 0, events)
    else:
        _end_deal(state, NOBODY, 0, events)


def win(state: TashotState, seat: int, source: int, events: Events) -> None:
    """Wins the deal for a seat, with a card drawn (`source` is -1) or discarded by another (TA6, TA7)."""
    hand, meld = state.hands[seat], state.melds[seat]
    if source != NOBODY:
        hand = with_card(hand, state.offered)
        state.discards[source] = without_card(state.discards[source], state.offered)
        state.offered = NO_CARD
    shape = shape_of(hand, meld)
    if shape is None:
        raise ValueError("a win was not checked")
    light = state.stock.pop() if state.lights and state.stock else NO_CARD
    if light != NO_CARD:
        state.turned += (light,)
    cards = all_cards(hand, meld)
    points = points_of(shape, cards, state.turned, bool(state.unfinished))
    paid = payments(points, seat, source, state.seats, state.dealer, state.multiplier)
    state.scores = [score + more for score, more in zip(state.scores, paid, strict=True)]
    if events is not None:
        events.append(Shown(PUBLIC, Won(seat, source, cards, light, *points)))
    _end_deal(state, seat, cards, events)


def _end_deal(state: TashotState, winner: int, cards: int, events: Events) -> None:
    """Ends the deal, and deals the next one if there is one (TA8)."""
    if events is not None:
        scores = tuple([now - before for now, before in zip(state.scores, state.before, strict=True)])
        events.append(Shown(PUBLIC, DealEnded(winner, scores)))
    state.drawn = NO_CARD
    state.asked = 0
    if state.deal + 1 == state.deals:
        state.phase = PHASE_OVER
        state.winner, state.won_with = winner, cards
        return
    state.deal += 1
    if winner != NOBODY:
        state.multiplier = next_multiplier(state.multiplier, state.dealer, winner)
        state.dealer = winner
    deal_cards(state, events)
