"""A state of Naga that looks like a view: what search needs that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.cards import mask_of
from fudaba_games.game import SEED_BYTES
from fudaba_games.naga.state import NagaState
from fudaba_games.naga.values import NagaView


def supposed(view: NagaView, seat: int, deals: int) -> NagaState:
    """Returns a state in which `seat` has this view. What the seat does not know is made up, and may not fit: redeal
    it.
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
