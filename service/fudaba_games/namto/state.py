"""The full state of a match of Namto."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.game import State
from fudaba_games.namto.values import PHASE_BETTING

NOBODY: Final = -1
"""`NamtoState.turn` when the match is over."""


@final
class NamtoState(State):
    """One deal in progress, and the stacks. Cards are masks, but for the stock; lists by seat."""

    __slots__ = (
        "bets",
        "deal",
        "dealer",
        "deals",
        "entry",
        "hands",
        "last",
        "matching",
        "most",
        "opener",
        "paid",
        "phase",
        "playing",
        "round",
        "rounds",
        "scores",
        "seats",
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
        self, seed: bytes, seats: int, deals: int, dealer: int, stack: int, entry: int, rounds: int, *, matching: bool
    ) -> None:
        self.seed = seed
        """Of the shuffles to come."""
        self.seats = seats
        self.deals = deals
        self.stack = stack
        """What every seat began the match with."""
        self.entry = entry
        self.rounds = rounds
        """Of betting: one more than there are shared cards."""
        self.matching = matching
        self.deal: int = 0
        self.opener = dealer
        """Who began the deal as its dealer."""
        self.dealer = dealer
        self.phase: int = PHASE_BETTING
        self.turn: int = dealer
        """The seat to move; `NOBODY` when the match is over."""
        self.round: int = 0
        self.last: int = 0
        """The last bet of the round; 0 while there is none."""
        self.most: int = 0
        """The highest bet that the round allows."""
        self.to_act: int = 0
        """Who has not spoken in this pass, as a bit mask."""
        self.bets: list[int] = [0] * seats
        """In this round."""
        self.paid: list[int] = [0] * seats
        """Into the pot, in this deal."""
        self.stacks: list[int] = [stack] * seats
        self.playing: int = (1 << seats) - 1
        """Who plays this deal, as a bit mask."""
        self.staying: int = self.playing
        """Who is still in."""
        self.hands: list[int] = [0] * seats
        self.shared: tuple[int, ...] = ()
        """The shared cards (0-23) that are open, in the order in which they were opened."""
        self.shared_cards: int = 0
        """The same cards."""
        self.stock: list[int] = []
        """The cards (0-23) that can still be opened in this deal, the next one last."""
        self.scores: tuple[int, ...] = (0,) * seats
        """What each seat had won when the deal began; when the match is over, in all."""
        self.shown: int = 0
        """When the match is over: whose hands were shown at its end, as a bit mask."""

    def clone(self) -> NamtoState:
        """An equal state that shares nothing mutable with this one."""
        other = NamtoState(
            self.seed, self.seats, self.deals, self.opener, self.stack, self.entry, self.rounds, matching=self.matching
        )
        other.deal = self.deal
        other.dealer = self.dealer
        other.phase = self.phase
        other.turn = self.turn
        other.round = self.round
        other.last = self.last
        other.most = self.most
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
