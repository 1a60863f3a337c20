"""Naga's moves, view and events. Cards are numbers 0-50 in deck order, and sets of cards are bit masks of them.

All are immutable values. The frequent ones are named tuples, because a frozen dataclass takes several times as long to
make.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, final


@final
@dataclass(frozen=True, slots=True)
class Designate:
    """Names the place (1-7, not Eltam) of the next battle."""

    place: int


@final
class Commit(NamedTuple):
    """Chooses the cards (a mask) for the battle, face down until both seats have chosen."""

    cards: int


NagaMove = Designate | Commit

_KINDS: Final[dict[type[object], str]] = {Designate: "designate", Commit: "commit"}
MOVE_KINDS: Final = tuple(_KINDS.values())


def move_kind(move: NagaMove) -> str:
    """Returns the kind of a move."""
    return _KINDS[type(move)]


@final
class NagaView(NamedTuple):
    """The view of a seat or a spectator. The fields are those of the contract's message of the same name."""

    deal: int
    battle: int
    dealer: int
    place: int
    """The designated place, 0 while a designation is due."""
    to_designate: int
    """The seat whose designation is due, while `place` is 0; otherwise the seat that designated, or -1 for Eltam."""
    table: tuple[int, ...]
    """Masks of the cards still on the table, by place; index 0 is unused and 0."""
    hand: int
    """This seat's hand, committed cards included; 0 for a spectator."""
    committed: int
    """The cards that this seat has committed, while the other has not; 0 otherwise."""
    won: tuple[int, int]
    """Masks of the table cards won, by seat."""
    discarded: int
    """The cards that were shown and are out of this deal."""
    stock: int
    """The number of cards that are left in the stock."""
    scores: tuple[int, int]
    """Scores of the complete deals."""


@final
@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began. Public."""

    deal: int
    dealer: int
    table: tuple[int, ...]
    """The table, as in `NagaView.table`."""


@final
class Received(NamedTuple):
    """Cards came into a hand. Shown to that seat only."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class Designated:
    """A place was designated. Public."""

    seat: int
    place: int


@final
class Battled(NamedTuple):
    """A battle was fought. Public."""

    place: int
    played: tuple[int, int]
    prize: int
    winner: int | None
    """The seat that took the prize; None on a tie."""


@final
@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal ended. Public."""

    won_counts: tuple[int, int]
    """The number of table cards that each seat won."""
    scores: tuple[int, int]
    """The score of this deal."""


NagaEvent = Dealt | Received | Designated | Battled | DealEnded
