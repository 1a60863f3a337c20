"""The interface that every game implements, and the values that all games share.

A game is pure: its state changes only in `Game.apply`, and neither it nor anything it imports uses clocks, randomness,
input or output, asyncio or protobuf. A game's page in docs/rules is its specification.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, Protocol, Self, TypeVar, final

PUBLIC: Final = -1
"""`Shown.to` of an event that every seat and every spectator sees."""

SEED_BYTES: Final = 32
SALT_BYTES: Final = 16

OptionValue = int | bool | str


class GameError(Exception):
    """A caller's mistake. `str()` says what it is, and what to do instead."""


@final
class MalformedMove(GameError):
    """A text or message that is not a move of this game in any state."""


@final
class IllegalMove(GameError):
    """A move that the rules forbid in this state.

    `rule` is a stable upper-case name, for example `CARD_NOT_IN_HAND`; the message is for people.
    """

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


@final
class BadOption(GameError):
    """An option that the game does not have, or a value that it does not allow."""


@final
class NoSuchTimer(GameError):
    """A timer that does not run now."""


@final
class BadSeats(GameError):
    """A number of seats with which the game is not played."""


class Decision(NamedTuple):
    """An open decision of a seat."""

    seat: int
    required: bool = True
    """Whether the game waits for it."""
    standing: int = 0
    """A number other than 0 for a decision that stands until its seat acts, whatever others do meanwhile. When the seat
    gets news, the decision is opened again with a new id. While this number stays the same, an answer to an earlier id
    is accepted too, and is judged by the state at its arrival.
    """


class Timer(NamedTuple):
    """A scheduled action of the rules: a move of the referee after some time.

    It runs from its first appearance until no equal timer is present.
    """

    name: str
    """The name of the action, for example `window`."""
    ms: int
    """The milliseconds after which it fires."""
    mark: int = 0
    """A number that identifies the timer. A timer with another number is a new one, and its time starts again."""
    closing: bool = False
    """Whether it closes the open decisions and so ends their seats' time."""


_E_co = TypeVar("_E_co", covariant=True)


class Shown(NamedTuple, Generic[_E_co]):
    """An event, and who may see it."""

    to: int
    """`PUBLIC`, or a bit mask of seats (bit `s` for seat `s`); spectators see only what is public."""
    event: _E_co

    def visible(self, seat: int | None) -> bool:
        """Returns whether `seat` (None: a spectator) may see it."""
        return self.to == PUBLIC or (seat is not None and bool(self.to >> seat & 1))


class Outcome(NamedTuple):
    """The result of a match."""

    scores: tuple[int, ...]
    """One score for each seat; they add up to zero."""

    @property
    def placements(self) -> tuple[int, ...]:
        """1 for the best score; equal scores share a placement (docs/rules/README.md, G1.4)."""
        return tuple(1 + sum(other > score for other in self.scores) for score in self.scores)


def paid_by(seat: int, each: int, scores: Sequence[int]) -> Outcome:
    """Returns the result if `seat` pays each of the others the same amount, added to the scores so far."""
    all_of_it = each * (len(scores) - 1)
    return Outcome(tuple([score + (-all_of_it if index == seat else each) for index, score in enumerate(scores)]))


class Chance(Protocol):
    """The part of `random.Random` that callers pass to `Game.redeal` and to random play. The rules themselves have no
    source of chance.
    """

    def randrange(self, stop: int, /) -> int:
        """Returns a number from 0 to `stop` - 1, each equally likely."""

    def random(self) -> float:
        """Returns a number from 0 up to, but not including, 1."""

    def getrandbits(self, bits: int, /) -> int:
        """Returns a number of this many random bits."""

    def shuffle(self, values: list[int], /) -> None:
        """Puts the list in random order."""


@final
@dataclass(frozen=True, slots=True)
class Option:
    """An option of a game. The type of `default` is the type of the option."""

    name: str
    default: OptionValue
    description: str
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str, ...] = ()

    def parse(self, value: object) -> OptionValue:
        """Returns `value` if this option allows it. Raises `BadOption`."""
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            raise BadOption(f"option {self.name!r} is true or false, not {value!r}")
        if isinstance(self.default, int):
            if isinstance(value, int) and not isinstance(value, bool) and self.minimum <= value <= self.maximum:
                return value
            given = str(value).lower() if isinstance(value, bool) else repr(value)
            raise BadOption(
                f"option {self.name!r} must be a whole number from {self.minimum} to {self.maximum}, not {given}"
            )
        if isinstance(value, str) and value in self.choices:
            return value
        raise BadOption(f"option {self.name!r} is one of {', '.join(self.choices)}, not {value!r}")


class State(ABC):
    """The full state of a match: flat, mutable, cheap to clone. Only its game changes it."""

    @abstractmethod
    def clone(self) -> Self:
        """Returns an equal state that shares nothing mutable with this one."""


S = TypeVar("S", bound=State)
M = TypeVar("M")
V = TypeVar("V")
E = TypeVar("E")

EventSink = list[Shown[E]] | None
"""The list to which the functions that play a move append events; None from a caller that needs no events."""


class GameText(NamedTuple, Generic[M, V, E]):
    """The moves, events and views of one game as text: the functions of its `text.py`."""

    move_kind: Callable[[M], str]
    """The kind of a move, one of `Game.move_kinds`."""
    event_kind: Callable[[E], str]
    """The kind of an event, one of `Game.event_kinds`."""
    parse_move: Callable[[str], M]
    """Parses a move. Raises `MalformedMove`; it does not check legality."""
    format_move: Callable[[M], str]
    """The one text of a move. It begins with the kind of the move."""
    describe_event: Callable[[E], str]
    """An event as one line of text for people."""
    render_view: Callable[[V], str]
    """A view as several lines of text for people, laid out as a table."""


class Game(ABC, Generic[S, M, V, E]):
    """The rules of one game over its state, move, view and event types.

    Moves, views and events are values: immutable, comparable, and moves also hashable.
    """

    id: str
    """The id, as in the rulebook's table, for example `naga`."""
    name: str
    japanese_name: str
    rules_version: int
    """The version, which is raised when the same log would replay to other states."""
    min_seats: int
    max_seats: int
    options: tuple[Option, ...]
    move_kinds: tuple[str, ...]
    """The kinds of moves, in the order of the rulebook's page. A move's text begins with its kind."""
    event_kinds: tuple[str, ...]
    text: GameText[M, V, E]
    """Moves, events and views as text."""

    @abstractmethod
    def new_match(self, seats: int, options: Mapping[str, OptionValue], seed: bytes) -> tuple[S, list[Shown[E]]]:
        """Returns the state after the first deal, and the events of the deal.

        `options` is complete (see `resolve_options`), `seats` within the game's range, `seed` of 32 bytes.
        """

    @abstractmethod
    def decisions(self, state: S) -> Sequence[Decision]:
        """Returns the open decisions, at most one for each seat. Returns none when the match is over or only a timer
        can continue it.

        A simultaneous choice is several decisions. A seat that has made its choice is no longer listed.
        """

    def turn(self, state: S) -> int:
        """Returns the seat of the first open decision; -1 if none is open. A game may override this to be faster."""
        due = self.decisions(state)
        return due[0].seat if due else -1

    @abstractmethod
    def legal_moves(self, state: S, seat: int) -> Sequence[M]:
        """Returns the legal moves of a seat with an open decision, in the rulebook's order: the default move first.

        Moves of one kind are adjacent. The sequence does not change when the state does.
        """

    @abstractmethod
    def check(self, state: S, seat: int, move: M) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision. Changes nothing."""

    @abstractmethod
    def apply(self, state: S, seat: int, move: M) -> list[Shown[E]]:
        """Plays a checked move. Returns what happened, in order."""

    def advance(self, state: S, seat: int, move: M) -> None:
        """Plays a checked move as `apply` does, for callers that do not need the events.

        Random play and search use only this. A game overrides it if making the events takes long.
        """
        self.apply(state, seat, move)

    def pause_ms(self, state: S, move: M) -> int:  # noqa: ARG002 - in most games any number of moves may come at once
        """Returns how long a move keeps its seat busy. The seat's next such move is not played earlier.

        A caller that keeps the time delays a move that comes too early.
        """
        return 0

    def timers(self, state: S) -> Sequence[Timer]:  # noqa: ARG002 - most games have none
        """Returns the actions that the referee will carry out if nothing changes first. They are public.

        The rules have no clock: a caller that keeps the time calls `fire`, and the log records it like any move.
        """
        return ()

    def next_timer(self, state: S) -> Timer | None:
        """Returns the timer that fires next if no clock runs and no seat acts; None if there is none.

        It is the shortest timer; among equally short ones, it is the first in `timers`.
        """
        timers = self.timers(state)
        return min(timers, key=lambda timer: timer.ms) if timers else None

    def fire(self, state: S, name: str) -> list[Shown[E]]:
        """Carries out a timer of this state. Returns what happened, in order.

        Raises `NoSuchTimer`, and changes nothing, unless `timers` has one of this name. A game defines `fired`.
        """
        if all(timer.name != name for timer in self.timers(state)):
            raise NoSuchTimer(f"no timer {name!r} runs now")
        return self.fired(state, name)

    def fired(self, state: S, name: str) -> list[Shown[E]]:
        """Does the work of `fire` for a name of `timers`. A game with timers defines it; only `fire` calls it."""
        raise NotImplementedError(f"{self.id} does not say what its timer {name!r} does")

    def random_move(self, state: S, seat: int, chance: Chance) -> M:
        """Returns a legal move of a seat with an open decision. It draws a kind first, then a move of that kind.

        Every kind that the seat has is equally likely, because a uniform draw from all moves would hardly ever choose a
        kind that has few moves. A game may override this with a faster way if it keeps these rules: kinds stay equally
        likely; every legal move can come up, though not all moves of a kind need be equally likely, as when cards are
        drawn from the hand; the same chance gives the same move; the state does not change. So the result differs
        slightly from the built-in bot `random`, which has a list of moves and draws those of a kind with equal
        probability.
        """
        kinds = self.legal_kinds(state, seat)
        if len(kinds) == 1:
            return self.legal_moves(state, seat)[int(chance.random() * kinds[0][1])]
        kind = int(chance.random() * len(kinds))
        start = sum([count for _, count in kinds[:kind]])
        return self.legal_moves(state, seat)[start + int(chance.random() * kinds[kind][1])]

    @abstractmethod
    def view(self, state: S, seat: int | None) -> V:
        """Returns what `seat` (None: a spectator) may know, by what the rules page calls public and private to it."""

    @abstractmethod
    def redeal(self, state: S, seat: int | None, chance: Chance) -> S:
        """Returns another state with the same view for `seat`, in which everything that the view leaves open varies."""

    @abstractmethod
    def suppose(self, view: V, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance) -> S:
        """Returns a full state with this view for `seat`, drawn as `redeal` draws it, from nothing but what the seat
        knows.

        The seat has an open decision. `options` is complete and allows more deals than `view` shows as complete, so the
        match goes on. With other arguments the state belongs to no match, and play from it need not end.
        """

    def only_this_deal(self, view: V, options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """Returns `options` with which a match is the same until the deal that `view` shows ends, and then ends with
        it.

        It is for callers of `suppose` that do not want to look further. `options` is complete, and the match goes on in
        `view`. A game whose option has another name than `deals` overrides this.
        """
        seen: Any = view
        return {**options, "deals": seen.deal + 1}

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """Returns the result, or None while the match goes on."""

    @abstractmethod
    def forfeit(self, state: S, seat: int) -> Outcome:
        """Returns the result if `seat` resigns now. It is never better for the seat than losing the rest."""

    def legal_kinds(self, state: S, seat: int) -> Sequence[tuple[str, int]]:
        """Returns the kinds of the legal moves, in order, each with its number of moves."""
        counts: dict[str, int] = {}
        kind_of = self.text.move_kind
        for move in self.legal_moves(state, seat):
            kind = kind_of(move)
            counts[kind] = counts.get(kind, 0) + 1
        return list(counts.items())

    def resolve_options(self, given: Mapping[str, object]) -> dict[str, OptionValue]:
        """Returns every option's value, from `given` or its default, in the page's order. Raises `BadOption`."""
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                raise BadOption(f"{self.id} has no option {name!r}; it has: {', '.join(known) or 'none'}")
        return {o.name: o.parse(given[o.name]) if o.name in given else o.default for o in self.options}

    def check_seats(self, seats: int) -> None:
        """Raises `BadSeats` unless the game can be played by this many."""
        if not self.min_seats <= seats <= self.max_seats:
            allowed = (
                str(self.min_seats) if self.min_seats == self.max_seats else f"{self.min_seats} to {self.max_seats}"
            )
            raise BadSeats(f"{self.id} is played by {allowed} seats, not {seats}")
