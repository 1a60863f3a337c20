"""The full state of a match of Tashot."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.game import State
from fudaba_games.kamikisen.scoring import FIRST_MULTIPLIER
from fudaba_games.tashot.values import NO_CARD, NOBODY, PHASE_TURN, OpenMeld, TashotMove

MAX_SEATS: Final = 6


@final
class TashotState(State):
    """A deal in progress and the scores so far. Sets of cards are masks; lists are by seat."""

    __slots__ = (
        "answers",
        "asked",
        "before",
        "deal",
        "dealer",
        "deals",
        "discards",
        "drawn",
        "hands",
        "lights",
        "melds",
        "multiplier",
        "offered",
        "phase",
        "scores",
        "seats",
        "seed",
        "stock",
        "turn",
        "turned",
        "unfinished",
        "window_ms",
        "winner",
        "won_with",
    )

    def __init__(self, seed: bytes, seats: int, deals: int, dealer: int, lights: bool, window_ms: int) -> None:
        self.seed = seed
        """The seed of the shuffles to come."""
        self.seats = seats
        self.deals = deals
        self.lights = lights
        """Whether lights are turned up at all."""
        self.window_ms = window_ms
        """The time for which every window lasts; 0 for a window that lasts until every seat asked has answered."""
        self.deal: int = 0
        self.dealer = dealer
        self.multiplier: int = FIRST_MULTIPLIER
        self.phase: int = PHASE_TURN
        self.turn: int = dealer
        """The seat that has the turn; in a window, the seat that has discarded."""
        self.asked: int = 0
        """The seats with an open decision, as bits."""
        self.unfinished: int = 0
        """The seats that have neither finished their first turn nor been skipped, as bits."""
        self.drawn: int = NO_CARD
        """The card just drawn, as long as the hand has such a card."""
        self.offered: int = NO_CARD
        """In a window, the card that was discarded."""
        self.stock: list[int] = []
        """The cards left to draw; the last one is the top."""
        self.hands: list[int] = [0] * seats
        self.melds: list[OpenMeld | None] = [None] * seats
        self.discards: list[int] = [0] * seats
        self.turned: tuple[int, ...] = ()
        """The lights of this deal."""
        self.answers: list[TashotMove | None] = [None] * seats
        """In a window, the move with which each seat takes the card, if it does."""
        self.scores: list[int] = [0] * seats
        self.before: tuple[int, ...] = (0,) * seats
        """The scores when the deal began."""
        self.winner: int = NOBODY
        """The winner of the last deal, when the match is over; with `won_with`, the six cards."""
        self.won_with: int = 0

    def clone(self) -> TashotState:
        """Returns an equal state that shares nothing mutable with this one."""
        other = TashotState(self.seed, self.seats, self.deals, self.dealer, self.lights, self.window_ms)
        other.deal = self.deal
        other.multiplier = self.multiplier
        other.phase = self.phase
        other.turn = self.turn
        other.asked = self.asked
        other.unfinished = self.unfinished
        other.drawn = self.drawn
        other.offered = self.offered
        other.stock = self.stock[:]
        other.hands = self.hands[:]
        other.melds = self.melds[:]
        other.discards = self.discards[:]
        other.turned = self.turned
        other.answers = self.answers[:]
        other.scores = self.scores[:]
        other.before = self.before
        other.winner = self.winner
        other.won_with = self.won_with
        return other
