"""A state of Tashot that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.game import SEED_BYTES
from fudaba_games.kamikisen.dealing import some_cards
from fudaba_games.tashot.state import TashotState
from fudaba_games.tashot.values import TashotView


def supposed(view: TashotView, seat: int, seats: int, deals: int, lights: bool, window_ms: int) -> TashotState:
    """Returns a state in which `seat` has this view and is asked. It fills in the rest arbitrarily, so redeal the state
    before you play it.
    """
    state = TashotState(bytes(SEED_BYTES), seats, deals, view.dealer, lights, window_ms)
    state.deal = view.deal
    state.multiplier = view.multiplier
    state.phase = view.phase
    state.turn = view.turn
    state.asked = 1 << seat
    state.unfinished = view.unfinished
    state.drawn = view.drawn
    state.offered = view.offered
    state.hands = [some_cards(size) for size in view.hand_sizes]
    state.hands[seat] = view.hand
    for meld in view.melds:
        state.melds[meld.seat] = meld
    state.discards = list(view.discards)
    state.turned = view.lights
    state.scores = list(view.scores)
    state.before = tuple([score - paid for score, paid in zip(view.scores, view.paid, strict=True)])
    return state
