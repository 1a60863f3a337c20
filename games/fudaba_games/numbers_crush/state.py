"""The full state of a match of Numbers Crush."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.game import State
from fudaba_games.numbers_crush.values import PHASE_DRAW

MAX_SEATS: Final = 5


@final
class NumbersCrushState(State):
    """A deal in progress and the scores of the deals before it. Card sets are masks; lists and tuples by seat."""

    __slots__ = (
        "answered",
        "asked",
        "base",
        "bind",
        "bind_maker",
        "cards_left",
        "changed_seats",
        "deal",
        "dealer",
        "deals",
        "declared",
        "gifts",
        "hands",
        "joker_lock",
        "king_penalty",
        "king_starter",
        "known",
        "known_alone",
        "lost_turns",
        "new_bind",
        "next_turn",
        "number",
        "penalty_cards",
        "penalty_left",
        "pending",
        "phase",
        "pile",
        "resets",
        "reversed",
        "scores",
        "seats",
        "seed",
        "shuffles",
        "stock",
        "suit",
        "turn",
        "turns",
        "window_ms",
        "zero_out",
    )

    def __init__(  # noqa: PLR0915 - each field with what it means
        self, seed: bytes, seats: int, deals: int, dealer: int, window_ms: int
    ) -> None:
        self.seed = seed
        """The seed of the shuffles to come."""
        self.seats = seats
        self.deals = deals
        self.window_ms = window_ms
        self.deal: int = 0
        self.dealer = dealer
        self.phase: int = PHASE_DRAW
        self.turn: int = 0
        """The seat whose turn it is, or was last; before the first turn, the seat before the dealer."""
        self.turns: int = 0
        """The number of turns that have begun."""
        self.reversed: bool = False
        """Whether turns go anticlockwise."""
        self.lost_turns: int = 0
        """The number of turns that 5s skip after this one."""
        self.next_turn: int = -1
        """The seat that has the next turn, if play order does not give it."""
        self.base: int = -1
        self.number: int = 0
        """The number of the base; 0 for a declared joker."""
        self.suit: int = -1
        """The suit of the base; -1 for a declared joker."""
        self.pile: int = 0
        """The cards under the base."""
        self.stock: list[int] = []
        """The stock; its last card is the top."""
        self.shuffles: int = 0
        """The number of the next shuffle of this deal."""
        self.hands: list[int] = [0] * seats
        self.bind: int = 0
        """The colour that a bind allows; 0 without a bind."""
        self.bind_maker: int = -1
        self.new_bind: bool = False
        """Whether the bind was made in this turn; it then binds from the next seat on."""
        self.pending: int = 0
        """The penalty of draw three."""
        self.king_penalty: int = 0
        """The king penalty; 0 without king time."""
        self.king_starter: int = -1
        self.joker_lock: bool = False
        """Whether only a single joker may be set."""
        self.resets: int = 0
        """The number of extra sets without limits that the seat may make after what is due now."""
        self.cards_left: int = 0
        """The number of cards that the seat may still give, or must or may still discard."""
        self.penalty_cards: tuple[int, ...] = ()
        """The penalty cards that were drawn last, in the order of the draws."""
        self.penalty_left: int = 0
        self.changed_seats: int = 0
        """The seats, as a mask, whose hand or base has changed since they were last asked for a zero-out.

        In a window, the seats that may be able to declare something, as far as everybody knows.
        """
        self.asked: int = 0
        """In a window, the seats that have not answered."""
        self.answered: int = 0
        """In a window, the seats that have answered."""
        self.declared: int = 0
        """In a window, those of the answering seats that did not decline."""
        self.zero_out: int = -1
        """The seat that has the zero-out."""
        self.known: list[int] = [0] * seats
        """For each seat, the cards that everybody knows to be in its hand."""
        self.known_alone: list[int] = [0] * (seats * seats)
        """The cards at index `seats` × p + s: those that seat p alone knows to be in the hand of s."""
        self.gifts: bool = False
        """Whether any card was given away in this deal. If not, `known_alone` is empty."""
        self.scores: tuple[int, ...] = (0,) * seats
        """The scores of complete deals."""

    def clone(self) -> NumbersCrushState:
        """Returns an equal state that shares nothing mutable with this one."""
        other = NumbersCrushState(self.seed, self.seats, self.deals, self.dealer, self.window_ms)
        other.deal = self.deal
        other.phase = self.phase
        other.turn = self.turn
        other.turns = self.turns
        other.reversed = self.reversed
        other.lost_turns = self.lost_turns
        other.next_turn = self.next_turn
        other.base = self.base
        other.number = self.number
        other.suit = self.suit
        other.pile = self.pile
        other.stock = self.stock[:]
        other.shuffles = self.shuffles
        other.hands = self.hands[:]
        other.bind = self.bind
        other.bind_maker = self.bind_maker
        other.new_bind = self.new_bind
        other.pending = self.pending
        other.king_penalty = self.king_penalty
        other.king_starter = self.king_starter
        other.joker_lock = self.joker_lock
        other.resets = self.resets
        other.cards_left = self.cards_left
        other.penalty_cards = self.penalty_cards
        other.penalty_left = self.penalty_left
        other.changed_seats = self.changed_seats
        other.asked = self.asked
        other.answered = self.answered
        other.declared = self.declared
        other.zero_out = self.zero_out
        other.known = self.known[:]
        other.known_alone = self.known_alone[:]
        other.gifts = self.gifts
        other.scores = self.scores
        return other
