"""Replays a match's log: the only place where log entries become a match again.

The service keeps its live matches with it, and records are shown and verified with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from fudaba.codec import GameCodec, codec, options_from_proto, outcome_to_proto
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_games.game import Game, Outcome, Shown, Timer
from fudaba_games.match import Match
from fudaba_games.registry import game

__all__ = ["Replay"]


@final
class Replay:
    """A match as replayed from its log so far.

    Entries are trusted: the code that stores or verifies one has checked it before. Raises `UnknownGame`, `BadSeats` or
    `BadOption` for a header that this release cannot play.

    A match of another version of its game's rules is not replayed by today's (`playable` is False), nor are its seats
    and options judged by them: its log only tells who played and how it ended, nothing of it is shown, and none of its
    decisions is open.
    """

    def __init__(self, header: record_pb2.MatchHeader, seed: bytes) -> None:
        self.header = header
        self.game: Game[Any, Any, Any, Any] = game(header.game)
        self.codec: GameCodec[Any, Any, Any] = codec(header.game)
        seats = len(header.players)
        self.playable = header.rules_version == self.game.rules_version
        """Whether this release has the version of the rules by which the match is played."""
        options = self.game.resolve_options(options_from_proto(header.options) if self.playable else {})
        self._created_ms = header.create_time.ToMilliseconds()
        # If the store loses the match altogether, another one may be created that has its id.
        self.match: Match[Any, Any, Any, Any] = Match(
            self.game, seats, options, seed, stamp=self._created_ms, closed=not self.playable
        )
        self.seats = seats
        self.length = 0
        """The number of entries applied."""
        self.ready: set[int] = set()
        self.timeouts = [0] * seats
        """The number of times that each seat's time ran out in a decision that it owed."""
        self.timed_out: set[str] = set()
        """The ids of the decisions that were closed because time had run out."""
        self.illegal = [0] * seats
        self.bank_us = [header.clock.bank_ms * 1000] * seats
        self._move_us = header.clock.move_ms * 1000
        self._increment_us = header.clock.increment_ms * 1000
        self.started_ms = 0
        """The time when the last bot connected; 0 before."""
        self.started = False
        """Whether all bots have connected."""
        self.over = False
        """Whether the match has ended, with or without a result."""
        self.opened_ms = [0] * seats
        """The time when each seat's open decision was put, or its last one if none is open."""
        self.busy_until_ms = [0] * seats
        """The time until which each seat's hand is busy with its last move, see `Game.pause_ms`."""
        self._shown_at = [[0] * len(self.match.shown(seat)) for seat in range(seats)]
        self._answered_at: list[list[int]] = [[] for _ in range(seats)]
        self.timers: dict[Timer, int] = {}
        """The timers that run, and since when. None run before the match has started."""
        self.has_timers = type(self.game).timers is not Game.timers
        """Whether the game has timers at all, now or at another time."""
        self._has_pauses = type(self.game).pause_ms is not Game.pause_ms
        self.last_ms = 0
        """The time of the last entry; later ones have none before it."""
        self.ended_ms = 0
        self.forfeited: tuple[int, record_pb2.ForfeitCause.ValueType] | None = None
        self.aborted: record_pb2.Abort | None = None
        self._known_end: record_pb2.MatchEnd | None = None

    @property
    def shows(self) -> bool:
        """Whether anything of the match may be shown: it has begun and can be replayed."""
        return self.started and self.playable

    @property
    def outcome(self) -> Outcome | None:
        """The result, if there is one; None for a match that is not `playable`, for which `end` has the known facts."""
        return None if self.aborted is not None else self.match.outcome

    @property
    def state(self) -> matches_pb2.MatchState.ValueType:
        """The state of the match."""
        if self.aborted is not None:
            return matches_pb2.MATCH_STATE_ABORTED
        if self.over:
            return matches_pb2.MATCH_STATE_FINISHED
        return matches_pb2.MATCH_STATE_PLAYING if self.started else matches_pb2.MATCH_STATE_WAITING

    def apply(self, entry: record_pb2.LogEntry) -> list[Shown[Any]]:
        """Applies an entry. Returns what happened."""
        entry_kind = entry.WhichOneof("what")
        seat = entry.seat
        self.last_ms = entry.at_ms
        if not self.playable and entry_kind in {"move", "timeout", "referee"}:
            self.length += 1
            return []
        if entry_kind in {"move", "timeout"}:
            move = self.codec.move_from_proto(entry.move if entry_kind == "move" else entry.timeout)
            decision = self.match.open(seat)
            if entry_kind == "timeout":
                self.timed_out.add(entry.decision_id)
                self.timeouts[seat] += decision is not None and decision.required
            return self.answer(seat, move, entry.spent.bot_us, entry.at_ms)
        if entry_kind == "referee":
            self.length += 1
            self.match.stamp = stamp = self._stamp(entry.at_ms)
            events = self.match.fire(entry.referee.timer)
            self._changed(events, stamp, entry.at_ms)
            return events
        if entry_kind == "ready":
            self._ready(seat, entry.at_ms)
        elif entry_kind == "illegal":
            self.illegal[seat] += 1
        elif entry_kind == "forfeit":
            self.forfeited = seat, entry.forfeit.cause
            if self.playable:
                self.match.forfeit(seat)
            self._end(entry.at_ms)
        elif entry_kind == "abort":
            self.aborted = entry.abort
            self.match.close()
            self._end(entry.at_ms)
        self.length += 1
        return []

    def answer(self, seat: int, move: object, bot_us: int, at_ms: int) -> list[Shown[Any]]:
        """Applies an entry with the given parts of a move: `apply` without the message, for the process that just made
        it.
        """
        over_us = bot_us - self._move_us
        if over_us > 0:
            self.bank_us[seat] = max(0, self.bank_us[seat] - over_us)
        self.bank_us[seat] += self._increment_us
        self.length += 1
        self.last_ms = at_ms
        match = self.match
        if self._has_pauses:
            pause_ms = self.game.pause_ms(match.state, move)
            if pause_ms:
                self.busy_until_ms[seat] = at_ms + pause_ms
        match.stamp = stamp = self._stamp(at_ms)
        self._answered_at[seat].append(stamp)
        events = match.play(seat, move)
        self._changed(events, stamp, at_ms)
        return events

    def _stamp(self, at_ms: int) -> int:
        """Returns the stamp in the ids of decisions that an entry of this time opens.

        If the store loses this entry, the match goes on with another one, and an answer to a decision that this one
        opens must not be taken for an answer to a decision of that history.
        """
        return max(1, at_ms - self._created_ms)

    def _changed(self, events: list[Shown[Any]], stamp: int, at_ms: int) -> None:
        """Notes the times of what a move, a seat's or the referee's, has shown, opened, started or ended."""
        match = self.match
        if events:
            for of_seat, stamps in enumerate(self._shown_at):
                new = len(match.shown(of_seat)) - len(stamps)
                if new:
                    stamps.extend([stamp] * new)
        if match.outcome is not None:
            self._end(at_ms)
        for decision in match.newly_open:
            self.opened_ms[decision.seat] = at_ms
        if self.has_timers:
            self._note_timers(at_ms)

    def timers_after(self, entry: record_pb2.LogEntry) -> dict[Timer, int]:
        """Returns the timers that will run after an entry, with their start times. The match does not change."""
        entry_kind = entry.WhichOneof("what")
        if not self.has_timers or self.over or entry_kind in {"forfeit", "abort"}:
            return {}
        if entry_kind == "illegal":
            return self.timers
        if entry_kind == "ready":
            begins = self.started or len(self.ready | {entry.seat}) == self.seats
            return self._running(self.match.timers(), entry.at_ms) if begins else {}
        if entry_kind == "referee":
            state = self.match.state.clone()
            self.game.fire(state, entry.referee.timer)
            return self._running_in(state, entry.at_ms)
        move = self.codec.move_from_proto(entry.move if entry_kind == "move" else entry.timeout)
        return self.timers_after_move(entry.seat, move, entry.at_ms)

    def timers_after_move(self, seat: int, move: object, at_ms: int) -> dict[Timer, int]:
        """Returns the timers that will run after a seat's move in a match that goes on. The match does not change."""
        state = self.match.state.clone()
        self.game.apply(state, seat, move)
        return self._running_in(state, at_ms)

    def _running_in(self, state: Any, at_ms: int) -> dict[Timer, int]:
        """Returns the timers of a state that begins at this time."""
        return {} if self.game.outcome(state) is not None else self._running(self.game.timers(state), at_ms)

    def _note_timers(self, at_ms: int) -> None:
        timers = self.match.timers()
        if timers or self.timers:
            self.timers = self._running(timers, at_ms)

    def _running(self, timers: Sequence[Timer], at_ms: int) -> dict[Timer, int]:
        """Returns the start times of timers: those that run now continue, and the others start at this time."""
        return {timer: self.timers.get(timer, at_ms) for timer in timers}

    def conclude(self, end: record_pb2.MatchEnd) -> None:
        """Ends a match by its record if it is not `playable`, and any other match by its log."""
        if not self.playable:
            self._known_end = end
            self._end(end.end_time.ToMilliseconds())

    def end(self) -> record_pb2.MatchEnd:
        """Returns how the match ended. Call it only when it is over."""
        end = record_pb2.MatchEnd()
        if self._known_end is not None:
            end.CopyFrom(self._known_end)
            return end
        end.end_time.FromMilliseconds(self.ended_ms)
        if self.aborted is not None:
            end.abort_cause = self.aborted.cause
            if self.aborted.cause == record_pb2.ABORT_CAUSE_NO_SHOW:
                absent = [seat for seat in range(self.seats) if seat not in self.ready]
                end.absent_seats.extend(self.aborted.absent_seats or absent)
        elif self.match.outcome is not None:
            outcome_to_proto(self.match.outcome, end.outcome)
        if self.forfeited is not None:
            end.forfeited_seat, end.forfeit_cause = self.forfeited
        return end

    def history(self, seat: int) -> int:
        """Distinguishes a seat's knowledge from that in another history: the time when it last learned something.

        That is an event, or that its answer is stored. If the store loses a tail of the log, later entries replace it.
        0 while there are only the deal's events.
        """
        shown, answered = self._shown_at[seat], self._answered_at[seat]
        return max(shown[-1] if shown else 0, answered[-1] if answered else 0)

    def in_history(self, seat: int, seen: int, history: int) -> bool:
        """Returns whether a seat had seen this many events in this match's history, which may have gone on since.

        `history` is the value of `history` at that time, or 0 for a seat that does not tell.
        """
        shown = self._shown_at[seat] if self.started else []
        if seen > len(shown):
            return False
        since = shown[seen - 1] if seen else 0
        if not history or history == since:
            return True
        until = shown[seen] if seen < len(shown) else history
        return since <= history <= until and history in self._answered_at[seat]

    def budget_us(self, seat: int) -> int:
        """Returns the time for a decision of this seat, its bank included."""
        return self._move_us + self.bank_us[seat]

    def _end(self, at_ms: int) -> None:
        self.timers = {}
        self.ended_ms = at_ms
        self.over = True

    def _ready(self, seat: int, at_ms: int) -> None:
        self.ready.add(seat)
        if len(self.ready) == self.seats and not self.started:
            self.started_ms = at_ms
            self.started = True
            self.opened_ms = [at_ms] * self.seats
            self._note_timers(at_ms)
