"""Houniek's moves, view and events.

Sets of cards are masks of the deck (see `fudaba_games.kamikisen.cards`), forms are its numbers, and a foot is a place
on the circle (see `fudaba_games.houniek.circle`). All are immutable values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.melds import form_name


@final
@dataclass(frozen=True, slots=True)
class Pass:
    """Lays nothing this time."""


@final
class Lay(NamedTuple):
    """Lays a meld. The same cards can be several melds; see `fudaba_games.houniek.melds.melds_of`."""

    form: int
    """`SINGLE`, `SET` or `RUN`."""
    cards: int
    foot: int


HouniekMove = Pass | Lay

MOVE_KINDS: Final = ("pass", "single", "run", "set")


def move_kind(move: HouniekMove) -> str:
    """Returns the kind of a move. Raises `ValueError` for a `Lay` whose form is not a `Form`."""
    if isinstance(move, Pass):
        return "pass"
    return form_name(move.form)


PASS: Final = Pass()


@final
class Laid(NamedTuple):
    """A seat laid a meld. Public."""

    seat: int
    form: int
    cards: int
    foot: int


@final
class HouniekView(NamedTuple):
    """The view of a seat or a spectator. The fields are those of the contract's message of the same name."""

    deal: int
    dealer: int
    round: int
    """The round, from 0."""
    turn: int
    """The seat whose decision is open; -1 when the match is over."""
    leader: int
    """The seat that leads, or has led, to the round."""
    table: tuple[Laid, ...]
    """The melds of the round; the last one is the newest, the one to beat."""
    cleared: int
    """The cards that were laid in earlier rounds of the deal."""
    hand: int
    """This seat's hand; 0 for a spectator."""
    hand_sizes: tuple[int, ...]
    stock: int
    """The number of cards that are left to draw."""
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
    """Cards came into a hand. Shown to that seat only."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class RoundBegan:
    """A round began; the table is clear. Public."""

    round: int
    leader: int
    drawn: int
    """The number of cards that the leader drew."""


@final
@dataclass(frozen=True, slots=True)
class Passed:
    """A seat passed. Public."""

    seat: int


@final
@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal ended. Public."""

    winner: int
    scores: tuple[int, ...]
    """The score of this deal."""


HouniekEvent = Dealt | Received | RoundBegan | Laid | Passed | DealEnded
