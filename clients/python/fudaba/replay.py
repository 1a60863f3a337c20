"""What a match's log means: the one place where log entries become a match again.

The service keeps its live matches with it, and records are shown and verified with it.
"""

from __future__ import annotations

from typing import Any, final

from fudaba.codec import GameCodec, codec, options_from_proto, outcome_to_proto
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_games.game import Game, Outcome, Shown
from fudaba_games.match import Match
from fudaba_games.registry import game

__all__ = ["Replay"]


@final
class Replay:
    """A match as its log has made it so far.

    Entries are trusted: whoever stores or verifies one has checked it before. Raises `UnknownGame`, `BadSeats` or
    `BadOption` for a header that this release cannot play.
    """

    def __init__(self, header: record_pb2.MatchHeader, seed: bytes) -> None:
        self.header = header
        self.game: Game[Any, Any, Any, Any] = game(header.game)
        self.codec: GameCodec[Any, Any, Any] = codec(header.game)
        seats = len(header.players)
        options = self.game.resolve_options(options_from_proto(header.options))
        self.match: Match[Any, Any, Any, Any] = Match(self.game, seats, options, seed)
        self.seats = seats
        self.length = 0
        """The number of entries applied."""
        self.ready: set[int] = set()
        self.timeouts = [0] * seats
        """How often each seat's time ran out in a decision that it owed."""
        self.timed_out: set[str] = set()
        """The ids of the decisions that were closed because time had run out."""
        self.illegal = [0] * seats
        self.bank_us = [header.clock.bank_ms * 1000] * seats
        self._move_us = header.clock.move_ms * 1000
        self._increment_us = header.clock.increment_ms * 1000
        self.started_ms = 0
        """When the last bot connected; 0 before."""
        self.started = False
        """Whether all bots have connected."""
        self.over = False
        """Whether the match has ended, with or without a result."""
        self.opened_ms = [0] * seats
        """When each seat's open decision was put, or its last one if none is open."""
        self.ended_ms = 0
        self.forfeited: tuple[int, record_pb2.ForfeitCause.ValueType] | None = None
        self.aborted: record_pb2.Abort | None = None

    @property
    def outcome(self) -> Outcome | None:
        """The result, if there is one."""
        return None if self.aborted is not None else self.match.outcome

    @property
    def state(self) -> matches_pb2.MatchState.ValueType:
        """How far the match is."""
        if self.aborted is not None:
            return matches_pb2.MATCH_STATE_ABORTED
        if self.over:
            return matches_pb2.MATCH_STATE_FINISHED
        return matches_pb2.MATCH_STATE_PLAYING if self.started else matches_pb2.MATCH_STATE_WAITING

    def apply(self, entry: record_pb2.LogEntry, move: object = None) -> list[Shown[Any]]:
        """Applies one entry and says what happened. `move` spares decoding the entry's move where it is at hand."""
        what = entry.WhichOneof("what")
        seat = entry.seat
        events: list[Shown[Any]] = []
        if what in {"move", "timeout"}:
            if move is None:
                move = self.codec.move_from_proto(entry.move if what == "move" else entry.timeout)
            decision = self.match.open(seat)
            if what == "timeout":
                self.timed_out.add(entry.decision_id)
                self.timeouts[seat] += decision is not None and decision.required
            self._charge(seat, entry.spent.bot_us)
            events = self._play(seat, move, entry.at_ms)
        elif what == "ready":
            self._ready(seat, entry.at_ms)
        elif what == "illegal":
            self.illegal[seat] += 1
        elif what == "forfeit":
            self.forfeited = seat, entry.forfeit.cause
            self.match.forfeit(seat)
            self._end(entry.at_ms)
        elif what == "abort":
            self.aborted = entry.abort
            self.match.close()
            self._end(entry.at_ms)
        self.length += 1
        return events

    def end(self) -> record_pb2.MatchEnd:
        """How the match ended. Call it only when it is over."""
        end = record_pb2.MatchEnd()
        end.end_time.FromMilliseconds(self.ended_ms)
        if self.aborted is not None:
            end.abort_cause = self.aborted.cause
            if self.aborted.cause == record_pb2.ABORT_CAUSE_NO_SHOW:
                end.absent_seats.extend(seat for seat in range(self.seats) if seat not in self.ready)
        elif self.match.outcome is not None:
            outcome_to_proto(self.match.outcome, end.outcome)
        if self.forfeited is not None:
            end.forfeited_seat, end.forfeit_cause = self.forfeited
        return end

    def budget_us(self, seat: int) -> int:
        """How long a decision of this seat may take, its bank included."""
        return self._move_us + self.bank_us[seat]

    def _charge(self, seat: int, bot_us: int) -> None:
        over = bot_us - self._move_us
        if over > 0:
            self.bank_us[seat] = max(0, self.bank_us[seat] - over)
        self.bank_us[seat] += self._increment_us

    def _end(self, at_ms: int) -> None:
        self.ended_ms = at_ms
        self.over = True

    def _ready(self, seat: int, at_ms: int) -> None:
        self.ready.add(seat)
        if len(self.ready) == self.seats and not self.started:
            self.started_ms = at_ms
            self.started = True
            self.opened_ms = [at_ms] * self.seats

    def _play(self, seat: int, move: object, at_ms: int) -> list[Shown[Any]]:
        match = self.match
        before = match.open_by_seat()
        events = match.play(seat, move)
        if match.outcome is not None:
            self._end(at_ms)
            return events
        for s, now in enumerate(match.open_by_seat()):
            if now is not None and now is not before[s]:
                self.opened_ms[s] = at_ms
        return events
