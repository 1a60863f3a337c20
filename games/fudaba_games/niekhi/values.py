"""Niekhi's moves, view and events.

Sets of cards are vectors of counts, and sets of strengths are masks: see `fudaba_games.niekhi.cards`. All are immutable
values.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple, final

from fudaba_games.niekhi.cards import size_of
from fudaba_games.niekhi.melds import FORMS, SET, SINGLE, Meld


@final
@dataclass(frozen=True, slots=True)
class Pass:
    """Lays nothing this time."""


@final
class Lay(NamedTuple):
    """Lays a meld."""

    cards: int
    length: int
    """The number of different strengths that the cards count as; see `fudaba_games.niekhi.melds.Meld`."""
    strength: int
    """The highest strength that they count as."""

    @property
    def meld(self) -> Meld:
        """The meld that the cards count as."""
        return Meld(size_of(self.cards), self.length, self.strength)


@final
@dataclass(frozen=True, slots=True)
class Decline:
    """Does not use the generals."""


@final
@dataclass(frozen=True, slots=True)
class Name:
    """Names strengths (a mask), whose cards leave the game."""

    strengths: int


@final
@dataclass(frozen=True, slots=True)
class Take:
    """Takes cards from the discard pile."""

    cards: int


NiekhiMove = Pass | Lay | Decline | Name | Take

MOVE_KINDS: Final = ("pass", *FORMS, "decline", "name", "take")

PASS: Final = Pass()
DECLINE: Final = Decline()


def move_kind(move: NiekhiMove) -> str:
    """Returns the kind of a move."""
    if isinstance(move, Lay):
        if move.length == 1:
            return SINGLE if size_of(move.cards) == 1 else SET
        return "run" if size_of(move.cards) == move.length else "stairs"
    if isinstance(move, Pass):
        return "pass"
    if isinstance(move, Decline):
        return "decline"
    return "name" if isinstance(move, Name) else "take"


@final
class Phase(IntEnum):
    """The phase of a deal: the kind of move that is due. The numbers are those of the contract."""

    LAYING = 1
    GENERALS = 2
    OVER = 3
    """The match is over."""


# The same as plain numbers, for states: comparing takes 12 ns, with `Phase.X` 104 (CPython 3.11); a move 2 to 9 µs.
PHASE_LAYING: Final = int(Phase.LAYING)
PHASE_GENERALS: Final = int(Phase.GENERALS)
PHASE_OVER: Final = int(Phase.OVER)


@final
class Laid(NamedTuple):
    """A seat laid a meld. Public. The table of a view consists of these."""

    seat: int
    cards: int
    length: int
    strength: int

    @property
    def meld(self) -> Meld:
        """The meld that the cards count as."""
        return Meld(size_of(self.cards), self.length, self.strength)


@final
class NiekhiView(NamedTuple):
    """The view of a seat or a spectator. The fields are those of the contract's message of the same name.

    The message has two fields for `known`: `known_counts` and `known_cards`.
    """

    deal: int
    dealer: int
    turns: int
    """The number of turns that the deal has had."""
    phase: int
    """A `Phase`."""
    turn: int
    """The seat whose decision is open; -1 when the match is over."""
    generals: int
    """The number of generals that the seat to move has just laid; 0 if it is not to use them."""
    table: tuple[Laid, ...]
    """The melds on the table, in order; empty when the seat to move leads."""
    hand: int
    """This seat's hand; 0 for a spectator."""
    hand_sizes: tuple[int, ...]
    pile: int
    """The discard pile."""
    named: int
    """The strengths that were named in this deal."""
    removed: int
    """The cards that have left the game in this deal."""
    known: tuple[int, ...]
    """For each seat, the cards that it is known to hold because everybody saw it take them from the pile."""
    scores: tuple[int, ...]
    """Scores of the complete deals."""


@final
@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began. Public."""

    deal: int
    dealer: int
    hand_size: int


@final
@dataclass(frozen=True, slots=True)
class Received:
    """A hand was dealt. Shown to that seat only."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class Passed:
    """A seat passed. Public."""

    seat: int


@final
@dataclass(frozen=True, slots=True)
class Cleared:
    """All others have passed, and the table was cleared. Public."""

    leader: int
    """The seat that laid last, and leads."""


@final
@dataclass(frozen=True, slots=True)
class Declined:
    """A seat did not use its generals. Public."""

    seat: int


@final
@dataclass(frozen=True, slots=True)
class Named:
    """A seat named strengths, whose cards have left the game. Public."""

    seat: int
    strengths: int
    cards: int
    """The cards that left hands and discard pile."""
    lost: tuple[int, ...]
    """The number of them that each seat had."""


@final
@dataclass(frozen=True, slots=True)
class Took:
    """A seat took cards from the discard pile. Public."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal ended. Public."""

    winners: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    """The number of cards that each seat had left."""
    scores: tuple[int, ...]
    """The score of this deal."""


NiekhiEvent = Dealt | Received | Laid | Passed | Cleared | Declined | Named | Took | DealEnded
