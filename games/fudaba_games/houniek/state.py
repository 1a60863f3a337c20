"""The full state of a match of Houniek."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.houniek.values import Laid
from fudaba_games.kamikisen.one_by_one import OneByOneState

MAX_SEATS: Final = 4


@final
class HouniekState(OneByOneState):
    """A deal in progress and the scores of the deals before it. Cards are masks; `hands` by seat."""

    __slots__ = (
        "cleared",
        "colours",
        "deal",
        "dealer",
        "deals",
        "foot",
        "form",
        "hand_size",
        "hands",
        "leader",
        "newest",
        "round",
        "scores",
        "seats",
        "seed",
        "size",
        "stock",
        "table",
        "turn",
    )

    def __init__(self, seed: bytes, seats: int, deals: int, dealer: int, hand_size: int) -> None:
        self.seed = seed
        """The seed of the shuffles to come."""
        self.seats = seats
        self.deals = deals
        self.hand_size = hand_size
        self.deal: int = 0
        self.dealer = dealer
        self.round: int = 0
        self.turn = dealer
        self.leader: int = dealer
        self.form: int = 0
        """The form of the newest meld; 0 while nothing is laid. Then `size`, `foot`, `colours` and `newest`, its seat,
        are 0 too.
        """
        self.size: int = 0
        self.foot: int = -1
        self.colours: int = 0
        """The mask of all cards that share a colour with it."""
        self.newest: int = -1
        self.table: tuple[Laid, ...] = ()
        """The melds of this round."""
        self.cleared: int = 0
        """The cards that seats laid in earlier rounds."""
        self.hands: list[int] = [0] * seats
        self.stock: tuple[int, ...] = ()
        """The cards (0-23) that are left to draw, the top first."""
        self.scores = (0,) * seats
        """The scores of complete deals."""

    def clone(self) -> HouniekState:
        """Returns an equal state that shares nothing mutable with this one."""
        other = HouniekState(self.seed, self.seats, self.deals, self.dealer, self.hand_size)
        other.deal = self.deal
        other.round = self.round
        other.turn = self.turn
        other.leader = self.leader
        other.form = self.form
        other.size = self.size
        other.foot = self.foot
        other.colours = self.colours
        other.newest = self.newest
        other.table = self.table
        other.cleared = self.cleared
        other.hands = self.hands[:]
        other.stock = self.stock
        other.scores = self.scores
        return other
