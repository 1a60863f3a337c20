"""Other deals of Naga that look the same to a seat (rules page `docs/rules/naga.md`, N12)."""

from __future__ import annotations

from fudaba_games.cards import mask_of
from fudaba_games.game import Chance
from fudaba_games.naga.cards import CARDS
from fudaba_games.naga.judging import to_commit
from fudaba_games.naga.state import NagaState
from fudaba_games.naga.turns import STOCK_CARDS, draws_of
from fudaba_games.shuffle import random_seed


def redealt(state: NagaState, seat: int | None, chance: Chance) -> NagaState:
    """Deals anew the cards that `seat` does not know, to the other hand, the stock and the deals to come.

    Whether and what a seat has committed is as hidden as its hand until both have.
    """
    known = sum(state.table()) | state.won[0] | state.won[1] | state.discarded
    if seat is not None:
        known |= state.hands[seat]
    unknown = [card for card in range(CARDS) if not known >> card & 1]
    chance.shuffle(unknown)
    hands, committed = [0, 0], [0, 0]
    for index in (0, 1):
        if index == seat:
            hands[index], committed[index] = state.hands[index], state.committed[index]
        else:
            size = state.hands[index].bit_count()
            hands[index] = mask_of(unknown[:size])
            del unknown[:size]
    hidden = [hidden_seat for hidden_seat in (0, 1) if hidden_seat != seat]
    pick = chance.randrange(len(hidden) + 1)
    if state.place and not state.over and not any(committed) and pick < len(hidden):
        chosen = [card for card in range(CARDS) if hands[hidden[pick]] >> card & 1]
        chance.shuffle(chosen)
        committed[hidden[pick]] = mask_of(chosen[: to_commit(state)])
    other = state.clone()
    other.hands = (hands[0], hands[1])
    other.committed = (committed[0], committed[1])
    # What has been drawn already leaves nothing in its place of the order.
    other.draws = draws_of([0] * (STOCK_CARDS - len(unknown)) + [1 << card for card in unknown])
    other.seed = random_seed(chance)
    return other
