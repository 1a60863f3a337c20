"""A state of Mokkaik that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.game import SEED_BYTES
from fudaba_games.kamikisen.dealing import some_cards
from fudaba_games.mokkaik.state import MokkaikState
from fudaba_games.mokkaik.values import MokkaikView


def supposed(view: MokkaikView, seat: int, seats: int, deals: int) -> MokkaikState:
    """Returns a state in which `seat` has this view. It fills in the rest arbitrarily, so redeal the state before you
    play it.
    """
    state = MokkaikState(bytes(SEED_BYTES), seats, deals, view.dealer)
    state.deal = view.deal
    state.multiplier = view.multiplier
    state.round = view.round
    state.turn = view.turn
    state.leader = view.leader
    state.form = view.form
    state.size = view.size
    state.reds = view.reds
    state.strength = view.strength
    state.laid = list(view.laid)
    state.laid_by = list(view.laid_by)
    state.hands = [some_cards(size) for size in view.hand_sizes]
    state.hands[seat] = view.hand
    state.discards = [some_cards(size) for size in view.discard_counts]
    state.discards[seat] = view.discarded
    state.public_cards = list(view.public_cards)
    state.beaten = view.beaten
    state.scores = view.scores
    return state
