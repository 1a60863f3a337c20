"""The full state of a match of Makkaik."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.kamikisen.one_by_one import OneByOneState
from fudaba_games.makkaik.values import PHASE_EXCHANGE

MAX_SEATS: Final = 6


@final
class MakkaikState(OneByOneState):
    """A deal in progress and the scores of the deals before it. Cards are masks, but for the stock; lists by seat."""

    __slots__ = (
        "base",
        "deal",
        "dealer",
        "deals",
        "drawn",
        "exchanges",
        "hands",
        "opener",
        "paid",
        "phase",
        "public_cards",
        "round",
        "scores",
        "seats",
        "seed",
        "shown",
        "staying",
        "stock",
        "taken",
        "turn",
    )

    def __init__(self, seed: bytes, seats: int, deals: int, dealer: int) -> None:
        self.seed = seed
        """The seed of the shuffles to come."""
        self.seats = seats
        self.deals = deals
        self.deal: int = 0
        self.opener = dealer
        """The seat that began the deal as its dealer."""
        self.dealer = dealer
        self.phase: int = PHASE_EXCHANGE
        self.turn = dealer
        self.round: int = 0
        """The round of betting."""
        self.base: int = 0
        """The base; 0 while the dealer has not named it."""
        self.paid: list[int] = [0] * seats
        """What each seat has paid into the pot in this deal."""
        self.staying: int = (1 << seats) - 1
        """The seats that are still in the deal, as a bit mask."""
        self.hands: list[int] = [0] * seats
        self.public_cards: int = 0
        self.stock: list[int] = []
        """The cards (0-23) that can still be drawn in this deal, the next one last."""
        self.drawn: int = 0
        """The cards that the seat to move has drawn, while it must keep one of them."""
        self.exchanges: list[int] = [0] * seats
        """The exchange of each seat: numbers of `Exchange`."""
        self.taken: list[int] = [0] * seats
        """The public card that a seat has taken: a mask of one card, or 0."""
        self.shown: int = 0
        """The seats whose hands were shown at the end of the match, as a bit mask; 0 before."""
        self.scores = (0,) * seats
        """The scores of complete deals."""

    def clone(self) -> MakkaikState:
        """Returns an equal state that shares nothing mutable with this one."""
        other = MakkaikState(self.seed, self.seats, self.deals, self.opener)
        other.deal = self.deal
        other.dealer = self.dealer
        other.phase = self.phase
        other.turn = self.turn
        other.round = self.round
        other.base = self.base
        other.paid = self.paid[:]
        other.staying = self.staying
        other.hands = self.hands[:]
        other.public_cards = self.public_cards
        other.stock = self.stock[:]
        other.drawn = self.drawn
        other.exchanges = self.exchanges[:]
        other.taken = self.taken[:]
        other.shown = self.shown
        other.scores = self.scores
        return other
