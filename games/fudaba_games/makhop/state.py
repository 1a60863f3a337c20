"""The full state of a match of Makhop."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.kamikisen.one_by_one import OneByOneState
from fudaba_games.makhop.values import Road

MAX_SEATS: Final = 6


@final
class MakhopState(OneByOneState):
    """A deal in progress and the scores of the deals before it. Cards in any number are masks; lists are by seat."""

    __slots__ = (
        "deal",
        "dealer",
        "deals",
        "hands",
        "idle",
        "max_roads",
        "roads",
        "scores",
        "seats",
        "seed",
        "shuffles",
        "stock",
        "stock_cards",
        "turn",
        "turns",
        "vanished",
    )

    def __init__(self, seed: bytes, seats: int, deals: int, dealer: int, max_roads: int) -> None:
        self.seed = seed
        """The seed of the shuffles to come."""
        self.seats = seats
        self.deals = deals
        self.max_roads = max_roads
        self.deal: int = 0
        self.dealer = dealer
        self.turns: int = 0
        """The number of turns that the deal has had."""
        self.idle: int = 0
        """The number of the last turns that did nothing."""
        self.turn = dealer
        self.roads: tuple[Road, ...] = ()
        self.hands: list[int] = [0] * seats
        self.stock: tuple[int, ...] = ()
        """The cards (0-23) that can be turned up, the top card first."""
        self.stock_cards: int = 0
        """The cards of the stock from the first reshuffle on, when everybody knows them; 0 until then."""
        self.vanished: int = 0
        self.shuffles: int = 0
        """How often vanished cards have become the stock in this deal."""
        self.scores = (0,) * seats
        """The scores of complete deals."""

    def clone(self) -> MakhopState:
        """Returns an equal state that shares nothing mutable with this one."""
        other = MakhopState(self.seed, self.seats, self.deals, self.dealer, self.max_roads)
        other.deal = self.deal
        other.turns = self.turns
        other.idle = self.idle
        other.turn = self.turn
        other.roads = self.roads
        other.hands = self.hands[:]
        other.stock = self.stock
        other.stock_cards = self.stock_cards
        other.vanished = self.vanished
        other.shuffles = self.shuffles
        other.scores = self.scores
        return other
