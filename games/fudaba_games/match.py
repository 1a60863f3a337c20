"""A match without clocks, store or transport: the one place where answers meet the rules.

The service, the local runner, the simulator and the record checker all drive this object, so everywhere moves are
judged, decisions are numbered and events are shown in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Generic, final

from fudaba_games.game import (
    PUBLIC,
    Decision,
    E,
    Game,
    GameError,
    M,
    NoSuchTimer,
    OptionValue,
    Outcome,
    S,
    Shown,
    Timer,
    V,
)

__all__ = ["DecisionClosed", "Match", "MatchOver", "NotYourDecision", "OpenDecision"]


_MAX_EARLIER_IDS: Final = 64
"""The number of earlier ids of a standing decision that can still be answered."""


@final
class NotYourDecision(GameError):
    """A decision with this id was never put to this seat."""


@final
class DecisionClosed(GameError):
    """The decision was answered, timed out or withdrawn before this answer arrived. It is never penalised."""


@final
class MatchOver(GameError):
    """The match has ended, so nothing can be played."""


@final
class OpenDecision(Generic[M]):
    """A decision that was put to a seat.

    `id` counts the seat's own decisions only, so it reveals nothing about what the other seats were asked. A `stamp`
    other than 0 is part of it.
    """

    __slots__ = ("id", "legal", "required", "seat", "standing")

    def __init__(self, due: Decision, number: int, legal: Sequence[M], stamp: int = 0) -> None:
        self.seat = seat = due.seat
        self.id = f"{seat}.{number}.{stamp:x}" if stamp else f"{seat}.{number}"
        self.required = due.required
        self.standing = due.standing
        self.legal = legal


@final
class Match(Generic[S, M, V, E]):
    """A match in progress: the state, the open decisions, and what each seat has been shown.

    `seats` is the number of seats; `options` must be complete (`Game.resolve_options`). With `at` the match goes on
    from that state, which it then owns, and no seat has been shown anything yet. `stamp` is part of the ids of the
    first decisions. With `closed` the match shows nothing and asks nobody, and `seats` may be outside the game's range;
    this represents a match whose rules are not available.
    """

    def __init__(
        self,
        game: Game[S, M, V, E],
        seats: int,
        options: Mapping[str, OptionValue],
        seed: bytes,
        at: S | None = None,
        stamp: int = 0,
        closed: bool = False,
    ) -> None:
        dealt_to = min(max(seats, game.min_seats), game.max_seats) if closed else seats
        game.check_seats(dealt_to)
        self.game = game
        self.seats = seats
        self.options = dict(options)
        opening: list[Shown[E]] = []
        if at is None:
            at, opening = game.new_match(dealt_to, options, seed)
        self.state: S = at
        self.outcome: Outcome | None = game.outcome(at)
        self._open: list[OpenDecision[M] | None] = [None] * seats
        self._asked = [0] * seats
        self.stamp = stamp
        """The stamp of decisions opened from now on, so that their ids differ from those of another history."""
        self.newly_open: list[OpenDecision[M]] = []
        """The decisions that were opened last, by the deal or by the last move."""
        self._answered: list[dict[str, M | None]] = [{} for _ in range(seats)]
        self._earlier: list[dict[str, OpenDecision[M]]] = [{} for _ in range(seats)]
        """The earlier forms of each seat's open decision, by their ids, if it is a standing decision."""
        self._shown: list[list[E]] = [[] for _ in range(seats)]
        self._public: list[E] = []
        if not closed:
            self._show(opening)
            self._ask([True] * seats)

    @property
    def over(self) -> bool:
        """Whether the match has a result."""
        return self.outcome is not None

    def open(self, seat: int) -> OpenDecision[M] | None:
        """Returns the open decision of a seat, if it has one."""
        return self._open[seat]

    def open_decisions(self) -> list[OpenDecision[M]]:
        """Returns all open decisions, by seat."""
        return [decision for decision in self._open if decision is not None]

    def open_by_seat(self) -> tuple[OpenDecision[M] | None, ...]:
        """Returns the open decision of each seat, None for a seat without one."""
        return tuple(self._open)

    def shown(self, seat: int | None) -> list[E]:
        """Returns every event that `seat` (None: a spectator) has been shown, in order. Do not change the list."""
        return self._public if seat is None else self._shown[seat]

    def view(self, seat: int | None) -> V:
        """Returns what `seat` (None: a spectator) knows now."""
        return self.game.view(self.state, seat)

    def answered(self, seat: int, decision_id: str) -> M | None:
        """Returns this seat's move for a decision that it has answered, or None."""
        return self._answered[seat].get(decision_id)

    def find(self, seat: int, decision_id: str) -> OpenDecision[M] | None:
        """Returns the open decision with this id, or the standing one with this earlier id; None for any other id."""
        current = self._open[seat]
        if current is None or current.id == decision_id:
            return current
        return self._earlier[seat].get(decision_id)

    def may_be_asked(self, seat: int, decision_id: str) -> bool:
        """Returns whether this seat may still be asked a decision with this id in the rest of the match."""
        number = decision_id.removeprefix(f"{seat}.").partition(".")[0]
        return number != decision_id and number.isdecimal() and number.isascii()

    def decision(self, seat: int, decision_id: str) -> OpenDecision[M]:
        """Returns the open decision with this id. Raises `MatchOver`, `DecisionClosed` or `NotYourDecision`."""
        open_decision = self.find(seat, decision_id)
        if open_decision is not None:
            return open_decision
        if decision_id in self._answered[seat]:
            raise DecisionClosed(
                f"decision {decision_id} is closed: it was answered, its time ran out, or it was withdrawn"
            )
        if self.over:
            raise MatchOver("the match is over")
        raise NotYourDecision(
            f"seat {seat} was never asked decision {decision_id!r}; answer with the id of the decision"
        )

    def check(self, seat: int, decision_id: str, move: M) -> None:
        """Raises one of this module's errors, or `IllegalMove`, unless the move answers the decision."""
        self.decision(seat, decision_id)
        self.game.check(self.state, seat, move)

    def play(self, seat: int, move: M) -> list[Shown[E]]:
        """Plays a checked move of a seat with an open decision. Returns what happened."""
        decision = self._open[seat]
        if decision is None:
            raise NotYourDecision(f"seat {seat} has no open decision")
        self._answered[seat][decision.id] = move
        self._open[seat] = None
        earlier = self._earlier[seat]
        if earlier:
            self._answered[seat].update(dict.fromkeys(earlier, move))
            earlier.clear()
        events = self.game.apply(self.state, seat, move)
        informed = self._show(events)
        informed[seat] = True
        self.outcome = self.game.outcome(self.state)
        self._ask(informed)
        return events

    def timers(self) -> Sequence[Timer]:
        """Returns the referee's timers; none once the match is over."""
        return () if self.outcome is not None else self.game.timers(self.state)

    def fire(self, name: str) -> list[Shown[E]]:
        """Carries out a timer. Returns what happened. Raises `NoSuchTimer`."""
        if self.outcome is not None:
            raise NoSuchTimer("no timer runs now: the match is over")
        events = self.game.fire(self.state, name)
        informed = self._show(events)
        self.outcome = self.game.outcome(self.state)
        self._ask(informed)
        return events

    def pass_time(self) -> str:
        """Fires the next timer, and returns it. Play without a clock goes on in this way when nobody is asked."""
        timer = self.game.next_timer(self.state) if self.outcome is None else None
        if timer is None:
            raise NoSuchTimer("no timer runs now")
        self.fire(timer.name)
        return timer.name

    def forfeit(self, seat: int) -> None:
        """Ends the match because `seat` resigned or forfeited. Raises `MatchOver` if it is over."""
        if self.over:
            raise MatchOver("the match is over")
        self.outcome = self.game.forfeit(self.state, seat)
        self.close()

    def close(self) -> None:
        """Withdraws every open decision."""
        for seat, decision in enumerate(self._open):
            if decision is not None:
                self._withdraw(seat, decision)

    def _withdraw(self, seat: int, decision: OpenDecision[M]) -> None:
        """Closes a decision without an answer, also under its earlier ids."""
        self._answered[seat].update(dict.fromkeys((*self._earlier[seat], decision.id)))
        self._earlier[seat].clear()
        self._open[seat] = None

    def _keep(self, seat: int, decision: OpenDecision[M]) -> None:
        """Gives a standing decision a new id. It can still be answered under the earlier ones, except the oldest."""
        earlier = self._earlier[seat]
        earlier[decision.id] = decision
        if len(earlier) > _MAX_EARLIER_IDS:
            oldest = next(iter(earlier))
            del earlier[oldest]
            self._answered[seat][oldest] = None
        self._open[seat] = None

    def _show(self, events: Sequence[Shown[E]]) -> list[bool]:
        """Stores the events for those who may see them. Returns the seats that saw any."""
        informed = [False] * self.seats
        for to, event in events:
            if to == PUBLIC:
                self._public.append(event)
                for shown in self._shown:
                    shown.append(event)
                informed = [True] * self.seats
                continue
            for seat in range(self.seats):
                if to >> seat & 1:
                    self._shown[seat].append(event)
                    informed[seat] = True
        return informed

    def _ask(self, informed: list[bool]) -> None:
        """Opens and withdraws decisions. A decision stays the same while its seat gets no news."""
        self.newly_open = []
        if self.outcome is not None:
            self.close()
            return
        due: list[Decision | None] = [None] * self.seats
        for decision in self.game.decisions(self.state):
            due[decision.seat] = decision
        for seat, wanted in enumerate(due):
            current = self._open[seat]
            if current is not None and (wanted is None or informed[seat]):
                if wanted is not None and wanted.standing and wanted.standing == current.standing:
                    self._keep(seat, current)
                else:
                    self._withdraw(seat, current)
                current = None
            if wanted is not None and current is None:
                legal = self.game.legal_moves(self.state, seat)
                self._open[seat] = opened = OpenDecision(wanted, self._asked[seat], legal, self.stamp)
                self._asked[seat] += 1
                self.newly_open.append(opened)
