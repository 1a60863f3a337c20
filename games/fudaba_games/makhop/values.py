"""Makhop's moves, view and events.

A card is a number 0-23, and a set of cards is a mask of the deck; see `fudaba_games.kamikisen.cards`. Roads are
numbered from 0 in the order in which they lie on the table. All are immutable values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, final

Road = tuple[int, ...]
"""The cards of a road in the order in which they were laid; the last one is its end."""


@final
@dataclass(frozen=True, slots=True)
class Open:
    """Lays no card; the top of the stock starts a new road."""


@final
class Extend(NamedTuple):
    """Lays value cards on a road."""

    road: int
    cards: int
    end: int
    """The card that is laid last and becomes the new end."""


@final
class Join(NamedTuple):
    """Lays value cards that join two roads."""

    road: int
    other_road: int
    """The road with the higher number."""
    cards: int
    end: int
    """The card that is laid last and becomes the new end."""


@final
class Clear(NamedTuple):
    """Lays a ship, king or emperor; all roads vanish."""

    card: int


MakhopMove = Open | Extend | Join | Clear

_KINDS: Final[dict[type[object], str]] = {Open: "open", Extend: "extend", Join: "join", Clear: "clear"}
MOVE_KINDS: Final = tuple(_KINDS.values())


def move_kind(move: MakhopMove) -> str:
    """Returns the kind of a move."""
    return _KINDS[type(move)]


OPEN: Final = Open()


@final
class MakhopView(NamedTuple):
    """The view of a seat or a spectator. The fields are those of the contract's message of the same name."""

    deal: int
    dealer: int
    turns: int
    """The number of turns that the deal has had."""
    idle: int
    """The number of turns in a row, up to now, that did nothing."""
    turn: int
    """The seat whose decision is open; -1 when the match is over."""
    roads: tuple[Road, ...]
    hand: int
    """This seat's hand; 0 for a spectator."""
    hand_sizes: tuple[int, ...]
    stock: int
    """The number of cards that the stock has."""
    stock_cards: int
    """The cards of the stock if everybody knows them, after a reshuffle; otherwise 0."""
    vanished: int
    """The cards that have vanished and are not in the stock."""
    shuffles: int
    """How often vanished cards have become the stock in this deal."""
    scores: tuple[int, ...]
    """Scores of the complete deals."""


@final
@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began. Public."""

    deal: int
    dealer: int


@final
@dataclass(frozen=True, slots=True)
class Received:
    """A hand was dealt. Shown to that seat only."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class Turned:
    """A card of the stock was turned up, after the deal or a clear, and starts a road. Public."""

    card: int


@final
@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The vanished cards were shuffled and are now the stock. Public."""

    cards: int


@final
@dataclass(frozen=True, slots=True)
class Opened:
    """A seat laid no card. Public."""

    seat: int
    card: int
    """The card that starts the new road; -1 if none does."""


@final
@dataclass(frozen=True, slots=True)
class Extended:
    """A seat laid cards on a road. Public."""

    seat: int
    road: int
    cards: int
    end: int


@final
@dataclass(frozen=True, slots=True)
class Joined:
    """A seat joined two roads. Public."""

    seat: int
    road: int
    """The number that the joined road has now."""
    other_road: int
    """The number that the other road had; the roads after it have moved up."""
    cards: int
    end: int


@final
@dataclass(frozen=True, slots=True)
class Cleared:
    """A seat laid a ship, king or emperor, and all roads vanished. Public."""

    seat: int
    card: int


@final
@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal ended. Public."""

    winners: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    """The number of cards that each seat had left."""
    scores: tuple[int, ...]
    """The score of this deal."""


MakhopEvent = Dealt | Received | Turned | Reshuffled | Opened | Extended | Joined | Cleared | DealEnded
