"""Tashot's moves, view and events.

A card is a number 0-23, and sets of cards are masks of the deck (see `fudaba_games.kamikisen.cards`), forms and
strengths are its numbers. All are immutable values.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.cards import CARDS

NO_CARD = -1
NOBODY = -1
"""No seat."""


@final
@dataclass(frozen=True, slots=True)
class Decline:
    """Does not want the card that was discarded."""


@final
class Discard(NamedTuple):
    """Discards a card of the hand, face up."""

    card: int


@final
@dataclass(frozen=True, slots=True)
class Four:
    """Lays a set of four open from the hand."""

    cards: int


@final
@dataclass(frozen=True, slots=True)
class Win:
    """Wins the deal: with the card drawn, or with the one that was discarded."""


@final
class Call(NamedTuple):
    """Takes the card that was discarded, for a meld that lies open from then on."""

    cards: int
    """The cards of the whole meld, the discarded card among them."""
    strength: int
    """The strength of a set, or of a run's highest card. Only a ship at the end of a run leaves a choice."""


TashotMove = Decline | Discard | Four | Win | Call

_KINDS: Final[dict[type[object], str]] = {
    Decline: "decline",
    Discard: "discard",
    Four: "four",
    Win: "win",
    Call: "call",
}
MOVE_KINDS: Final = tuple(_KINDS.values())


def move_kind(move: TashotMove) -> str:
    """Returns the kind of a move."""
    return _KINDS[type(move)]


DECLINE: Final = Decline()
WIN: Final = Win()
DISCARDS: Final = tuple(Discard(card) for card in range(CARDS))


@final
class Phase(IntEnum):
    """The phase of a deal: the kind of move that is due. The numbers are those of the contract."""

    TURN = 1
    """A seat has drawn: it discards, lays a set of four open, or wins."""
    CALLED = 2
    """A seat has called: it discards."""
    WINDOW = 3
    """A card was discarded, and may be taken."""
    OVER = 4
    """The match is over."""


# The same as plain numbers, for states: comparing takes 12 ns, with `Phase.X` 104 (CPython 3.11); a move 2 to 9 µs.
PHASE_TURN: Final = int(Phase.TURN)
PHASE_CALLED: Final = int(Phase.CALLED)
PHASE_WINDOW: Final = int(Phase.WINDOW)
PHASE_OVER: Final = int(Phase.OVER)


@final
class OpenMeld(NamedTuple):
    """A meld that lies open before a seat."""

    seat: int
    cards: int
    form: int
    """`SET` or `RUN`."""
    strength: int


@final
class TashotView(NamedTuple):
    """The view of a seat or a spectator. The fields are those of the contract's message of the same name.

    `discards` has an entry for each seat; the message has one list, which `discard_counts` divides.
    """

    deal: int
    dealer: int
    multiplier: int
    """The factor of the points for finishing that the dealer pays or receives."""
    phase: int
    """A `Phase`."""
    turn: int
    """The seat that has the turn; in a window, the seat that has discarded; -1 when the match is over."""
    unfinished: int
    """The seats that have neither finished their first turn nor been skipped, as bits. A win before all have is a win
    in the first round.
    """
    stock: int
    """The number of cards that are left to draw."""
    offered: int
    """In a window, the card that was discarded; otherwise -1."""
    hand: int
    """This seat's hand, including the card drawn; 0 for a spectator."""
    drawn: int
    """On this seat's turn, the card just drawn, while the hand still has such a card; otherwise -1."""
    hand_sizes: tuple[int, ...]
    melds: tuple[OpenMeld, ...]
    """The melds that lie open, in the order of the seats; at most one for each seat."""
    discards: tuple[int, ...]
    """The cards that each seat has discarded and nobody has taken."""
    lights: tuple[int, ...]
    """The cards that were turned up."""
    scores: tuple[int, ...]
    """All payments so far, including those of this deal."""
    paid: tuple[int, ...]
    """The payments of this deal so far."""
    winner: int
    """The winner of the last deal of a match that is over; -1 before that, and if nobody won it."""
    won_with: int
    """The six cards of that win; otherwise 0."""


@final
@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began. Public."""

    deal: int
    dealer: int
    multiplier: int
    light: int
    """The card that was turned up; -1 without lights."""


@final
@dataclass(frozen=True, slots=True)
class Received:
    """A hand was dealt, or a card drawn. Shown to that seat only."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class TurnBegan:
    """Nobody has taken the discarded card; the next seat draws. Public."""

    seat: int
    stock: int
    """The number of cards that are left to draw after that."""


@final
@dataclass(frozen=True, slots=True)
class Discarded:
    """A seat discarded a card. Public."""

    seat: int
    card: int


@final
@dataclass(frozen=True, slots=True)
class Opened:
    """A seat laid a meld open. Public."""

    seat: int
    source: int
    """The seat whose discard was called; -1 for a set of four from the hand."""
    cards: int
    form: int
    strength: int


@final
@dataclass(frozen=True, slots=True)
class Won:
    """A seat won the deal. Public."""

    seat: int
    source: int
    """The seat that discarded the winning card; -1 if it was drawn."""
    cards: int
    """The six cards."""
    light: int
    """The card that was turned up at the win; -1 for none."""
    same_colour: bool
    six_in_row: bool
    first_round: bool
    four: bool
    """Whether a set of four was first shown in the hand."""
    kings: int
    """The number of real kings and emperors."""
    lit: int
    """The points for lights."""


@final
@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal ended. Public."""

    winner: int
    """The seat that won; -1 when the stock ran out."""
    scores: tuple[int, ...]
    """The score of this deal, including calls and sets of four."""


TashotEvent = Dealt | Received | TurnBegan | Discarded | Opened | Won | DealEnded
