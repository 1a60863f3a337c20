"""Other deals of Makkaik that look the same to a seat (rules page `docs/rules/makkaik.md`, MA9)."""

from __future__ import annotations

from fudaba_games.game import Chance
from fudaba_games.kamikisen.cards import DECK, joined, without
from fudaba_games.kamikisen.dealing import deal_at_random, stock_at_random
from fudaba_games.makkaik.state import MakkaikState
from fudaba_games.shuffle import random_seed


def redealt(state: MakkaikState, seat: int | None, chance: Chance) -> MakkaikState:
    """Deals anew the cards that `seat` does not know, to hands, drawn cards and stock. Every deal is equally likely.

    A seat holds the card that it has swapped in. The card that it gives away is its free choice, and nobody is shown
    which of the two cards of a drawing seat was drawn, so neither reveals anything about the rest of its hand.
    """
    other = state.clone()
    other.seed = random_seed(chance)
    kept = [
        hand if index == seat or state.shown >> index & 1 else taken
        for index, (hand, taken) in enumerate(zip(state.hands, state.taken, strict=True))
    ]
    known = state.public_cards
    for cards in kept:
        known = joined(known, cards)
    sizes = [hand.bit_count() - known_.bit_count() for hand, known_ in zip(state.hands, kept, strict=True)]
    if seat == state.turn:
        known = joined(known, state.drawn)
    else:
        sizes.append(state.drawn.bit_count())
    *dealt, rest = deal_at_random(without(DECK, known), sizes, chance)
    for kept_seat, cards in enumerate(kept):
        other.hands[kept_seat] = joined(cards, dealt[kept_seat])
    if seat != state.turn:
        other.drawn = dealt[state.seats]
    other.stock = stock_at_random(rest, chance)[: len(state.stock)]
    return other
