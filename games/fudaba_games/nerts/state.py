"""The full state of a match of Nerts."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.game import State
from fudaba_games.nerts.layout import Layout
from fudaba_games.nerts.values import NertsMove

MAX_SEATS: Final = 4


@final
class NertsState(State):
    """A deal in progress and the scores of the deals before it."""

    __slots__ = (
        "accept",
        "chosen",
        "deal",
        "due",
        "foundations",
        "gains",
        "hand_ms",
        "idle",
        "layouts",
        "max_deals",
        "over",
        "realtime",
        "scores",
        "seats",
        "seed",
        "stirs",
        "stock_turns",
        "stuck_ms",
        "suits",
        "target",
        "tick",
        "wanted",
    )

    def __init__(
        self,
        seed: bytes,
        seats: int,
        target: int,
        max_deals: int,
        *,
        realtime: bool = False,
        hand_ms: int = 0,
        stuck_ms: int = 0,
    ) -> None:
        self.seed = seed
        """The seed of the shuffles of the deals to come."""
        self.seats = seats
        self.target = target
        self.max_deals = max_deals
        self.realtime = realtime
        """Whether seats move at any time instead of in ticks."""
        self.hand_ms = hand_ms
        self.stuck_ms = stuck_ms
        self.deal = 0
        self.tick = 0
        """The number of ticks of the deal that are complete."""
        self.stock_turns = 0
        """The number of consecutive turns of the stocks."""
        self.idle = 0
        """The number of consecutive ticks (in real time, movements) without a found, build or tuck."""
        self.stirs = 0
        """In real time, the number of movements, turns and ends of deals in the match so far."""
        self.gains = 0
        """In real time, the number of founds, builds, tucks, turns and ends of deals in the match so far."""
        self.layouts: list[Layout] = []
        """The layouts, by seat."""
        self.suits: list[int] = []
        """For each foundation, its suit."""
        self.foundations: list[bytes] = []
        """For each foundation, from the ace up, the mask of the seats that have this card there."""
        self.accept: list[int] = []
        """For each card, the mask of the foundations that accept it. For an ace, this is the next free id."""
        self.wanted = 0
        """The mask of the cards that some foundation accepts."""
        self.chosen: list[NertsMove | None] = []
        """For each seat, its move of this tick, while other moves are missing."""
        self.due = 0
        """The mask of the seats whose moves are missing; in real time, the mask of those that have not said that they
        wait.
        """
        self.scores: tuple[int, ...] = (0,) * seats
        """The totals of the complete deals."""
        self.over = False

    def clone(self) -> NertsState:
        """Returns an equal state that shares nothing mutable with this one."""
        other = NertsState(
            self.seed,
            self.seats,
            self.target,
            self.max_deals,
            realtime=self.realtime,
            hand_ms=self.hand_ms,
            stuck_ms=self.stuck_ms,
        )
        other.deal = self.deal
        other.tick = self.tick
        other.stock_turns = self.stock_turns
        other.idle = self.idle
        other.stirs = self.stirs
        other.gains = self.gains
        other.layouts = [layout.clone() for layout in self.layouts]
        other.suits = self.suits.copy()
        other.foundations = self.foundations.copy()
        other.accept = self.accept.copy()
        other.wanted = self.wanted
        other.chosen = self.chosen.copy()
        other.due = self.due
        other.scores = self.scores
        other.over = self.over
        return other
