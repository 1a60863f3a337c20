"""Makkaik's moves, view and events.

A card is a number 0-23, cards in any number are masks of the deck (see `fudaba_games.kamikisen.cards`). All are
immutable values.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.cards import CARDS


@final
@dataclass(frozen=True, slots=True)
class Swap:
    """Swaps a card of the hand with a public card."""

    given: int
    """The card from the hand."""
    taken: int
    """The card from the public cards."""


@final
@dataclass(frozen=True, slots=True)
class Draw:
    """Draws two cards from the stock. The next move says which one to keep."""


@final
@dataclass(frozen=True, slots=True)
class Keep:
    """Keeps one of the two drawn cards for a card of the hand. That card and the other drawn one become public."""

    kept: int
    """The drawn card that the seat keeps."""
    given: int
    """The card from the hand."""


@final
@dataclass(frozen=True, slots=True)
class Fold:
    """Gives up the pot. The cards stay hidden."""


@final
@dataclass(frozen=True, slots=True)
class Stay:
    """Stays in: the dealer names a base and pays it; another seat pays it."""

    base: int = 0
    """The base: 1-5, named by the dealer; 0 for the others."""


MakkaikMove = Swap | Draw | Keep | Fold | Stay

_KINDS: Final[dict[type[object], str]] = {Swap: "swap", Draw: "draw", Keep: "keep", Fold: "fold", Stay: "stay"}
MOVE_KINDS: Final = tuple(_KINDS.values())

HIGHEST_BASE: Final = 5
SWAPS: Final = tuple(tuple(Swap(given, taken) for taken in range(CARDS)) for given in range(CARDS))
"""The swaps, by the card given, then by the card taken."""
KEEPS: Final = tuple(tuple(Keep(kept, given) for given in range(CARDS)) for kept in range(CARDS))
"""The keeps, by the card kept, then by the card given."""
DRAW: Final = Draw()
FOLD: Final = Fold()
STAYS: Final = tuple(Stay(base) for base in range(HIGHEST_BASE + 1))
"""The stays, by base; 0 pays the one that is named."""


def move_kind(move: MakkaikMove) -> str:
    """Returns the kind of a move."""
    return _KINDS[type(move)]


@final
class Phase(IntEnum):
    """The phase of a deal: the kind of move that is due. The numbers are those of the contract."""

    EXCHANGE = 1
    """The seat swaps or draws."""
    KEEPING = 2
    """The seat keeps one of the drawn cards."""
    BETTING = 3
    """The seat stays or folds; the dealer names the base."""
    OVER = 4
    """The match is over."""


# The same as plain numbers, for states: comparing takes 12 ns, with `Phase.X` 104 (CPython 3.11); a move 2 to 9 µs.
PHASE_EXCHANGE: Final = int(Phase.EXCHANGE)
PHASE_KEEPING: Final = int(Phase.KEEPING)
PHASE_BETTING: Final = int(Phase.BETTING)
PHASE_OVER: Final = int(Phase.OVER)


@final
class Exchange(IntEnum):
    """A seat's exchange. The numbers are those of the contract, but for `NOT_YET`."""

    NOT_YET = 0
    SWAPPED = 1
    DREW = 2


@final
class MakkaikView(NamedTuple):
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
    base: int
    """The base; 0 while it is not named in this round."""
    paid: tuple[int, ...]
    """The amount that each seat has paid into the pot in this deal."""
    staying: int
    """The seats that are still in, as a bit mask; all of them before the betting."""
    public_cards: int
    """The public cards that everybody may use."""
    exchanges: tuple[int, ...]
    """The exchange of each seat: numbers of `Exchange`."""
    taken: tuple[int, ...]
    """For each seat, the public card that it has taken and is known to hold: a mask of one card, or 0."""
    hand: int
    """This seat's hand; 0 for a spectator."""
    drawn: int
    """The two cards that the seat itself has drawn, while it must keep one; otherwise 0."""
    shown: tuple[int, ...]
    """The hands that were compared at the end of the match; 0 for a hand that was not shown."""
    scores: tuple[int, ...]
    """Scores of the complete deals."""

    @property
    def pot(self) -> int:
        """The amount that has been paid in this deal."""
        return sum(self.paid)


@final
@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began. Public."""

    deal: int
    dealer: int
    public_cards: int
    """The first three public cards."""


@final
@dataclass(frozen=True, slots=True)
class Received:
    """A hand was dealt. Shown to that seat only."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class Swapped:
    """A seat swapped a card of its hand with a public card. Public."""

    seat: int
    given: int
    taken: int


@final
@dataclass(frozen=True, slots=True)
class Drew:
    """A seat drew two cards. Public, without the cards."""

    seat: int


@final
@dataclass(frozen=True, slots=True)
class Saw:
    """The two cards that a seat drew. Only that seat sees this event."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class Kept:
    """A seat kept a drawn card; two cards joined the public ones. Public."""

    seat: int
    cards: int
    """The two cards. The event does not show which of them was drawn."""


@final
@dataclass(frozen=True, slots=True)
class BettingBegan:
    """Every seat paid into the pot. Public."""

    pot: int


@final
@dataclass(frozen=True, slots=True)
class BaseNamed:
    """The dealer stayed, named the base of the round and paid it. Public."""

    seat: int
    round: int
    base: int


@final
@dataclass(frozen=True, slots=True)
class Stayed:
    """A seat paid the base. Public."""

    seat: int
    base: int


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
class ShownHand(NamedTuple):
    """A hand at the showdown, and its best meld."""

    seat: int
    hand: int
    form: int
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


MakkaikEvent = (
    Dealt
    | Received
    | Swapped
    | Drew
    | Saw
    | Kept
    | BettingBegan
    | BaseNamed
    | Stayed
    | Folded
    | DealerChanged
    | Showdown
    | DealEnded
)
