"""The full state of a match of Mokkaik."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.kamikisen.one_by_one import OneByOneState
from fudaba_games.kamikisen.scoring import FIRST_MULTIPLIER

MAX_SEATS: Final = 6


@final
class MokkaikState(OneByOneState):
    """A deal in progress and the scores of the deals before it. Sets of cards are masks. Lists are by seat, except
    those of a round.
    """

    __slots__ = (
        "beaten",
        "deal",
        "dealer",
        "deals",
        "discards",
        "form",
        "hands",
        "laid",
        "laid_by",
        "leader",
        "multiplier",
        "public_cards",
        "reds",
        "round",
        "scores",
        "seats",
        "seed",
        "size",
        "strength",
        "turn",
    )

    def __init__(self, seed: bytes, seats: int, deals: int, dealer: int) -> None:
        self.seed = seed
        """The seed of the shuffles to come."""
        self.seats = seats
        self.deals = deals
        self.deal: int = 0
        self.dealer = dealer
        self.multiplier: int = FIRST_MULTIPLIER
        self.round: int = 0
        self.turn = dealer
        self.leader: int = dealer
        self.form: int = 0
        """The form of the leader's meld; 0 while nothing is laid. `size` and `reds` are its number of cards and of red
        cards.
        """
        self.size: int = 0
        self.reds: int = 0
        self.strength: int = -1
        """The strength of the best meld so far."""
        self.laid: list[int] = []
        """The melds of this round; the last one is the best."""
        self.laid_by: list[int] = []
        self.hands: list[int] = [0] * seats
        self.discards: list[int] = [0] * seats
        """The cards that each seat has discarded in this deal."""
        self.public_cards: list[int] = [0] * seats
        self.beaten: int = 0
        """The cards that were laid in earlier rounds of this deal and lost."""
        self.scores = (0,) * seats
        """The scores of complete deals."""

    def clone(self) -> MokkaikState:
        """Returns an equal state that shares nothing mutable with this one."""
        other = MokkaikState(self.seed, self.seats, self.deals, self.dealer)
        other.deal = self.deal
        other.multiplier = self.multiplier
        other.round = self.round
        other.turn = self.turn
        other.leader = self.leader
        other.form = self.form
        other.size = self.size
        other.reds = self.reds
        other.strength = self.strength
        other.laid = self.laid[:]
        other.laid_by = self.laid_by[:]
        other.hands = self.hands[:]
        other.discards = self.discards[:]
        other.public_cards = self.public_cards[:]
        other.beaten = self.beaten
        other.scores = self.scores
        return other
