"""Other deals of Makhop that look the same to a seat (rules page `docs/rules/makhop.md`, MH10)."""

from __future__ import annotations

from fudaba_games.game import Chance
from fudaba_games.kamikisen.cards import DECK, joined, mask_of, without
from fudaba_games.kamikisen.dealing import deal_at_random, stock_at_random
from fudaba_games.makhop.state import MakhopState
from fudaba_games.shuffle import random_seed


def redealt(state: MakhopState, seat: int | None, chance: Chance) -> MakhopState:
    """Returns another state with the same view for `seat`: it deals anew, to hands and stock, the cards that the
    seat does not know.

    A seat may always open, so opening reveals nothing about its hand. After a reshuffle everybody knows which cards are
    in the stock; then only their order is new, and the hands are dealt from the other cards. Every possible deal is
    equally likely.
    """
    other = state.clone()
    other.seed = random_seed(chance)
    known = joined(state.vanished, mask_of([card for road in state.roads for card in road]))
    sizes = [hand.bit_count() for hand in state.hands]
    if seat is not None:
        known = joined(known, state.hands[seat])
        sizes[seat] = 0
    known = joined(known, state.stock_cards)
    dealt = deal_at_random(without(DECK, known), sizes, chance)
    other.hands = [state.hands[index] if index == seat else dealt[index] for index in range(state.seats)]
    other.stock = tuple(stock_at_random(state.stock_cards if state.shuffles else dealt[-1], chance))
    return other
