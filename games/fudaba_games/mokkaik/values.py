"""Mokkaik's moves, view and events.

Sets of cards are masks of the deck (see `fudaba_games.kamikisen.cards`), forms and strengths are its numbers. All are
immutable values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.melds import form_name


@final
class Lay(NamedTuple):
    """Lays a meld face up."""

    form: int
    """`SINGLE`, `SET` or `RUN`."""
    cards: int
    strength: int
    """The strength of a run's highest card. A ship may leave a choice: see `fudaba_games.kamikisen.melds.melds_of`."""


@final
class Discard(NamedTuple):
    """Puts as many cards aside, face down, as the leader's meld has."""

    cards: int


MokkaikMove = Lay | Discard

MOVE_KINDS: Final = ("single", "set", "run", "discard")


def move_kind(move: MokkaikMove) -> str:
    """Returns the kind of a move. Raises `ValueError` for a `Lay` whose form is not a `Form`."""
    if isinstance(move, Discard):
        return "discard"
    return form_name(move.form)


@final
class MokkaikView(NamedTuple):
    """The view of a seat or a spectator. The fields are those of the contract's message of the same name.

    `public_cards` has an entry for each seat; the message has one list, which `public_counts` divides.
    """

    deal: int
    dealer: int
    multiplier: int
    """The factor of a payment that the dealer makes or receives."""
    round: int
    """The round, from 0."""
    turn: int
    """The seat whose decision is open; -1 when the match is over."""
    leader: int
    """The seat that leads, or has led, to the round; when the match is over, the winner of the last round."""
    form: int
    """The form of the leader's meld; 0 while nothing is laid."""
    size: int
    """The number of its cards; 0 while nothing is laid."""
    reds: int
    """The number of them that are red."""
    strength: int
    """The strength of the best meld so far; -1 while nothing is laid."""
    laid_by: tuple[int, ...]
    """The seats that have laid a meld in this round, in order; the last one has the best."""
    laid: tuple[int, ...]
    """The cards of these melds."""
    hand: int
    """This seat's hand; 0 for a spectator."""
    discarded: int
    """The cards that the seat itself has discarded in this deal; 0 for a spectator."""
    hand_sizes: tuple[int, ...]
    discard_counts: tuple[int, ...]
    """The number of cards that each seat has discarded in this deal."""
    public_cards: tuple[int, ...]
    """The public cards of each seat."""
    beaten: int
    """The cards that were laid in earlier rounds and lost."""
    scores: tuple[int, ...]
    """Scores of the complete deals."""


@final
@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began. Public."""

    deal: int
    dealer: int
    multiplier: int


@final
@dataclass(frozen=True, slots=True)
class Received:
    """A hand was dealt. Shown to that seat only."""

    seat: int
    cards: int


@final
@dataclass(frozen=True, slots=True)
class Laid:
    """A seat laid a meld. Public."""

    seat: int
    form: int
    cards: int
    strength: int


@final
@dataclass(frozen=True, slots=True)
class Discarded:
    """A seat put cards aside. Public, without the cards."""

    seat: int
    count: int


@final
@dataclass(frozen=True, slots=True)
class RoundWon:
    """A round is complete. Public."""

    winner: int
    cards: int
    """The cards that the winner keeps face up."""


@final
@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal ended. Public."""

    winner: int
    public_counts: tuple[int, ...]
    scores: tuple[int, ...]
    """The score of this deal."""


MokkaikEvent = Dealt | Received | Laid | Discarded | RoundWon | DealEnded
