"""A state of Makkaik that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.game import SEED_BYTES
from fudaba_games.kamikisen.dealing import some_cards
from fudaba_games.makkaik.state import MakkaikState
from fudaba_games.makkaik.turns import CARDS_PER_DRAW, HAND_CARDS
from fudaba_games.makkaik.values import Exchange, MakkaikView


def supposed(view: MakkaikView, seat: int, seats: int, deals: int) -> MakkaikState:
    """Returns a state in which `seat` has this view. It fills in the rest arbitrarily, so redeal the state before you
    play it.
    """
    state = MakkaikState(bytes(SEED_BYTES), seats, deals, view.opener)
    state.deal = view.deal
    state.dealer = view.dealer
    state.phase = view.phase
    state.turn = view.turn
    state.round = view.round
    state.base = view.base
    state.paid = list(view.paid)
    state.staying = view.staying
    state.hands = [some_cards(HAND_CARDS)] * seats
    state.hands[seat] = view.hand
    state.public_cards = view.public_cards
    drew = sum([exchange == Exchange.DREW for exchange in view.exchanges])
    state.stock = [0] * (CARDS_PER_DRAW * (seats - drew))
    state.drawn = view.drawn
    state.exchanges = list(view.exchanges)
    state.taken = list(view.taken)
    state.scores = view.scores
    return state
