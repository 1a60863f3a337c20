"""The full state of a match. It changes in place; a caller that wants to look ahead takes a clone."""

from __future__ import annotations

from typing import final

from fudaba_games.game import State


@final
class HighCardState(State):
    """A deal in progress, and the scores so far. Lists are by seat."""

    __slots__ = ("chosen", "deal", "dealer", "deals", "hands", "over", "played", "scores", "seed", "stock")

    def __init__(self, seed: bytes, deals: int, dealer: int) -> None:
        self.seed = seed
        """The seed of the shuffles to come."""
        self.deals = deals
        self.deal: int = 0
        self.dealer = dealer
        self.hands: list[list[int]] = [[], []]
        """The hands, in ascending order."""
        self.stock: list[int] = []
        """The stock; its first card is the top."""
        self.chosen: list[int] = [-1, -1]
        """The choice of each seat in this round: a card, 0 for a pass, -1 while it has not chosen."""
        self.played: tuple[int, ...] = ()
        """The complete rounds of this deal: what seat 0 played, then what seat 1 played."""
        self.scores: tuple[int, ...] = (0, 0)
        self.over: bool = False

    def clone(self) -> HighCardState:
        """Returns an equal state that shares nothing mutable with this one."""
        other = HighCardState(self.seed, self.deals, self.dealer)
        other.deal = self.deal
        other.hands = [hand[:] for hand in self.hands]
        other.stock = self.stock[:]
        other.chosen = self.chosen[:]
        other.played = self.played
        other.scores = self.scores
        other.over = self.over
        return other
