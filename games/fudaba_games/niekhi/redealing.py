"""Other deals of Niekhi that look the same to a seat (rules page `docs/rules/niekhi.md`, NI11)."""

from __future__ import annotations

from fudaba_games.game import Chance
from fudaba_games.niekhi.cards import DECK, ONE, counts_of_strengths, size_of, strengths_of
from fudaba_games.niekhi.state import NiekhiState
from fudaba_games.niekhi.values import PHASE_OVER
from fudaba_games.shuffle import random_seed


def redealt(state: NiekhiState, seat: int | None, chance: Chance) -> NiekhiState:
    """Returns another state with the same view for `seat`, with the cards that it does not know dealt anew.

    Nobody holds a named strength, so the unseen cards of one were never dealt. A seat still has the cards that it took
    from the pile and has not laid since. Every deal that satisfies this is equally likely.
    """
    other = state.clone()
    other.seed = random_seed(chance)
    if state.phase == PHASE_OVER:
        return other
    unseen = DECK - state.pile - state.removed - sum([laid.cards for laid in state.table])
    for holder, hand in enumerate(state.hands):
        unseen -= hand if holder == seat else state.known[holder]
    undealt = unseen & counts_of_strengths(state.named)
    strengths = strengths_of(unseen - undealt)
    chance.shuffle(strengths)
    start = 0
    for holder in range(state.seats):
        if holder != seat:
            size = state.sizes[holder] - size_of(state.known[holder])
            drawn = sum([ONE[strength] for strength in strengths[start : start + size]])
            other.hands[holder] = state.known[holder] + drawn
            start += size
    other.out = undealt + sum([ONE[strength] for strength in strengths[start:]])
    return other
