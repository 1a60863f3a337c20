"""A state of Niekhi that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.game import SEED_BYTES
from fudaba_games.niekhi.cards import size_of
from fudaba_games.niekhi.state import NiekhiState
from fudaba_games.niekhi.values import NiekhiView, Phase


def supposed(view: NiekhiView, seat: int, seats: int, deals: int) -> NiekhiState:
    """Returns a state in which `seat` has this view. The hands that the seat does not know are empty, so redeal the
    state.
    """
    state = NiekhiState(bytes(SEED_BYTES), seats, deals, view.dealer)
    state.deal = view.deal
    state.phase = view.phase
    state.turn = view.turn
    state.turns = view.turns
    state.generals = view.generals
    state.hands[seat] = view.hand
    state.sizes = list(view.hand_sizes)
    state.known = view.known
    state.table = view.table
    if view.table:
        newest = view.table[-1]
        state.size = size_of(newest.cards)
        state.length = newest.length
        state.strength = newest.strength
        if view.phase == Phase.LAYING:
            state.passes = (view.turn - newest.seat - 1) % seats
    state.pile = view.pile
    state.named = view.named
    state.removed = view.removed
    state.scores = view.scores
    return state
