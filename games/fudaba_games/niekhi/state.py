"""The full state of a match of Niekhi."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.game import State
from fudaba_games.niekhi.values import PHASE_LAYING, Laid

MAX_SEATS: Final = 6
NOBODY: Final = -1
"""`NiekhiState.turn` when the match is over."""


@final
class NiekhiState(State):
    """A deal in progress and the scores of the deals before it.

    Sets of cards are vectors of counts (see `fudaba_games.niekhi.cards`); lists and tuples are by seat.
    """

    __slots__ = (
        "deal",
        "dealer",
        "deals",
        "generals",
        "hands",
        "known",
        "length",
        "named",
        "out",
        "passes",
        "phase",
        "pile",
        "removed",
        "scores",
        "seats",
        "seed",
        "size",
        "sizes",
        "strength",
        "table",
        "turn",
        "turns",
    )

    def __init__(self, seed: bytes, seats: int, deals: int, dealer: int) -> None:
        self.seed = seed
        """The seed of the shuffles to come."""
        self.seats = seats
        self.deals = deals
        self.deal: int = 0
        self.dealer = dealer
        self.phase: int = PHASE_LAYING
        self.turn: int = 0
        """The seat to move; `NOBODY` when the match is over."""
        self.turns: int = 0
        """The number of turns that the deal has had."""
        self.passes: int = 0
        """The number of seats that have passed since the newest meld was laid."""
        self.generals: int = 0
        """The number of generals that the seat to move has laid and not used yet."""
        self.hands: list[int] = [0] * seats
        self.sizes: list[int] = [0] * seats
        """The number of cards in each hand."""
        self.known: tuple[int, ...] = (0,) * seats
        """For each seat, the cards that everybody knows it to hold: those that it took from the pile and has not laid
        since.
        """
        self.table: tuple[Laid, ...] = ()
        self.size: int = 0
        """The size of the newest meld on the table; 0 while it is empty."""
        self.length: int = 0
        """The length of the newest meld."""
        self.strength: int = 0
        """The strength of the newest meld."""
        self.pile: int = 0
        """The discard pile."""
        self.named: int = 0
        """The strengths that were named, as a mask."""
        self.removed: int = 0
        """The cards that have left the game, not counting those that were never dealt."""
        self.out: int = 0
        """The cards that were not dealt."""
        self.scores: tuple[int, ...] = (0,) * seats
        """The scores of complete deals."""

    def clone(self) -> NiekhiState:
        """Returns an equal state that shares nothing mutable with this one."""
        other = NiekhiState(self.seed, self.seats, self.deals, self.dealer)
        other.deal = self.deal
        other.phase = self.phase
        other.turn = self.turn
        other.turns = self.turns
        other.passes = self.passes
        other.generals = self.generals
        other.hands = self.hands[:]
        other.sizes = self.sizes[:]
        other.known = self.known
        other.table = self.table
        other.size = self.size
        other.length = self.length
        other.strength = self.strength
        other.pile = self.pile
        other.named = self.named
        other.removed = self.removed
        other.out = self.out
        other.scores = self.scores
        return other
