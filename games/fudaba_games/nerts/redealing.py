"""Other states of Nerts that look the same to a seat (rules page `docs/rules/nerts.md`, NE11)."""

from __future__ import annotations

from fudaba_games.game import Chance
from fudaba_games.nerts.layout import Layout
from fudaba_games.nerts.moves import legal_moves
from fudaba_games.nerts.state import NertsState
from fudaba_games.shuffle import random_seed


def redealt(state: NertsState, seat: int | None, chance: Chance) -> NertsState:
    """Deals every card that `seat` (None: a spectator) does not see anew, among the hidden cards of its own deck.

    Whether and what the others have chosen in a tick is as hidden.
    """
    other = state.clone()
    other.seed = random_seed(chance)
    for layout_seat, layout in enumerate(other.layouts):
        _redeal_layout(layout, layout_seat == seat, chance)
    if not state.over:
        _choose_anew(other, seat, chance)
    return other


def _redeal_layout(layout: Layout, own: bool, chance: Chance) -> None:
    """Shuffles the hidden cards of one seat. The owner sees its whole waste; everybody else sees only the top."""
    hidden_waste = b"" if own else layout.waste[:-1]
    # In deck order, so that what is drawn depends on nothing that is hidden.
    hidden = sorted(layout.nerts[:-1] + layout.stock + hidden_waste)
    chance.shuffle(hidden)
    cards = bytes(hidden)
    nerts, stock = max(len(layout.nerts) - 1, 0), len(layout.stock)
    layout.nerts = cards[:nerts] + layout.nerts[-1:]
    layout.stock = cards[nerts : nerts + stock]
    layout.waste = cards[nerts + stock :] + layout.waste[len(hidden_waste) :]


def _choose_anew(other: NertsState, seat: int | None, chance: Chance) -> None:
    """Draws which of the other seats have chosen, and what. Never all of them, since the tick would then be
    complete.
    """
    hidden = [other_seat for other_seat in range(other.seats) if other_seat != seat]
    own_due = 0 if seat is None or not other.due >> seat & 1 else 1 << seat
    if other.realtime:
        # Who has said that it waits is hidden too, and may be everybody.
        other.due = own_due + sum([1 << other_seat for other_seat in hidden if chance.getrandbits(1)])
        return
    while True:
        due = own_due + sum([1 << other_seat for other_seat in hidden if chance.getrandbits(1)])
        if due:
            break
    other.due = due
    for hidden_seat in hidden:
        if due >> hidden_seat & 1:
            other.chosen[hidden_seat] = None
        else:
            legal = legal_moves(other, hidden_seat)
            other.chosen[hidden_seat] = legal[chance.randrange(len(legal))]
