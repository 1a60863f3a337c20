"""A state of Napoleon that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from typing import Final

from fudaba_games.cards import mask_of
from fudaba_games.game import SEED_BYTES
from fudaba_games.napoleon.cards import APPROVE, HONOURS, SEAT_COUNT, call_of
from fudaba_games.napoleon.state import NapoleonState
from fudaba_games.napoleon.values import NapoleonView, Phase

_HAND_CARDS: Final = 10
_WIDOW_CARDS: Final = 2


def supposed(view: NapoleonView, seat: int, deals: int, sweep: str) -> NapoleonState:
    """Returns a state in which `seat` has this view. It fills in the rest arbitrarily, so redeal the state before you
    play it.
    """
    state = NapoleonState(bytes(SEED_BYTES), deals, view.dealer, sweep)
    state.deal = view.deal
    state.thrown_in = view.thrown_in
    state.phase = view.phase
    state.turn = view.turn
    state.calls = view.calls
    state.call = call_of(view.number, view.trump) if view.number else APPROVE
    state.trump = view.trump
    state.napoleon = view.napoleon
    state.named = view.named
    state.adjutant = view.adjutant
    state.revealed = view.adjutant >= 0
    state.leader = view.leader
    state.trick = list(view.trick)
    state.tricks = view.tricks
    state.winners = view.winners
    for trick, winner in enumerate(view.winners):
        state.taken[winner] |= mask_of(view.tricks[SEAT_COUNT * trick : SEAT_COUNT * (trick + 1)]) & HONOURS
    state.scores = view.scores
    _fill_hidden(state, view, seat)
    return state


def _fill_hidden(state: NapoleonState, view: NapoleonView, seat: int) -> None:
    """Fills the hidden hands with the right number of arbitrary cards."""
    played = [len(view.winners)] * SEAT_COUNT
    for place in range(len(view.trick)):
        played[(view.leader + place) % SEAT_COUNT] += 1
    sizes = [_HAND_CARDS - count for count in played]
    two = (1 << _WIDOW_CARDS) - 1
    if view.phase == Phase.AUCTION:
        state.widow = two
    elif view.phase == Phase.EXCHANGE:
        sizes[view.napoleon] += _WIDOW_CARDS
    else:
        state.buried = view.buried or two
    state.hands = [(1 << size) - 1 for size in sizes]
    state.hands[seat] = view.hand
