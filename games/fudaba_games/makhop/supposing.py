"""A state of Makhop that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.game import SEED_BYTES
from fudaba_games.kamikisen.dealing import some_cards
from fudaba_games.makhop.state import MakhopState
from fudaba_games.makhop.values import MakhopView


def supposed(view: MakhopView, seat: int, seats: int, deals: int, max_roads: int) -> MakhopState:
    """Returns a state in which `seat` has this view. It fills in the rest arbitrarily, so redeal the state before you
    play it.
    """
    state = MakhopState(bytes(SEED_BYTES), seats, deals, view.dealer, max_roads)
    state.deal = view.deal
    state.turns = view.turns
    state.idle = view.idle
    state.turn = view.turn
    state.roads = view.roads
    state.hands = [some_cards(size) for size in view.hand_sizes]
    state.hands[seat] = view.hand
    state.stock = (0,) * view.stock
    state.stock_cards = view.stock_cards
    state.vanished = view.vanished
    state.shuffles = view.shuffles
    state.scores = view.scores
    return state
