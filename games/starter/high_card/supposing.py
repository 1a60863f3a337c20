"""A state that looks like a view: what search needs that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.game import SEED_BYTES
from high_card.state import HighCardState
from high_card.turns import DECK, HAND_CARDS
from high_card.values import HighCardView


def supposed(view: HighCardView, seat: int, deals: int) -> HighCardState:
    """Returns a state in which `seat` has this view and is asked. What it does not know is made up: redeal it."""
    state = HighCardState(bytes(SEED_BYTES), deals, view.dealer)
    state.deal = view.deal
    unseen = [card for card in DECK if card not in view.hand and card not in view.played]
    state.hands[seat] = list(view.hand)
    state.hands[1 - seat] = unseen[:HAND_CARDS]
    state.stock = unseen[HAND_CARDS:]
    state.played = view.played
    state.scores = view.scores
    return state
