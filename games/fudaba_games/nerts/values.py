"""The moves, view and events of Nerts. Cards are numbers 0-51 in deck order; piles are tuples, the top card last.

All are immutable values. There are few moves, so each is made once: see `FOUNDS`, `BUILDS`, `SHIFTS` and `TUCKS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, final

from fudaba_games.nerts.cards import RANK_COUNT, WORKS_PER_SEAT

NERTS_TOP: Final = 0
"""The source that is the top card of the seat's Nerts pile."""
WASTE_TOP: Final = 1
"""The source that is the top card of the seat's waste."""
FIRST_WORK: Final = 2
"""The source that is the last card of work pile 0; the numbers of the other piles follow."""
SOURCES: Final = FIRST_WORK + WORKS_PER_SEAT
MAX_FOUNDATIONS: Final = 16
"""The largest number of foundations: four aces for each of four seats."""


@final
@dataclass(frozen=True, slots=True)
class Wait:
    """Does nothing."""


@final
@dataclass(frozen=True, slots=True)
class Flip:
    """Turns three cards of the stock onto the waste."""


@final
@dataclass(frozen=True, slots=True)
class Recycle:
    """Turns the waste over, which becomes the stock."""


@final
@dataclass(frozen=True, slots=True)
class Found:
    """Plays a card to a foundation (組札)."""

    source: int
    """`NERTS_TOP`, `WASTE_TOP`, or `FIRST_WORK` and the number of a work pile."""
    foundation: int
    """The id of the foundation. An ace starts one, with the next free id."""


@final
@dataclass(frozen=True, slots=True)
class Build:
    """Lays a card on a work pile."""

    source: int
    """`NERTS_TOP` or `WASTE_TOP`."""
    work: int


@final
@dataclass(frozen=True, slots=True)
class Shift:
    """Moves the last cards of a work pile onto another one as a block."""

    from_work: int
    """The work pile that they leave."""
    count: int
    to_work: int
    """The work pile that they go to."""


@final
@dataclass(frozen=True, slots=True)
class Tuck:
    """Slides the top card of the Nerts pile under a work pile."""

    work: int


@final
@dataclass(frozen=True, slots=True)
class Call:
    """The move `nerts` (ナーツ): calls "Nerts!"."""


NertsMove = Wait | Flip | Recycle | Found | Build | Shift | Tuck | Call

_KINDS: Final[dict[type[object], str]] = {
    Wait: "wait",
    Flip: "flip",
    Recycle: "recycle",
    Found: "found",
    Build: "build",
    Shift: "shift",
    Tuck: "tuck",
    Call: "nerts",
}
MOVE_KINDS: Final = tuple(_KINDS.values())

WAIT: Final = Wait()
FLIP: Final = Flip()
RECYCLE: Final = Recycle()
CALL: Final = Call()
FOUNDS: Final = tuple(tuple(Found(source, to) for to in range(MAX_FOUNDATIONS)) for source in range(SOURCES))
"""The founds, by source and foundation."""
BUILDS: Final = tuple(tuple(Build(source, work) for work in range(WORKS_PER_SEAT)) for source in (NERTS_TOP, WASTE_TOP))
"""The builds, by source and work pile."""
SHIFTS: Final = tuple(
    tuple(
        tuple(Shift(from_work, count, to_work) for to_work in range(WORKS_PER_SEAT)) for count in range(RANK_COUNT + 1)
    )
    for from_work in range(WORKS_PER_SEAT)
)
"""The shifts, by work pile, count and work pile."""
TUCKS: Final = tuple(Tuck(work) for work in range(WORKS_PER_SEAT))
"""The tucks, by work pile."""


def move_kind(move: NertsMove) -> str:
    """Returns the kind of a move."""
    return _KINDS[type(move)]


@final
class Foundation(NamedTuple):
    """A foundation, face up until its king lies on it."""

    suit: int
    """The suit: 0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    owners: tuple[int, ...]
    """For each card from the ace up, the mask of the seats that have it here. Several seats have the same card if they
    played it in one tick.
    """


@final
class SeatView(NamedTuple):
    """The public view of a seat's layout."""

    nerts_size: int
    """The number of cards that its Nerts pile has."""
    nerts_top: int
    """The top card of the Nerts pile; -1 if there is none."""
    stock_size: int
    """The number of cards that its stock has."""
    waste_size: int
    """The number of cards that its waste has."""
    waste_top: int
    """The top card of the waste; -1 if there is none."""
    work_piles: tuple[tuple[int, ...], ...]
    """The four work piles, each with its last card at the end."""
    founded: int
    """The number of its cards that are on the foundations."""


@final
class NertsView(NamedTuple):
    """The view of a seat or a spectator. The fields are those of the contract's message of the same name."""

    deal: int
    tick: int
    """The number of ticks of this deal that are complete; 0 in real time."""
    stock_turns: int
    """The number of consecutive turns of the stocks (NE7.2)."""
    idle: int
    """The number of consecutive ticks (in real time, movements) without a found, build or tuck."""
    seats: tuple[SeatView, ...]
    foundations: tuple[Foundation, ...]
    """The foundations, by id."""
    waste: tuple[int, ...]
    """This seat's waste, the top card last; empty for a spectator."""
    chosen: NertsMove | None
    """This seat's move of this tick, while others are missing."""
    scores: tuple[int, ...]
    """The totals of the complete deals."""


@final
@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began. Public."""

    deal: int
    nerts_tops: tuple[int, ...]
    """The top card of each seat's Nerts pile."""
    work_cards: tuple[int, ...]
    """The card of each work pile, seat by seat."""


@final
@dataclass(frozen=True, slots=True)
class Flipped:
    """A seat turned cards of its stock onto its waste. Public."""

    seat: int
    count: int
    top: int
    """The card that is now on top."""


@final
@dataclass(frozen=True, slots=True)
class Saw:
    """The cards that a seat has just turned, with the top one last. Shown to that seat only."""

    seat: int
    cards: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class Recycled:
    """A seat turned its waste over, which is now its stock. Public."""

    seat: int


@final
@dataclass(frozen=True, slots=True)
class Founded:
    """A seat played a card to a foundation. Public."""

    seat: int
    source: int
    card: int
    foundation: int
    uncovered: int
    """The card that came to the top of the Nerts pile or the waste; -1 for none, and for a work pile."""


@final
@dataclass(frozen=True, slots=True)
class Built:
    """A seat laid a card on a work pile of its own. Public."""

    seat: int
    source: int
    card: int
    work: int
    uncovered: int
    """The uncovered card, as in `Founded`."""


@final
@dataclass(frozen=True, slots=True)
class Shifted:
    """A seat moved a block from one of its work piles to another. Public."""

    seat: int
    from_work: int
    count: int
    to_work: int


@final
@dataclass(frozen=True, slots=True)
class Tucked:
    """A seat slid the top of its Nerts pile under a work pile. Public."""

    seat: int
    card: int
    work: int
    uncovered: int
    """The uncovered card, as in `Founded`."""


@final
@dataclass(frozen=True, slots=True)
class Called:
    """A seat called "Nerts!". Public."""

    seat: int


@final
@dataclass(frozen=True, slots=True)
class StocksTurned:
    """No seat moved: every seat made a whole stock again and put its top card to the bottom. Public."""

    stock_turns: int
    """The number of such turns in a row, including this one."""


BY_CALL: Final = 0
"""`DealEnded.cause`: a seat called."""
BY_STANDSTILL: Final = 1
"""`DealEnded.cause`: three turns in a row."""
BY_LIMIT: Final = 2
"""`DealEnded.cause`: the limit of ticks or time."""


@final
@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal ended. Public."""

    cause: int
    founded: tuple[int, ...]
    """The number of cards that each seat has on the foundations."""
    nerts_sizes: tuple[int, ...]
    """The number of cards that each seat's Nerts pile has left."""
    scores: tuple[int, ...]
    """The scores of the deal."""


NertsEvent = Dealt | Flipped | Saw | Recycled | Founded | Built | Shifted | Tucked | Called | StocksTurned | DealEnded
