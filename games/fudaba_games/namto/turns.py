"""The effects of the moves of Namto (rules page `docs/rules/namto.md`, NT1 to NT7). The moves have been checked before.

Each function appends its events to `events`, and makes none if `events` is None.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.kamikisen.betting import mask_of_seats, next_in, seats_in, shares
from fudaba_games.kamikisen.cards import BIT_OF, CARD_OF_BIT, joined
from fudaba_games.kamikisen.dealing import cards_at, shuffled_places
from fudaba_games.kamikisen.one_by_one import NOBODY
from fudaba_games.namto.melds import best_melds, winners_of
from fudaba_games.namto.state import NamtoState
from fudaba_games.namto.values import (
    PHASE_BETTING,
    PHASE_CALLING,
    PHASE_OVER,
    BetMade,
    Called,
    DealEnded,
    DealerChanged,
    Dealt,
    Folded,
    NamtoEvent,
    Opened,
    Received,
    Showdown,
    ShownHand,
)

Events = EventSink[NamtoEvent]

HAND_CARDS: Final = 2
"""The number of cards that a seat is dealt (NT1.4)."""


def number_of_deals(option: int, seats: int) -> int:
    """Returns the largest number of deals of a match (NT7.2): the option `deals`, or twice the number of seats."""
    return option or 2 * seats


def begin(state: NamtoState, events: Events) -> None:
    """Deals the first cards and begins the first round."""
    _deal_cards(state, events)
    _begin_round(state, events)


def _deal_cards(state: NamtoState, events: Events) -> None:
    """Deals the deal that `state.deal`, `state.opener` and `state.playing` name, and takes the entry (NT1)."""
    seats, dealer, playing = state.seats, state.opener, state.playing
    places = shuffled_places(state.seed, state.deal, 0)
    order = [seat for seat in [(dealer + offset) % seats for offset in range(seats)] if playing >> seat & 1]
    dealt = len(order) * HAND_CARDS
    state.hands = [0] * seats
    state.paid = [0] * seats
    for place, seat in enumerate(order):
        state.hands[seat] = cards_at(places[place : dealt : len(order)])
        state.paid[seat] = state.entry
        state.stacks[seat] -= state.entry
    state.stock = [CARD_OF_BIT[place] for place in reversed(places[dealt : dealt + state.rounds - 1])]
    state.shared_cards = 0
    state.shared = ()
    state.staying = playing
    state.dealer = dealer
    state.round = 0
    if events is not None:
        events.append(Shown(PUBLIC, Dealt(state.deal, dealer, playing, sum(state.paid))))
        events.extend([Shown(1 << seat, Received(seat, state.hands[seat])) for seat in order])


def bet(state: NamtoState, seat: int, points: int, events: Events) -> None:
    """Bets for a seat (NT3.4)."""
    state.last = points
    _pay(state, seat, points)
    if events is not None:
        events.append(Shown(PUBLIC, BetMade(seat, points)))
    _next_to_act(state, seat, events)


def call(state: NamtoState, seat: int, events: Events) -> None:
    """Calls for a seat: it pays the difference to the highest bet, which is the last one (NT4.1)."""
    points = state.last - state.bets[seat]
    _pay(state, seat, points)
    if events is not None:
        events.append(Shown(PUBLIC, Called(seat, points)))
    _next_to_act(state, seat, events)


def fold(state: NamtoState, seat: int, events: Events) -> None:
    """Folds for a seat. The last seat that is left takes the pot (NT2.3); a dealer's place passes on (NT3.3)."""
    state.staying = staying = state.staying ^ 1 << seat
    if events is not None:
        events.append(Shown(PUBLIC, Folded(seat)))
    if not staying & staying - 1:
        _end_deal(state, seats_in(staying), events)
        return
    if seat == state.dealer:
        state.dealer = next_in(seat, staying)
        if events is not None:
            events.append(Shown(PUBLIC, DealerChanged(state.dealer)))
    _next_to_act(state, seat, events)


def _pay(state: NamtoState, seat: int, points: int) -> None:
    state.stacks[seat] -= points
    state.bets[seat] += points
    state.paid[seat] += points


def _next_to_act(state: NamtoState, seat: int, events: Events) -> None:
    """Passes the turn on. After the first pass comes the second (NT4), and after that the next round."""
    state.to_act &= ~(1 << seat)
    if not state.to_act and state.second_pass and state.phase == PHASE_BETTING:
        state.phase = PHASE_CALLING
        state.to_act = mask_of_seats([stayer for stayer in seats_in(state.staying) if state.bets[stayer] < state.last])
        seat = state.dealer - 1
    if state.to_act:
        state.turn = next_in(seat, state.to_act)
    elif _next_round(state, events):
        _begin_round(state, events)
    else:
        _showdown(state, events)


def _next_round(state: NamtoState, events: Events) -> bool:
    """Opens the next shared card (NT2.1). Returns False after the last round."""
    if not state.stock:
        return False
    card = state.stock.pop()
    state.shared_cards = joined(state.shared_cards, 1 << BIT_OF[card])
    state.shared += (card,)
    state.round += 1
    if events is not None:
        events.append(Shown(PUBLIC, Opened(card)))
    return True


def _begin_round(state: NamtoState, events: Events) -> None:
    """Begins this round, or the next one in which something can be paid (NT3.6); if there is none, shows the hands."""
    state.bets = [0] * state.seats
    state.last = 0
    state.phase = PHASE_BETTING
    state.max_bet = min([state.stacks[seat] for seat in seats_in(state.staying)])
    if state.max_bet:
        state.to_act = state.staying
        state.turn = state.dealer
        return
    while _next_round(state, events):
        pass
    _showdown(state, events)


def _showdown(state: NamtoState, events: Events) -> None:
    """Compares the hands of the seats that are still in (NT5, NT6)."""
    staying = seats_in(state.staying)
    winners = winners_of({seat: state.hands[seat] for seat in staying}, state.shared_cards)
    state.shown = state.staying
    if events is not None:
        events.append(Shown(PUBLIC, Showdown(tuple([_shown_hand(state, seat) for seat in staying]))))
    _end_deal(state, winners, events)


def _shown_hand(state: NamtoState, seat: int) -> ShownHand:
    hand = state.hands[seat]
    meld = best_melds(joined(hand, state.shared_cards))[0]
    return ShownHand(seat, hand, meld.rank, meld.cards, meld.strength)


def _end_deal(state: NamtoState, winners: tuple[int, ...], events: Events) -> None:
    """Pays out the pot, and deals the next cards if there is another deal (NT7)."""
    pot = sum(state.paid)
    got = shares(pot, winners, state.dealer, state.seats)
    if events is not None:
        scores = tuple([share - other for share, other in zip(got, state.paid, strict=True)])
        events.append(Shown(PUBLIC, DealEnded(winners, pot, scores)))
    for seat, points in enumerate(got):
        state.stacks[seat] += points
    state.scores = tuple([stack - state.stack for stack in state.stacks])
    playing = mask_of_seats([seat for seat in range(state.seats) if state.stacks[seat] >= state.entry])
    if state.deal + 1 == state.deals or not playing & playing - 1:
        state.paid = [0] * state.seats
        state.bets = [0] * state.seats
        state.phase = PHASE_OVER
        state.turn = NOBODY
        return
    state.shown = 0
    state.deal += 1
    state.playing = playing
    state.opener = next_in(state.opener, playing)
    _deal_cards(state, events)
    _begin_round(state, events)
