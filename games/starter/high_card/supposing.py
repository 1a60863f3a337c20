"""A state that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.game import SEED_BYTES
from high_card.state import HighCardState
from high_card.turns import DECK, HAND_CARDS
from high_card.values import HighCardView


def supposed(view: HighCardView, seat: int, deals: int) -> HighCardState:
    """Returns a state in which `seat` has this view and is asked. It fills in the rest arbitrarily, so redeal the state
    before you play it.
    """
    state = HighCardState(bytes(SEED_BYTES), deals, view.dealer)
    state.deal = view.deal
    unseen = [card for card in DECK if card not in view.hand and card not in view.played]
    state.hands[seat] = list(view.hand)
    state.hands[1 - seat] = unseen[:HAND_CARDS]
    state.stock = unseen[HAND_CARDS:]
    state.played = view.played
    state.scores = view.scores
    return state
