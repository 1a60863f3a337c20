"""Other deals that look the same to a seat, for the conformance tests and for bots that search."""

from __future__ import annotations

from fudaba_games.game import Chance
from fudaba_games.shuffle import random_seed
from high_card.state import HighCardState
from high_card.turns import HAND_CARDS


def redealt(state: HighCardState, seat: int | None, chance: Chance) -> HighCardState:
    """Returns another state with the same view for `seat`, in which everything that the seat does not know is drawn
    anew.

    That is the other hand, the stock, the shuffles to come, and whether the other seat has already chosen.
    """
    other = state.clone()
    other.seed = random_seed(chance)
    hidden = [other_seat for other_seat in (0, 1) if other_seat != seat]
    unknown = sorted(state.stock + [card for unseen_seat in hidden for card in state.hands[unseen_seat]])
    chance.shuffle(unknown)
    for hidden_seat in hidden:
        other.hands[hidden_seat] = sorted(unknown[:HAND_CARDS])
        other.chosen[hidden_seat] = -1
        del unknown[:HAND_CARDS]
    other.stock = unknown
    # One of the others may have chosen, but not all who are asked: else the round would be over.
    ahead = chance.randrange(len(hidden) + 1)
    if ahead < len(hidden) and not state.over and (seat is None or state.chosen[seat] < 0):
        hidden_seat = hidden[ahead]
        other.chosen[hidden_seat] = (0, *other.hands[hidden_seat])[chance.randrange(1 + HAND_CARDS)]
    return other
