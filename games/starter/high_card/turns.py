"""The course of a deal (rules page, HC2 to HC4). The moves have been checked before.

Each function appends its events to a list, and makes none if the list is None.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.shuffle import shuffled
from high_card.state import HighCardState
from high_card.values import Compared, DealEnded, Dealt, HighCardEvent, Received

Events = EventSink[HighCardEvent]

DECK: Final = tuple(range(1, 13))
"""The deck, in deck order."""
HAND_CARDS: Final = 3
"""The number of cards that a seat holds."""
ROUNDS_PER_DEAL: Final = 3
"""The number of rounds of a deal."""


def deal_cards(state: HighCardState, events: Events) -> None:
    """Deals the deal that `state.deal` names (HC2)."""
    deck = shuffled(list(DECK), state.seed, state.deal, 0)
    first, second = deck[: 2 * HAND_CARDS : 2], deck[1 : 2 * HAND_CARDS : 2]
    state.hands = [sorted(first), sorted(second)] if state.dealer == 0 else [sorted(second), sorted(first)]
    state.stock = deck[2 * HAND_CARDS :]
    state.played = ()
    if events is not None:
        events.append(Shown(PUBLIC, Dealt(state.deal, state.dealer)))
        events.extend([Shown(1 << seat, Received(seat, tuple(hand))) for seat, hand in enumerate(state.hands)])


def choose(state: HighCardState, seat: int, card: int, events: Events) -> None:
    """Plays a seat's choice of a card, or 0 to pass. The second choice ends the round (HC3)."""
    state.chosen[seat] = card
    if min(state.chosen) >= 0:
        _compare(state, events)


def _compare(state: HighCardState, events: Events) -> None:
    """Compares the choices of both seats, which then draw (HC3.3, HC3.4)."""
    first, second = state.chosen
    state.chosen = [-1, -1]
    state.played += (first, second)
    won = (first > second) - (first < second)
    state.scores = (state.scores[0] + won, state.scores[1] - won)
    if events is not None:
        events.append(Shown(PUBLIC, Compared((first, second))))
    for seat, card in enumerate((first, second)):
        if card:
            _draw(state, seat, card, events)
    if len(state.played) == 2 * ROUNDS_PER_DEAL:
        _end_deal(state, events)


def _draw(state: HighCardState, seat: int, played: int, events: Events) -> None:
    drawn = state.stock.pop(0)
    state.hands[seat] = sorted([drawn if card == played else card for card in state.hands[seat]])
    if events is not None:
        events.append(Shown(1 << seat, Received(seat, (drawn,))))


def _end_deal(state: HighCardState, events: Events) -> None:
    """Ends the deal, and deals the next one if there is one (HC4)."""
    if events is not None:
        events.append(Shown(PUBLIC, DealEnded(state.scores)))
    if state.deal + 1 == state.deals:
        state.over = True
        return
    state.deal += 1
    state.dealer = 1 - state.dealer
    deal_cards(state, events)
