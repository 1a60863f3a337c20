"""The effects of the moves of Mokkaik (rules page `docs/rules/mokkaik.md`, MO1 to MO5). The moves have been checked
before.

Each function appends its events to `events`, and makes none if `events` is None.
"""

from __future__ import annotations

from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.kamikisen.cards import INNER, RED, joined, settled
from fudaba_games.kamikisen.dealing import deal_hands, shuffled_places
from fudaba_games.kamikisen.one_by_one import NOBODY
from fudaba_games.kamikisen.scoring import next_multiplier
from fudaba_games.mokkaik.scoring import payments
from fudaba_games.mokkaik.state import MokkaikState
from fudaba_games.mokkaik.values import (
    DealEnded,
    Dealt,
    Discarded,
    Laid,
    Lay,
    MokkaikEvent,
    MokkaikMove,
    Received,
    RoundWon,
)

Events = EventSink[MokkaikEvent]


def hand_size(seats: int) -> int:
    """Returns the number of cards that each seat is dealt (MO1.1)."""
    return 10 if seats <= 4 else 8


def deal_cards(state: MokkaikState, events: Events) -> None:
    """Deals the deal that `state.deal` and `state.dealer` name. The dealer leads (MO1)."""
    seats, dealer = state.seats, state.dealer
    state.hands = deal_hands(shuffled_places(state.seed, state.deal, 0), seats, dealer, hand_size(seats))
    state.discards = [0] * seats
    state.public_cards = [0] * seats
    state.beaten = 0
    state.round = 0
    state.turn = state.leader = dealer
    if events is not None:
        events.append(Shown(PUBLIC, Dealt(state.deal, dealer, state.multiplier)))
        order = [(dealer + offset) % seats for offset in range(seats)]
        events.extend([Shown(1 << seat, Received(seat, state.hands[seat])) for seat in order])


def play(state: MokkaikState, seat: int, move: MokkaikMove, events: Events) -> None:
    """Plays a seat's move: it lays the first meld of the round or a better one than those before, or discards (MO2,
    MO3).
    """
    cards = move.cards
    hand = state.hands[seat] ^ cards
    if hand & INNER and cards << 1 & hand & INNER:  # a further copy of one of them is left
        hand = settled(hand)
    state.hands[seat] = hand
    if isinstance(move, Lay):
        if not state.form:
            state.form = move.form
            state.size = cards.bit_count()
            state.reds = (cards & RED).bit_count()
        state.strength = move.strength
        state.laid.append(cards)
        state.laid_by.append(seat)
        if events is not None:
            events.append(Shown(PUBLIC, Laid(seat, move.form, cards, move.strength)))
    else:
        pile = state.discards[seat]
        state.discards[seat] = joined(pile, cards) if pile & cards else pile | cards
        if events is not None:
            events.append(Shown(PUBLIC, Discarded(seat, state.size)))
    turn = seat + 1 if seat + 1 < state.seats else 0
    if turn == state.leader:
        _end_round(state, events)
    else:
        state.turn = turn


def _end_round(state: MokkaikState, events: Events) -> None:
    """Ends a round. The best meld becomes public cards of its owner, who leads to the next round or wins the deal
    (MO4).
    """
    laid, winner = state.laid, state.laid_by[-1]
    cards = laid.pop()
    for beaten in laid:
        state.beaten = joined(state.beaten, beaten)
    public = state.public_cards[winner]
    state.public_cards[winner] = joined(public, cards) if public & cards else public | cards
    state.laid, state.laid_by = [], []
    state.form = state.size = state.reds = 0
    state.strength = -1
    state.leader = state.turn = winner
    if events is not None:
        events.append(Shown(PUBLIC, RoundWon(winner, cards)))
    if state.hands[winner]:
        state.round += 1
    else:
        _end_deal(state, winner, events)


def _end_deal(state: MokkaikState, winner: int, events: Events) -> None:
    """Scores the deal, and deals the next one if there is one (MO5)."""
    counts = tuple([cards.bit_count() for cards in state.public_cards])
    scores = payments(winner, counts, state.dealer, state.multiplier)
    if events is not None:
        events.append(Shown(PUBLIC, DealEnded(winner, counts, scores)))
    state.scores = tuple([score + other for score, other in zip(state.scores, scores, strict=True)])
    if state.deal + 1 == state.deals:
        state.turn = NOBODY
        return
    state.deal += 1
    state.multiplier = next_multiplier(state.multiplier, state.dealer, winner)
    state.dealer = winner
    deal_cards(state, events)
