"""A state of Naga that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.cards import mask_of
from fudaba_games.game import SEED_BYTES
from fudaba_games.naga.state import NagaState
from fudaba_games.naga.values import NagaView


def supposed(view: NagaView, seat: int, deals: int) -> NagaState:
    """Returns a state in which `seat` has this view. It fills in the rest arbitrarily, so redeal the state before you
    play it.
    """
    hands, committed = [view.hand, view.hand], [0, 0]  # both hands are of one size, always
    committed[seat] = view.committed
    return NagaState(
        bytes(SEED_BYTES),
        deals,
        view.dealer,
        view.deal,
        view.battle,
        view.place,
        view.table,
        mask_of([place for place, cards in enumerate(view.table) if cards]),
        (hands[0], hands[1]),
        (committed[0], committed[1]),
        view.won,
        view.discarded,
        (),
        view.scores,
        over=False,
    )
