"""Other deals of Houniek that look the same to a seat (rules page `docs/rules/houniek.md`, HO10)."""

from __future__ import annotations

from fudaba_games.game import Chance
from fudaba_games.houniek.state import HouniekState
from fudaba_games.kamikisen.cards import DECK, joined, without
from fudaba_games.kamikisen.dealing import deal_at_random, stock_at_random
from fudaba_games.shuffle import random_seed


def redealt(state: HouniekState, seat: int | None, chance: Chance) -> HouniekState:
    """Returns another state with the same view for `seat`: it deals anew, to hands and stock, the cards that the
    seat does not know.

    A seat may always pass, so passing reveals nothing about its hand. Every possible deal is equally likely.
    """
    other = state.clone()
    other.seed = random_seed(chance)
    known = state.cleared
    for laid in state.table:
        known = joined(known, laid.cards)
    sizes = [hand.bit_count() for hand in state.hands]
    if seat is not None:
        known = joined(known, state.hands[seat])
        sizes[seat] = 0
    dealt = deal_at_random(without(DECK, known), sizes, chance)
    other.hands = [state.hands[index] if index == seat else dealt[index] for index in range(state.seats)]
    other.stock = tuple(stock_at_random(dealt[-1], chance))
    return other
