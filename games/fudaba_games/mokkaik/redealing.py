"""Other deals of Mokkaik that look the same to a seat (rules page `docs/rules/mokkaik.md`, MO8)."""

from __future__ import annotations

from fudaba_games.game import Chance
from fudaba_games.kamikisen.cards import DECK, joined, without
from fudaba_games.kamikisen.dealing import deal_at_random
from fudaba_games.mokkaik.state import MokkaikState
from fudaba_games.shuffle import random_seed


def redealt(state: MokkaikState, seat: int | None, chance: Chance) -> MokkaikState:
    """Returns another state with the same view for `seat`, with the cards that it does not know dealt anew.

    They go to hands, discards and stock. A seat may discard any cards, so a discard reveals nothing about its hand.
    Every possible deal is equally likely.
    """
    other = state.clone()
    other.seed = random_seed(chance)
    known = state.beaten
    for cards in (*state.public_cards, *state.laid):
        known = joined(known, cards)
    sizes = [pile.bit_count() for pile in (*state.hands, *state.discards)]
    if seat is not None:
        known = joined(joined(known, state.hands[seat]), state.discards[seat])
        sizes[seat] = sizes[state.seats + seat] = 0
    dealt = deal_at_random(without(DECK, known), sizes, chance)
    for hidden_seat in range(state.seats):
        if hidden_seat != seat:
            other.hands[hidden_seat] = dealt[hidden_seat]
            other.discards[hidden_seat] = dealt[state.seats + hidden_seat]
    return other
