"""A state of Namto that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.game import SEED_BYTES
from fudaba_games.kamikisen.betting import mask_of_seats, seats_in
from fudaba_games.kamikisen.dealing import some_cards
from fudaba_games.namto.state import NamtoState
from fudaba_games.namto.turns import HAND_CARDS
from fudaba_games.namto.values import NamtoView, Phase


def supposed(
    view: NamtoView, seat: int, seats: int, deals: int, stack: int, entry: int, *, second_pass: bool
) -> NamtoState:
    """Returns a state in which `seat` has this view. It fills in the rest arbitrarily, so redeal the state before you
    play it.
    """
    state = NamtoState(bytes(SEED_BYTES), seats, deals, view.opener, stack, entry, view.rounds, second_pass=second_pass)
    state.deal = view.deal
    state.dealer = view.dealer
    state.phase = view.phase
    state.turn = view.turn
    state.round = view.round
    state.last = max(view.bets)
    state.max_bet = view.max_bet
    state.to_act = _to_act(view, seats)
    state.bets = list(view.bets)
    state.paid = list(view.paid)
    state.stacks = list(view.stacks)
    state.playing = view.playing
    state.staying = view.staying
    state.hands = [some_cards(HAND_CARDS) if view.playing >> index & 1 else 0 for index in range(seats)]
    state.hands[seat] = view.hand
    state.shared_cards = view.shared_cards
    state.shared = view.shared
    state.stock = [0] * (view.rounds - 1 - view.round)
    state.scores = view.scores
    return state


def _to_act(view: NamtoView, seats: int) -> int:
    """Returns the seats that have yet to act in this pass: in the first pass those from the turn on, up to the dealer,
    who began it.
    """
    staying = seats_in(view.staying)
    if view.phase == Phase.CALLING:
        last = max(view.bets)
        return mask_of_seats([stayer for stayer in staying if view.bets[stayer] < last])
    spoken = (view.turn - view.dealer) % seats
    return mask_of_seats([stayer for stayer in staying if (stayer - view.dealer) % seats >= spoken])
