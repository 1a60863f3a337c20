"""The full state of a match of Namto."""

from __future__ import annotations

from typing import final

from fudaba_games.kamikisen.one_by_one import OneByOneState
from fudaba_games.namto.values import PHASE_BETTING


@final
class NamtoState(OneByOneState):
    """A deal in progress, and the stacks. Sets of cards are masks, except the stock; lists are by seat."""

    __slots__ = (
        "bets",
        "deal",
        "dealer",
        "deals",
        "entry",
        "hands",
        "last",
        "max_bet",
        "opener",
        "paid",
        "phase",
        "playing",
        "round",
        "rounds",
        "scores",
        "seats",
        "second_pass",
        "seed",
        "shared",
        "shared_cards",
        "shown",
        "stack",
        "stacks",
        "staying",
        "stock",
        "to_act",
        "turn",
    )

    def __init__(
        self,
        seed: bytes,
        seats: int,
        deals: int,
        dealer: int,
        stack: int,
        entry: int,
        rounds: int,
        *,
        second_pass: bool,
    ) -> None:
        self.seed = seed
        """The seed of the shuffles to come."""
        self.seats = seats
        self.deals = deals
        self.stack = stack
        """The stack with which every seat began the match."""
        self.entry = entry
        self.rounds = rounds
        """The number of rounds of betting: one more than there are shared cards."""
        self.second_pass = second_pass
        self.deal: int = 0
        self.opener = dealer
        """The seat that began the deal as its dealer."""
        self.dealer = dealer
        self.phase: int = PHASE_BETTING
        self.turn = dealer
        self.round: int = 0
        self.last: int = 0
        """The last bet of the round; 0 while there is none."""
        self.max_bet: int = 0
        """The highest bet that the round allows."""
        self.to_act: int = 0
        """The seats that have not yet bet, called or folded in this pass, as a bit mask."""
        self.bets: list[int] = [0] * seats
        """The bets in this round."""
        self.paid: list[int] = [0] * seats
        """What each seat has paid into the pot in this deal."""
        self.stacks: list[int] = [stack] * seats
        self.playing: int = (1 << seats) - 1
        """The seats that play this deal, as a bit mask."""
        self.staying: int = self.playing
        """The seats that are still in."""
        self.hands: list[int] = [0] * seats
        self.shared: tuple[int, ...] = ()
        """The shared cards (0-23) that are open, in the order in which they were opened."""
        self.shared_cards: int = 0
        """The same cards."""
        self.stock: list[int] = []
        """The cards (0-23) that can still be opened in this deal, the next one last."""
        self.scores = (0,) * seats
        """The points that each seat had won when the deal began; when the match is over, all of its points."""
        self.shown: int = 0
        """The seats whose hands were shown at the end of the match, as a bit mask; 0 before."""

    def clone(self) -> NamtoState:
        """Returns an equal state that shares nothing mutable with this one."""
        other = NamtoState(
            self.seed,
            self.seats,
            self.deals,
            self.opener,
            self.stack,
            self.entry,
            self.rounds,
            second_pass=self.second_pass,
        )
        other.deal = self.deal
        other.dealer = self.dealer
        other.phase = self.phase
        other.turn = self.turn
        other.round = self.round
        other.last = self.last
        other.max_bet = self.max_bet
        other.to_act = self.to_act
        other.bets = self.bets[:]
        other.paid = self.paid[:]
        other.stacks = self.stacks[:]
        other.playing = self.playing
        other.staying = self.staying
        other.hands = self.hands[:]
        other.shared_cards = self.shared_cards
        other.shared = self.shared
        other.stock = self.stock[:]
        other.scores = self.scores
        other.shown = self.shown
        return other
