"""The full state of a match of Napoleon."""

from __future__ import annotations

from typing import final

from fudaba_games.game import State
from fudaba_games.napoleon.cards import SEAT_COUNT
from fudaba_games.napoleon.values import PHASE_AUCTION


@final
class NapoleonState(State):
    """A deal in progress and the scores of the deals before it. Card sets are masks; lists and tuples by seat."""

    __slots__ = (
        "adjutant",
        "buried",
        "call",
        "calls",
        "deal",
        "dealer",
        "deals",
        "hands",
        "leader",
        "legal",
        "named",
        "napoleon",
        "phase",
        "revealed",
        "scores",
        "seed",
        "sweep",
        "taken",
        "thrown_in",
        "trick",
        "tricks",
        "trump",
        "turn",
        "widow",
        "winners",
    )

    def __init__(self, seed: bytes, deals: int, dealer: int, sweep: str) -> None:
        self.seed = seed
        """The seed of the shuffles to come."""
        self.deals = deals
        self.sweep = sweep
        self.deal: int = 0
        self.dealer = dealer
        self.thrown_in: int = 0
        """How often this deal's cards have been thrown in, which is the number of the shuffle."""
        self.phase: int = PHASE_AUCTION
        self.turn: int = 0
        """The seat to move; -1 when the match is over."""
        self.calls: tuple[int, ...] = ()
        self.call: int = 0
        """The highest bid; 0 while there is none."""
        self.trump: int = -1
        """The suit of the highest bid."""
        self.napoleon: int = -1
        """The seat of the highest bid."""
        self.widow: int = 0
        """The widow, until Napoleon takes it."""
        self.buried: int = 0
        self.named: int = -1
        self.adjutant: int = -1
        """The adjutant's seat, from the naming on; Napoleon's seat if there is no adjutant."""
        self.revealed: bool = False
        """Whether the named card was played."""
        self.hands: list[int] = [0] * SEAT_COUNT
        self.legal: int = 0
        """The cards that the seat to move may play to the trick."""
        self.leader: int = -1
        self.trick: list[int] = []
        self.tricks: tuple[int, ...] = ()
        self.winners: tuple[int, ...] = ()
        self.taken: list[int] = [0] * SEAT_COUNT
        """The honours that each seat has taken."""
        self.scores: tuple[int, ...] = (0,) * SEAT_COUNT
        """The scores of complete deals."""

    def clone(self) -> NapoleonState:
        """Returns an equal state that shares nothing mutable with this one."""
        other = NapoleonState(self.seed, self.deals, self.dealer, self.sweep)
        other.deal = self.deal
        other.thrown_in = self.thrown_in
        other.phase = self.phase
        other.turn = self.turn
        other.calls = self.calls
        other.call = self.call
        other.trump = self.trump
        other.napoleon = self.napoleon
        other.widow = self.widow
        other.buried = self.buried
        other.named = self.named
        other.adjutant = self.adjutant
        other.revealed = self.revealed
        other.hands = self.hands[:]
        other.legal = self.legal
        other.leader = self.leader
        other.trick = self.trick[:]
        other.tricks = self.tricks
        other.winners = self.winners
        other.taken = self.taken[:]
        other.scores = self.scores
        return other
