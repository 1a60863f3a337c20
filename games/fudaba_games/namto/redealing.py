"""Other deals of Namto that look the same to a seat (rules page `docs/rules/namto.md`, NT9)."""

from __future__ import annotations

from fudaba_games.game import Chance
from fudaba_games.kamikisen.cards import DECK, joined, without
from fudaba_games.kamikisen.dealing import deal_at_random, stock_at_random
from fudaba_games.namto.state import NamtoState
from fudaba_games.shuffle import random_seed


def redealt(state: NamtoState, seat: int | None, chance: Chance) -> NamtoState:
    """Deals anew the cards that `seat` does not know, to hands and stock. Every deal is equally likely."""
    other = state.clone()
    other.seed = random_seed(chance)
    sizes = [hand.bit_count() for hand in state.hands]
    known = state.shared_cards
    for holder, hand in enumerate(state.hands):
        if holder == seat or state.shown >> holder & 1:
            known = joined(known, hand)
            sizes[holder] = 0
    *dealt, rest = deal_at_random(without(DECK, known), sizes, chance)
    other.hands = [cards or hand for cards, hand in zip(dealt, state.hands, strict=True)]
    other.stock = stock_at_random(rest, chance)[: len(state.stock)]
    return other
