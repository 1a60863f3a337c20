"""The decisions of a seat in a recorded match, as they were put, and their answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, final

from fudaba import records
from fudaba.errors import FudabaError
from fudaba.replay import Replay
from fudaba.v1 import record_pb2
from fudaba_games.game import GameError
from fudaba_games.match import OpenDecision

__all__ = ["CannotRerun", "How", "Recorded", "RecordedSeat", "recorded_seat"]


_HISTORY_MASK: Final = 2**32 - 1
"""The bits of a history that fit in the contract's field."""


@final
class CannotRerun(FudabaError):
    """The decisions of this record cannot be put to a bot again. `str()` says why."""


@final
class How(StrEnum):
    """The end of a decision in the recorded match."""

    ANSWERED = "answered"
    TIMED_OUT = "timed_out"
    """The default move was played."""
    WITHDRAWN = "withdrawn"
    """The decision needed no answer, and got none."""
    FORFEITED = "forfeited"
    """The seat forfeited the match at this decision."""
    UNANSWERED = "unanswered"
    """The match ended at this decision, by others' moves."""


@final
@dataclass(slots=True)
class Recorded:
    """A decision."""

    number: int
    """The number of the decision in the seat's order, from 1."""
    id: str
    required: bool
    state: Any
    """The game's state when it was put."""
    seen: int
    """The number of events that the seat had seen by then."""
    history: int
    time_ms: int
    bank_ms: int
    how: How = How.UNANSWERED
    move: Any = None
    """The move that was played; None if there was none."""
    took_ms: float = 0.0
    refused: list[str] = field(default_factory=list)
    """The reasons why earlier answers to it were refused."""

    @property
    def compared(self) -> bool:
        """Whether there is a move to compare with an answer."""
        return self.how in {How.ANSWERED, How.TIMED_OUT}


@final
@dataclass(frozen=True, slots=True)
class RecordedSeat:
    """A seat of a recorded match."""

    record: record_pb2.MatchRecord
    seat: int
    replay: Replay
    """The match at its end."""
    decisions: tuple[Recorded, ...]
    real_time: bool
    """Whether a decision stayed open while others moved."""


def recorded_seat(record: record_pb2.MatchRecord, seat: int) -> RecordedSeat:
    """Returns a seat's decisions in a match. Raises `CannotRerun`."""
    header = record.header
    try:
        replay = records.replay(record)
    except records.BadRecord as error:
        raise CannotRerun(str(error)) from None
    if not replay.playable:
        raise CannotRerun(
            f"it was played by version {header.rules_version} of the rules of {header.game}, and this release has "
            f"version {replay.game.rules_version}; only a release with version {header.rules_version} can tell what "
            "the bot was asked"
        )
    if not 0 <= seat < replay.seats:
        raise CannotRerun(f"there is no seat {seat}: the seats are 0 to {replay.seats - 1}")
    following = _Following(replay, seat)
    for number, entry in enumerate(record.log):
        try:
            following.take(entry)
        except (GameError, IndexError, AssertionError) as error:
            raise CannotRerun(f"entry {number} cannot be played ({error}); see `fudaba record verify`") from None
    if not following.found:
        raise CannotRerun(f"seat {seat} was asked nothing in this match")
    return RecordedSeat(record, seat, replay, tuple(following.found), following.real_time)


@final
class _Following:
    """Follows a match, and notes a seat's decisions with their ends."""

    def __init__(self, replay: Replay, seat: int) -> None:
        self._replay = replay
        self._seat = seat
        self._put: dict[str, Recorded] = {}
        """The open decision under each of its ids, as it was put under that id."""
        self._refused: list[str] = []
        self.found: list[Recorded] = []
        self.real_time = False

    def take(self, entry: record_pb2.LogEntry) -> None:
        """Applies the log's next entry, if it is right. Raises `GameError`."""
        entry_kind, own = entry.WhichOneof("what"), entry.seat == self._seat
        if entry_kind in {"move", "timeout"}:
            move = self._replay.codec.move_from_proto(entry.move if entry_kind == "move" else entry.timeout)
            self._replay.match.check(entry.seat, entry.decision_id, move)
        if own and entry_kind == "illegal":
            self._refused.append(f"{entry.illegal.reason}: {entry.illegal.message}")
        if own and entry_kind in {"move", "timeout"}:
            self._answered(entry, How.ANSWERED if entry_kind == "move" else How.TIMED_OUT)
        self._replay.apply(entry)
        match = self._replay.match
        newest = next(reversed(self._put), None)
        if newest is not None and match.find(self._seat, newest) is None:
            self._closed(entry_kind, own=own)
        decision = match.open(self._seat)
        if decision is not None and self._replay.started and decision.id not in self._put:
            self._note(decision)

    def _note(self, decision: OpenDecision[Any]) -> None:
        replay, seat = self._replay, self._seat
        self.real_time = self.real_time or bool(decision.standing)
        self._put[decision.id] = Recorded(
            number=0,
            id=decision.id,
            required=decision.required,
            state=replay.match.state.clone(),
            seen=len(replay.match.shown(seat)),
            history=replay.history(seat) & _HISTORY_MASK,
            time_ms=replay.budget_us(seat) // 1000,
            bank_ms=replay.bank_us[seat] // 1000,
        )

    def _answered(self, entry: record_pb2.LogEntry, end: How) -> None:
        if not self._put:
            raise GameError(f"seat {self._seat} has no open decision")
        # Early releases wrote other ids: then it is the newest one.
        put = self._put.get(entry.decision_id) or self._put[next(reversed(self._put))]
        put.move = self._replay.codec.move_from_proto(entry.move if end is How.ANSWERED else entry.timeout)
        put.took_ms = entry.spent.bot_us / 1000
        self._add(put, end)

    def _closed(self, entry_kind: str | None, *, own: bool) -> None:
        """Notes that the open decision will get no answer."""
        put = self._put[next(reversed(self._put))]
        if entry_kind == "forfeit" and own:
            self._add(put, How.FORFEITED)
        elif not self._replay.over:
            self._add(put, How.WITHDRAWN)
        elif put.required:
            self._add(put, How.UNANSWERED)
        self._put.clear()

    def _add(self, put: Recorded, end: How) -> None:
        put.how, put.number = end, len(self.found) + 1
        put.refused, self._refused = self._refused, []
        self.found.append(put)
        self._put.clear()
