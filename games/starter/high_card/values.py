"""The values that a bot gets and returns.

All are immutable. Seats and deals are numbers from 0, and cards are numbers 1-12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, final

NO_CARD: Final = 0
"""The card of a seat that has passed."""


# ---- moves ---------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Pass:
    """Plays no card in this round."""


@final
@dataclass(frozen=True, slots=True)
class Play:
    """Plays a card of the hand, face down until both have made their choice."""

    card: int


HighCardMove = Pass | Play

_KINDS: Final[dict[type[object], str]] = {Pass: "pass", Play: "play"}
MOVE_KINDS: Final = tuple(_KINDS.values())
"""The first words of the texts of moves, in the order of the page."""


def move_kind(move: HighCardMove) -> str:
    """Returns the first word of a move's text."""
    return _KINDS[type(move)]


# ---- the view ------------------------------------------------------------------------------------------------------


@final
class HighCardView(NamedTuple):
    """The view of a seat or a spectator. The fields are those of the contract's message of the same name."""

    deal: int
    dealer: int
    hand: tuple[int, ...]
    """This seat's cards, in ascending order; none for a spectator."""
    chosen: int
    """The choice of this seat in this round: a card, 0 for a pass, -1 while it has not chosen, and for a spectator."""
    played: tuple[int, ...]
    """The complete rounds of this deal: what seat 0 played, then what seat 1 played, 0 for a pass."""
    scores: tuple[int, ...]
    """The number of rounds that each seat has won more than the other, in all deals so far."""


# ---- events --------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal begins. Public."""

    deal: int
    dealer: int


@final
@dataclass(frozen=True, slots=True)
class Received:
    """Cards came into a hand. Shown to that seat only."""

    seat: int
    cards: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class Compared:
    """Both have chosen, and show what seat 0 and seat 1 played, 0 for a pass. Public."""

    cards: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal is over. Public."""

    scores: tuple[int, ...]
    """The scores, as in the view."""


HighCardEvent = Dealt | Received | Compared | DealEnded
