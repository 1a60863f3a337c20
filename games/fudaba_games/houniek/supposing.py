"""A state of Houniek that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.game import SEED_BYTES
from fudaba_games.houniek.melds import colours_of
from fudaba_games.houniek.state import HouniekState
from fudaba_games.houniek.values import HouniekView
from fudaba_games.kamikisen.dealing import some_cards


def supposed(view: HouniekView, seat: int, seats: int, deals: int, hand_size: int) -> HouniekState:
    """Returns a state in which `seat` has this view. It fills in the rest arbitrarily, so redeal the state before you
    play it.
    """
    state = HouniekState(bytes(SEED_BYTES), seats, deals, view.dealer, hand_size)
    state.deal = view.deal
    state.round = view.round
    state.turn = view.turn
    state.leader = view.leader
    state.table = view.table
    if view.table:
        newest = view.table[-1]
        state.form = newest.form
        state.size = newest.cards.bit_count()
        state.foot = newest.foot
        state.colours = colours_of(newest.cards)
        state.newest = newest.seat
    state.cleared = view.cleared
    state.hands = [some_cards(size) for size in view.hand_sizes]
    state.hands[seat] = view.hand
    state.stock = (0,) * view.stock
    state.scores = view.scores
    return state
