"""The effects of the moves of Niekhi (rules page `docs/rules/niekhi.md`, NI3 to NI9). The moves have been checked
before.

Each function appends its events to a list, and makes none if the list is None.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.kamikisen.cards import DECK_SIZE, STRENGTH_OF_BIT
from fudaba_games.kamikisen.dealing import shuffled_places
from fudaba_games.kamikisen.scoring import next_dealer, shared
from fudaba_games.niekhi.cards import COUNT_MASK, GENERAL_BIT, ONE, counts_of_strengths, less, size_of
from fudaba_games.niekhi.state import MAX_SEATS, NOBODY, NiekhiState
from fudaba_games.niekhi.values import (
    PHASE_GENERALS,
    PHASE_LAYING,
    PHASE_OVER,
    Cleared,
    DealEnded,
    Dealt,
    Declined,
    Laid,
    Lay,
    Named,
    NiekhiEvent,
    Passed,
    Received,
    Took,
)

MAX_TURNS: Final = 400
"""The largest number of turns of a deal (NI8.3)."""

Events = EventSink[NiekhiEvent]


# What is made all the time is few and immutable: made once, and shared by all matches.
_PASSED: Final = tuple(Shown[NiekhiEvent](PUBLIC, Passed(seat)) for seat in range(MAX_SEATS))
_CLEARED: Final = tuple(Shown[NiekhiEvent](PUBLIC, Cleared(seat)) for seat in range(MAX_SEATS))
_DECLINED: Final = tuple(Shown[NiekhiEvent](PUBLIC, Declined(seat)) for seat in range(MAX_SEATS))


def deal_cards(state: NiekhiState, events: Events) -> None:
    """Deals the deal that `state.deal` and `state.dealer` name (NI3)."""
    seats, dealer = state.seats, state.dealer
    size = DECK_SIZE // seats
    cards = [ONE[STRENGTH_OF_BIT[place]] for place in shuffled_places(state.seed, state.deal, 0)]
    state.phase = PHASE_LAYING
    state.turn = dealer
    state.turns = state.passes = state.generals = 0
    state.sizes = [size] * seats
    state.known = (0,) * seats
    state.table = ()
    state.size = state.length = state.strength = 0
    state.pile = state.named = state.removed = 0
    state.out = sum(cards[seats * size :])
    for order in range(seats):
        state.hands[(dealer + order) % seats] = sum(cards[order : seats * size : seats])
    if events is not None:
        events.append(Shown(PUBLIC, Dealt(state.deal, dealer, size)))
        events += [Shown(1 << seat, Received(seat, hand)) for seat, hand in enumerate(state.hands)]


def pass_by(state: NiekhiState, seat: int, events: Events) -> None:
    """Passes for a seat. When all others have passed, the table is cleared (NI5.3, NI5.5)."""
    if events is not None:
        events.append(_PASSED[seat])
    state.turns += 1
    state.passes += 1
    if state.turns < MAX_TURNS and state.passes == state.seats - 1:
        _clear_table(state, events)
    _next_turn(state, seat, events)


def _clear_table(state: NiekhiState, events: Events) -> None:
    """Moves the table to the discard pile, and named strengths out of the game."""
    table = state.table
    cards = sum([laid.cards for laid in table])
    gone = cards & counts_of_strengths(state.named)
    state.pile += cards - gone
    state.removed += gone
    if events is not None:
        events.append(_CLEARED[table[-1].seat])
    state.table = ()
    state.size = state.length = state.strength = 0
    state.passes = 0


def lay_meld(state: NiekhiState, seat: int, lay: Lay, events: Events) -> None:
    """Lays a meld for a seat (NI5, NI6). The seat uses its generals before anybody else moves (NI7)."""
    cards = lay.cards
    laid = Laid(seat, cards, lay.length, lay.strength)
    if events is not None:
        events.append(Shown(PUBLIC, laid))
    hand = state.hands[seat] = state.hands[seat] - cards
    size = size_of(cards)
    state.sizes[seat] -= size
    if state.known[seat]:
        _set_known(state, seat, less(state.known[seat], cards))
    state.table += (laid,)
    state.size = size
    state.length = lay.length
    state.strength = lay.strength
    state.passes = 0
    state.turns += 1
    generals = cards >> GENERAL_BIT & COUNT_MASK
    if not hand:
        _end_deal(state, (seat,), events)
    elif generals:
        state.phase = PHASE_GENERALS
        state.generals = generals
    else:
        _next_turn(state, seat, events)


def _set_known(state: NiekhiState, seat: int, cards: int) -> None:
    state.known = (*state.known[:seat], cards, *state.known[seat + 1 :])


def waive(state: NiekhiState, seat: int, events: Events) -> None:
    """Declines the use of a seat's generals (NI7.2)."""
    if events is not None:
        events.append(_DECLINED[seat])
    _generals_used(state, seat, events)


def name_strengths(state: NiekhiState, seat: int, strengths: int, events: Events) -> None:
    """Removes all cards of some strengths from the game (NI7.3, NI7.7)."""
    counts = counts_of_strengths(strengths)
    hands = state.hands
    gone = state.pile & counts
    state.pile -= gone
    lost: list[int] = []
    for holder, hand in enumerate(hands):
        part = hand & counts
        lost.append(size_of(part))
        gone += part
        hands[holder] = hand - part
        state.sizes[holder] -= lost[holder]
    state.known = tuple([known & ~counts for known in state.known])
    state.removed += gone
    state.named |= strengths
    if events is not None:
        events.append(Shown(PUBLIC, Named(seat, strengths, gone, tuple(lost))))
    if not hands[seat]:
        _end_deal(state, (seat,), events)
    elif 0 in hands:
        _end_deal(state, tuple([winner for winner, hand in enumerate(hands) if not hand]), events)
    else:
        _generals_used(state, seat, events)


def take_cards(state: NiekhiState, seat: int, cards: int, events: Events) -> None:
    """Takes cards from the discard pile for a seat (NI7.5)."""
    state.pile -= cards
    state.hands[seat] += cards
    state.sizes[seat] += size_of(cards)
    _set_known(state, seat, state.known[seat] + cards)
    if events is not None:
        events.append(Shown(PUBLIC, Took(seat, cards)))
    _generals_used(state, seat, events)


def _generals_used(state: NiekhiState, seat: int, events: Events) -> None:
    state.phase = PHASE_LAYING
    state.generals = 0
    _next_turn(state, seat, events)


def _next_turn(state: NiekhiState, seat: int, events: Events) -> None:
    """Begins the next seat's turn. After the last turn the deal ends, and the fewest cards win (NI8.3)."""
    if state.turns >= MAX_TURNS:
        sizes = state.sizes
        fewest = min(sizes)
        _end_deal(state, tuple([winner for winner, size in enumerate(sizes) if size == fewest]), events)
        return
    state.turn = seat + 1 if seat + 1 < state.seats else 0


def _end_deal(state: NiekhiState, winners: tuple[int, ...], events: Events) -> None:
    """Scores the deal, and deals the next one if there is one (NI9)."""
    scores = shared(winners, state.seats, 1)
    state.scores = tuple([score + other for score, other in zip(state.scores, scores, strict=True)])
    if events is not None:
        events.append(Shown(PUBLIC, DealEnded(winners, tuple(state.sizes), scores)))
    if state.deal + 1 == state.deals:
        state.phase = PHASE_OVER
        state.turn = NOBODY
        state.generals = 0
        return
    state.deal += 1
    state.dealer = next_dealer(winners, state.dealer, state.seats)
    deal_cards(state, events)
