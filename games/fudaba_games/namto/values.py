"""Namto's moves, view and events.

A card is a number 0-23, and sets of cards are masks of the deck (see `fudaba_games.kamikisen.cards`). All are immutable
values.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.cards import mask_of


@final
@dataclass(frozen=True, slots=True)
class Fold:
    """Gives up the pot (無行). The cards stay hidden."""


@final
@dataclass(frozen=True, slots=True)
class Bet:
    """Bets (加行): pays this many points into the pot."""

    points: int


@final
@dataclass(frozen=True, slots=True)
class Call:
    """Pays the difference to the round's highest bet, in the second pass."""


NamtoMove = Fold | Bet | Call

_KINDS: Final[dict[type[object], str]] = {Fold: "fold", Bet: "bet", Call: "call"}
MOVE_KINDS: Final = tuple(_KINDS.values())

MAX_SEATS: Final = 6
MAX_STACK_POINTS: Final = 1000
HIGHEST_BET: Final = MAX_SEATS * MAX_STACK_POINTS // 2
"""The highest bet: half of all the points, since another seat must be able to pay as much."""
FOLD: Final = Fold()
CALL: Final = Call()
BETS: Final = tuple(Bet(points) for points in range(HIGHEST_BET + 1))
"""The bets, by points."""


def move_kind(move: NamtoMove) -> str:
    """Returns the kind of a move."""
    return _KINDS[type(move)]


@final
class Phase(IntEnum):
    """The phase of a deal: the kind of move that is due. The numbers are those of the contract."""

    BETTING = 1
    """The seat folds or bets."""
    CALLING = 2
    """The seat folds or calls."""
    OVER = 3
    """The match is over."""


# The same as plain numbers, for states: comparing takes 12 ns, with `Phase.X` 104 (CPython 3.11); a move 2 to 9 µs.
PHASE_BETTING: Final = int(Phase.BETTING)
PHASE_CALLING: Final = int(Phase.CALLING)
PHASE_OVER: Final = int(Phase.OVER)


@final
class NamtoView(NamedTuple):
    """The view of a seat or a spectator. The fields are those of the contract's message of the same name.

    The message has two fields for `shown`: the hands, and their seats in `shown_by`.
    """

    deal: int
    opener: int
    """The seat that began the deal as its dealer."""
    dealer: int
    """The dealer now: another seat once the opener has folded."""
    phase: int
    turn: int
    """The seat whose decision is open; -1 when the match is over."""
    round: int
    """The round of betting, from 0."""
    rounds: int
    """The number of rounds that the deal has. After each except the last, a shared card is opened."""
    min_bet: int
    """The lowest bet that is allowed: the last bet of the round, or 1."""
    max_bet: int
    """The highest bet that is allowed in this round."""
    bets: tuple[int, ...]
    """The amount that each seat has paid in this round."""
    paid: tuple[int, ...]
    """The amount that each seat has paid into the pot in this deal, the entry included."""
    stacks: tuple[int, ...]
    """The amount that each seat has left."""
    playing: int
    """The seats that play this deal, as a bit mask; the others could not pay the entry."""
    staying: int
    """The seats that are still in, as a bit mask."""
    shared: tuple[int, ...]
    """The shared cards (0-23), in the order in which they were opened."""
    hand: int
    """This seat's hand; 0 for a spectator, and for a seat that sits out."""
    shown: tuple[int, ...]
    """The hands that were compared at the end of the match; 0 for a hand that was not shown."""
    scores: tuple[int, ...]
    """The points that each seat had won when the deal began."""

    @property
    def shared_cards(self) -> int:
        """The shared cards that are open, as a mask."""
        return mask_of(self.shared)

    @property
    def pot(self) -> int:
        """The amount that has been paid in this deal."""
        return sum(self.paid)


@final
@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began, and the seats that play it have paid the entry. Public."""

    deal: int
    dealer: int
    playing: int
    """The seats that play, as a bit mask."""
    pot: int


@final
@dataclass(frozen=True, slots=True)
class Received:
    """A hand was dealt. Shown to that seat only."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class BetMade:
    """A seat bet. Public."""

    seat: int
    points: int


@final
@dataclass(frozen=True, slots=True)
class Called:
    """A seat paid the difference to the highest bet. Public."""

    seat: int
    points: int


@final
@dataclass(frozen=True, slots=True)
class Folded:
    """A seat gave up the pot. Public."""

    seat: int


@final
@dataclass(frozen=True, slots=True)
class DealerChanged:
    """The dealer has folded, and the next seat still in is the dealer. Public."""

    dealer: int


@final
@dataclass(frozen=True, slots=True)
class Opened:
    """A shared card was opened. Public."""

    card: int


@final
class ShownHand(NamedTuple):
    """A hand at the showdown, and its best meld with the shared cards."""

    seat: int
    hand: int
    rank: int
    """A `Rank`."""
    cards: int
    """The cards of the meld."""
    strength: int


@final
@dataclass(frozen=True, slots=True)
class Showdown:
    """The seats that were still in have shown their hands. Public."""

    hands: tuple[ShownHand, ...]


@final
@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal ended. Public."""

    winners: tuple[int, ...]
    pot: int
    scores: tuple[int, ...]
    """The score of this deal."""


NamtoEvent = Dealt | Received | BetMade | Called | Folded | DealerChanged | Opened | Showdown | DealEnded
