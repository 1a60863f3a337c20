"""The effects of the moves of Houniek (rules page `docs/rules/houniek.md`, HO1, HO5 and HO7). The moves have been
checked before.

Each function appends its events to `events`, and makes none if `events` is None.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.houniek.melds import colours_of
from fudaba_games.houniek.state import MAX_SEATS, HouniekState
from fudaba_games.houniek.values import DealEnded, Dealt, HouniekEvent, Laid, Lay, Passed, Received, RoundBegan
from fudaba_games.kamikisen.cards import CARD_OF_BIT, INNER, joined, mask_of
from fudaba_games.kamikisen.dealing import deal_hands, shuffled_places
from fudaba_games.kamikisen.one_by_one import NOBODY
from fudaba_games.kamikisen.scoring import shared

Events = EventSink[HouniekEvent]

CARDS_PER_DRAW: Final = 2
"""The number of cards that the leader of a round draws."""
PRICE_POINTS: Final = 1
"""The price that each loser pays."""
USUAL_HAND: Final = "usual"
HAND_CHOICES: Final = (USUAL_HAND, "eight", "twelve")
"""The values of the option `hand`."""

# What is made all the time is few and immutable: made once, and shared by all matches.
_PASSED: Final = tuple(Shown[HouniekEvent](PUBLIC, Passed(seat)) for seat in range(MAX_SEATS))


def hand_size(option: str, seats: int) -> int:
    """Returns how many cards each seat is dealt, by the option `hand`."""
    if option == USUAL_HAND:
        return 12 if seats == 2 else 8
    return 8 if option == "eight" else 12


def deal_cards(state: HouniekState, events: Events) -> None:
    """Deals the deal that `state.deal` and `state.dealer` name. The dealer leads to the first round."""
    seats, dealer, size = state.seats, state.dealer, state.hand_size
    places = shuffled_places(state.seed, state.deal, 0)
    state.hands = deal_hands(places, seats, dealer, size)
    state.stock = tuple([CARD_OF_BIT[place] for place in places[seats * size :]])
    state.cleared = 0
    state.table = ()
    state.round = 0
    if events is not None:
        events.append(Shown(PUBLIC, Dealt(state.deal, dealer)))
        order = [(dealer + offset) % seats for offset in range(seats)]
        events.extend([Shown(1 << seat, Received(seat, state.hands[seat])) for seat in order])
    _begin_round(state, dealer, events)


def _begin_round(state: HouniekState, leader: int, events: Events) -> None:
    """Begins a round. Its leader draws, and then must lay a meld."""
    state.leader = state.turn = leader
    state.form = state.size = state.colours = 0
    state.foot = state.newest = -1
    drawn = state.stock[:CARDS_PER_DRAW]
    cards = mask_of(drawn)
    if drawn:
        state.stock = state.stock[CARDS_PER_DRAW:]
        state.hands[leader] = joined(state.hands[leader], cards)
    if events is not None:
        events.append(Shown(PUBLIC, RoundBegan(state.round, leader, len(drawn))))
        if drawn:
            events.append(Shown(1 << leader, Received(leader, cards)))


def pass_on(state: HouniekState, seat: int, events: Events) -> None:
    """Passes for a seat. When all the others have passed, the seat of the newest meld leads to the next round."""
    if events is not None:
        events.append(_PASSED[seat])
    turn = seat + 1 if seat + 1 < state.seats else 0
    if turn != state.newest:
        state.turn = turn
        return
    for laid in state.table:
        state.cleared = joined(state.cleared, laid.cards)
    state.table = ()
    state.round += 1
    _begin_round(state, turn, events)


def lay(state: HouniekState, seat: int, move: Lay, events: Events) -> None:
    """Lays a meld for a seat. With its last card the seat wins the deal."""
    form, cards, foot = move
    hand = state.hands[seat] ^ cards
    while high := hand & INNER & ~(hand << 1):  # `settled`, without a call
        hand ^= high | high >> 1
    state.hands[seat] = hand
    state.form = form
    state.size = cards.bit_count()
    state.foot = foot
    state.colours = colours_of(cards)
    state.newest = seat
    laid = Laid(seat, form, cards, foot)
    state.table += (laid,)
    if events is not None:
        events.append(Shown(PUBLIC, laid))
    if hand:
        state.turn = seat + 1 if seat + 1 < state.seats else 0
    else:
        _end_deal(state, seat, events)


def _end_deal(state: HouniekState, winner: int, events: Events) -> None:
    """Scores the deal, and deals the next one if there is one."""
    scores = shared((winner,), state.seats, PRICE_POINTS)
    if events is not None:
        events.append(Shown(PUBLIC, DealEnded(winner, scores)))
    state.scores = tuple([score + other for score, other in zip(state.scores, scores, strict=True)])
    if state.deal + 1 == state.deals:
        state.turn = NOBODY
        return
    state.deal += 1
    state.dealer = winner
    deal_cards(state, events)
