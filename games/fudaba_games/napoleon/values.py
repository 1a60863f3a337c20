"""Napoleon's moves, view and events.

Cards are numbers 0-51 in deck order, and sets of cards are bit masks of them. Suits are numbers 0-4 (clubs, diamonds,
hearts, spades, no-trump), and calls are numbers 0-40 (see `fudaba_games.napoleon.cards`). All are immutable values.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple, final

from fudaba_games.napoleon.cards import CARDS, HIGHEST_CALL, number_of, suit_of


@final
@dataclass(frozen=True, slots=True)
class Approve:
    """Bids nothing this time."""


@final
@dataclass(frozen=True, slots=True)
class Bid:
    """Bids to take this many honours (13-20) with a suit (0-4) as trump."""

    number: int
    suit: int


@final
@dataclass(frozen=True, slots=True)
class Bury:
    """Puts two cards (a mask) aside, face down."""

    cards: int


@final
@dataclass(frozen=True, slots=True)
class Name:
    """Names the card whose holder becomes adjutant."""

    card: int


@final
@dataclass(frozen=True, slots=True)
class Play:
    """Plays a card to the trick."""

    card: int


NapoleonMove = Approve | Bid | Bury | Name | Play

_KINDS: Final[dict[type[object], str]] = {Approve: "approve", Bid: "bid", Bury: "bury", Name: "name", Play: "play"}
MOVE_KINDS: Final = tuple(_KINDS.values())


def move_kind(move: NapoleonMove) -> str:
    """Returns the kind of a move."""
    return _KINDS[type(move)]


APPROVAL: Final = Approve()
BIDS: Final = (None, *(Bid(number_of(call), suit_of(call)) for call in range(1, HIGHEST_CALL + 1)))
"""For each call, the bid; call 0 has none."""
PLAYS: Final = tuple(Play(card) for card in range(CARDS))


@final
class Phase(IntEnum):
    """The phase of a deal: the kind of move that is due. The numbers are those of the contract."""

    AUCTION = 1
    EXCHANGE = 2
    NAMING = 3
    TRICKS = 4
    OVER = 5
    """The match is over."""


# The same as plain numbers, for states: comparing takes 12 ns, with `Phase.X` 104 (CPython 3.11); a move 2 to 9 µs.
PHASE_AUCTION: Final = int(Phase.AUCTION)
PHASE_EXCHANGE: Final = int(Phase.EXCHANGE)
PHASE_NAMING: Final = int(Phase.NAMING)
PHASE_TRICKS: Final = int(Phase.TRICKS)
PHASE_OVER: Final = int(Phase.OVER)


@final
class NapoleonView(NamedTuple):
    """The view of a seat or a spectator. The fields are those of the contract's message of the same name."""

    deal: int
    dealer: int
    thrown_in: int
    """How often the cards of this deal have been thrown in."""
    phase: int
    """A `Phase`."""
    turn: int
    """The seat whose decision is open; -1 when the match is over."""
    calls: tuple[int, ...]
    """The auction so far, clockwise from the seat after the dealer."""
    number: int
    """The number of the highest bid; 0 while nobody has bid."""
    trump: int
    """The suit (0-4) of the highest bid; -1 while nobody has bid."""
    napoleon: int
    """The seat of the highest bid, who is Napoleon from the end of the auction on; -1 while nobody has bid."""
    named: int
    """The adjutant's card; -1 while it is not named."""
    adjutant: int
    """The adjutant once the named card was played or the match is over; Napoleon's seat if there is none; -1 before
    that.
    """
    hand: int
    """This seat's hand; 0 for a spectator."""
    buried: int
    """The buried cards, for Napoleon, and for everyone when the match is over; 0 otherwise."""
    leader: int
    """The seat that leads, or has led, to the trick in progress; -1 while there are no tricks."""
    trick: tuple[int, ...]
    """The cards of the trick in progress, in the order of play."""
    tricks: tuple[int, ...]
    """The cards of the complete tricks, five for each, in the order of play."""
    winners: tuple[int, ...]
    """The winner of each complete trick."""
    honours: tuple[int, ...]
    """The number of honours that each seat has taken in this deal."""
    scores: tuple[int, ...]
    """Scores of the complete deals."""


@final
@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards were dealt. Public."""

    deal: int
    dealer: int
    thrown_in: int
    """How often the cards of this deal have been thrown in before."""


@final
@dataclass(frozen=True, slots=True)
class Received:
    """Cards came into a hand: ten, or the widow. Shown to that seat only."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class Called:
    """A seat approved or bid. Public."""

    seat: int
    call: int


@final
@dataclass(frozen=True, slots=True)
class ThrownIn:
    """Everyone approved and nobody bid; the same dealer deals again. Public."""

    deal: int


@final
@dataclass(frozen=True, slots=True)
class Stood:
    """The auction is over, and a seat is Napoleon. Public."""

    seat: int
    number: int
    trump: int


@final
@dataclass(frozen=True, slots=True)
class Buried:
    """Napoleon has taken the widow and buried two cards. Public, without the cards."""

    seat: int


@final
@dataclass(frozen=True, slots=True)
class Named:
    """Napoleon has named the adjutant's card. Public."""

    seat: int
    card: int


@final
@dataclass(frozen=True, slots=True)
class Played:
    """A card was played. Public."""

    seat: int
    card: int


@final
@dataclass(frozen=True, slots=True)
class Revealed:
    """The named card was played. Public."""

    adjutant: int
    """Napoleon's own seat if there is none."""


@final
class TrickTaken(NamedTuple):
    """A trick is complete. Public."""

    winner: int
    cards: tuple[int, ...]
    """The cards, in the order of play."""


@final
@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal ended. Public."""

    napoleon: int
    adjutant: int
    """Napoleon's own seat if there was none."""
    honours: int
    """The number of honours that Napoleon's side took in tricks."""
    won: bool
    """Whether Napoleon's side won."""
    swept: bool
    """Whether it lost because it took too much."""
    buried: int
    scores: tuple[int, ...]
    """The score of this deal."""


NapoleonEvent = (
    Dealt | Received | Called | ThrownIn | Stood | Buried | Named | Played | Revealed | TrickTaken | DealEnded
)
