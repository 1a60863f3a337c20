"""Numbers Crush's moves, view and events.

Cards are numbers 0-53 in deck order, sets of cards are bit masks of them, faces are numbers 0-66, and suits are numbers
0-3 (see `fudaba_games.numbers_crush.cards`). All are immutable values.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple, final


@final
@dataclass(frozen=True, slots=True)
class Skip:
    """Does not draw."""


@final
@dataclass(frozen=True, slots=True)
class Draw:
    """Draws a card."""


@final
@dataclass(frozen=True, slots=True)
class Pass:
    """Sets nothing in this turn."""


@final
class Set(NamedTuple):
    """Sets cards on the base."""

    cards: tuple[int, ...]
    """The cards, from the bottom to the top."""
    faces: tuple[int, ...]
    """The face that each of them stands for."""
    suit: int = -1
    """The suit that a 9 names; -1 if the effect of 9 does not take place."""


@final
@dataclass(frozen=True, slots=True)
class Decline:
    """Declines the optional action that is due."""


@final
@dataclass(frozen=True, slots=True)
class Discard:
    """Puts a card under the base."""

    card: int


@final
@dataclass(frozen=True, slots=True)
class Give:
    """Gives a card to another seat."""

    card: int
    to: int


@final
@dataclass(frozen=True, slots=True)
class ZeroOut:
    """Declares a zero-out with the whole hand."""


@final
@dataclass(frozen=True, slots=True)
class Counter:
    """Counters a zero-out."""


NumbersCrushMove = Skip | Draw | Pass | Set | Decline | Discard | Give | ZeroOut | Counter

SKIP: Final = Skip()
DRAW: Final = Draw()
PASS: Final = Pass()
DECLINE: Final = Decline()
ZERO_OUT: Final = ZeroOut()
COUNTER: Final = Counter()


_KINDS: Final[dict[type[object], str]] = {
    Skip: "skip",
    Draw: "draw",
    Pass: "pass",
    Set: "set",
    Decline: "decline",
    Discard: "discard",
    Give: "give",
    ZeroOut: "zero_out",
    Counter: "counter",
}
MOVE_KINDS: Final = tuple(_KINDS.values())


def move_kind(move: NumbersCrushMove) -> str:
    """Returns the kind of a move."""
    return _KINDS[type(move)]


@final
class Phase(IntEnum):
    """The phase of a deal: the kind of move that is due. The numbers are those of the contract."""

    DRAW = 1
    SET = 2
    GIVE = 3
    MUST_DISCARD = 4
    MAY_DISCARD = 5
    EXTRA = 6
    """An extra set within the limits, by 6."""
    RESET = 7
    """An extra set without limits, by 8 or 9."""
    PENALTY = 8
    ZERO_OUT = 9
    COUNTER = 10
    OVER = 11
    """The match is over."""


# The same as plain numbers, for states: comparing takes 12 ns, with `Phase.X` 104 (CPython 3.11); a move 2 to 9 µs.
PHASE_DRAW: Final = int(Phase.DRAW)
PHASE_SET: Final = int(Phase.SET)
PHASE_GIVE: Final = int(Phase.GIVE)
PHASE_MUST_DISCARD: Final = int(Phase.MUST_DISCARD)
PHASE_MAY_DISCARD: Final = int(Phase.MAY_DISCARD)
PHASE_EXTRA: Final = int(Phase.EXTRA)
PHASE_RESET: Final = int(Phase.RESET)
PHASE_PENALTY: Final = int(Phase.PENALTY)
PHASE_ZERO_OUT: Final = int(Phase.ZERO_OUT)
PHASE_COUNTER: Final = int(Phase.COUNTER)
PHASE_OVER: Final = int(Phase.OVER)


@final
class Victory(IntEnum):
    """The way in which a deal was won. The numbers are those of the contract."""

    EMPTY_HAND = 1
    FOUR_FIVES = 2
    ZERO_OUT = 3
    COUNTER = 4
    FEWEST_CARDS = 5


@final
class NumbersCrushView(NamedTuple):
    """The view of a seat or a spectator. The fields are those of the contract's message of the same name.

    The message has two fields each for `known` and `known_alone`: the cards, and their seats in `known_seats` and
    `known_alone_seats`.
    """

    deal: int
    dealer: int
    turns: int
    """The number of turns that have begun in this deal."""
    phase: int
    """A `Phase`."""
    turn: int
    """The seat whose turn it is, or was last; -1 before the first turn and when the match is over."""
    reversed: bool
    base: int
    """The card on top of the base pile."""
    number: int
    """The number of the base; 0 for a declared joker."""
    suit: int
    """The suit of the base; -1 for a declared joker."""
    pile: int
    """The cards under the base."""
    stock: int
    """The number of cards that the stock has."""
    hand_sizes: tuple[int, ...]
    bind: int
    """The colour that a colour bind allows: 0 no bind, 1 black, 2 red."""
    bind_maker: int
    """The seat that made the bind; -1 without a bind."""
    pending: int
    """The seat that made the bind; -1 without a bind."""
    king_penalty: int
    """The king penalty; 0 outside king time."""
    king_starter: int
    """The seat that started king time; -1 without king time."""
    joker_lock: bool
    resets: int
    """The number of extra sets without limits that the seat may make after what is due now."""
    cards_left: int
    """The number of cards that the seat may still give, or must or may still discard."""
    penalty_cards: tuple[int, ...]
    """The penalty cards that were drawn last in this deal, in the order of the draws."""
    penalty_left: int
    """The number of penalty cards that are still to be drawn."""
    zero_out: int
    """The seat that has declared a zero-out; -1 if none has."""
    answered: bool
    """Whether this seat has answered in a zero-out or counter phase."""
    hand: int
    """This seat's hand; 0 for a spectator."""
    known: tuple[int, ...]
    """For each seat, cards that everybody knows to be in its hand."""
    known_alone: tuple[int, ...]
    """For each seat, the cards that this seat knows to be in its hand while the others need not know it. Empty for a
    spectator.
    """
    changed_seats: int
    """The seats, as a mask, whose hand or base has changed since they were last asked for a zero-out.

    In a zero-out or counter phase, the seats that may be able to declare something, as far as everybody knows.
    """
    lost_turns: int
    """The number of turns that are skipped after this one."""
    next_turn: int
    """The seat that has the next turn if play order does not give it, which happens after king time; otherwise -1."""
    scores: tuple[int, ...]
    """Scores of the complete deals."""
    new_bind: bool
    """Whether the bind was made in this turn, so that it binds from the next seat on."""


@final
@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards were dealt. Public."""

    deal: int
    dealer: int


@final
@dataclass(frozen=True, slots=True)
class Received:
    """Cards came into a hand from the stock, face down. Shown to that seat only."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class Turned:
    """A card was turned for the first base. Public."""

    card: int


@final
@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A turn begins. Public."""

    seat: int
    number: int
    """The number of the turn in its deal, from 1."""


@final
@dataclass(frozen=True, slots=True)
class Drew:
    """A seat drew cards, face down. Public, without the cards."""

    seat: int
    count: int


@final
@dataclass(frozen=True, slots=True)
class Skipped:
    """A seat did not draw at the beginning of its turn. Public."""

    seat: int


@final
@dataclass(frozen=True, slots=True)
class Passed:
    """A seat passed. Public."""

    seat: int


@final
class WereSet(NamedTuple):
    """Cards were set. Public."""

    seat: int
    cards: tuple[int, ...]
    faces: tuple[int, ...]
    suit: int
    """The suit that a 9 named; -1 if none did."""


@final
@dataclass(frozen=True, slots=True)
class Declined:
    """A seat declined to go on with an effect, or to set penalty cards. Public."""

    seat: int


@final
@dataclass(frozen=True, slots=True)
class Discarded:
    """A card was discarded. Public."""

    seat: int
    card: int


@final
@dataclass(frozen=True, slots=True)
class Gave:
    """A seat gave a card to another. Public, without the card."""

    seat: int
    to: int


@final
@dataclass(frozen=True, slots=True)
class Handed:
    """The card that a seat gave to another. Only these two see this event."""

    seat: int
    to: int
    card: int


@final
@dataclass(frozen=True, slots=True)
class Penalised:
    """A penalty card was drawn, face up. Public."""

    seat: int
    card: int


@final
@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The cards under the base were shuffled into a new stock. Public."""

    count: int


@final
@dataclass(frozen=True, slots=True)
class ZeroedOut:
    """A zero-out was declared. Public. If several seats declare at the same time, the first one has it."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class Countered:
    """A zero-out was countered. Public."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal ended. Public."""

    winners: int
    """The seats that won, as a mask."""
    victory: int
    """A `Victory`."""
    scores: tuple[int, ...]
    """The score of this deal."""


NumbersCrushEvent = (
    Dealt
    | Received
    | Turned
    | TurnBegan
    | Drew
    | Skipped
    | Passed
    | WereSet
    | Declined
    | Discarded
    | Gave
    | Handed
    | Penalised
    | Reshuffled
    | ZeroedOut
    | Countered
    | DealEnded
)
