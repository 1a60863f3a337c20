"""One live match in this process: a cache of its log, and the queue of what is to be added to it.

Every change is first judged against the copy, then appended by compare-and-set, and only when the store has it applied
to the copy and told to anybody. Changes of one match are made one after another; those of different matches share their
round trips to the store.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, final

from fudaba.replay import Replay
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_games.game import GameError
from fudaba_service.refusals import Refused, refusal_of
from fudaba_service.sessions.alarm import Alarm
from fudaba_service.sessions.changes import Answered, Proposal, Propose, Reply
from fudaba_service.sessions.clocks import Clocks
from fudaba_service.sessions.followers import SeatFollower, Spectator
from fudaba_service.sessions.hands import Hands
from fudaba_service.sessions.surroundings import Surroundings
from fudaba_service.store import Answer, Append, Appended, StoredMatch, match_keys

if TYPE_CHECKING:
    pass

__all__ = ["Session"]

# How long to wait before looking again at something overdue that is being settled.
_AGAIN: Final = 0.25


@final
class Session:
    """See the module. `replay` is what the store is known to hold; never ahead of it."""

    def __init__(self, around: Surroundings, stored: StoredMatch, settle: Propose) -> None:
        self._around = around
        self._settle = settle
        self._settling = False
        self.header = record_pb2.MatchHeader.FromString(stored.header)
        self.match_id = self.header.match_id
        self._game = self.header.game
        self._keys = match_keys(self.match_id).for_append()
        self.seed = stored.seed
        self.salt = stored.salt
        self.followers: list[SeatFollower] = []
        self.spectators: list[Spectator] = []
        self._waiting: deque[tuple[Propose, Reply]] = deque()
        self._current: tuple[Propose, Reply] | None = None
        self._hands = Hands(around.call_later, self.submit)
        self._sent: Proposal | None = None
        self._busy = False
        self._stale = False
        self._heard: list[Appended] = []
        self.tail = b""
        self._in_flight: list[bytes] = []
        self._alarm = Alarm(around.call_later, self.check_time)
        self._over_callbacks: list[Callable[[], None]] = []
        self._log: list[bytes] = []
        self.replay = Replay(self.header, self.seed)
        self.clocks = Clocks(around, self.replay, self.followers)
        self._replay(stored.entries)

    @classmethod
    def finished(cls, around: Surroundings, record: record_pb2.MatchRecord) -> Session:
        """A session of an archived match, for those who want to see it again."""
        entries = [entry.SerializeToString() for entry in record.log]
        header = record.header.SerializeToString()
        return cls(around, StoredMatch(header, record.seed, record.salt, entries), lambda _: Proposal())

    # --- what the match is now

    @property
    def players(self) -> list[str]:
        """Who sits where, as `bot/version`."""
        return [f"{p.bot}/{p.version}" for p in self.header.players]

    @property
    def is_over(self) -> bool:
        """Whether the match is over; it may be put back at any time."""
        return self.replay.over

    def seat_of(self, player: str) -> int | None:
        """The seat of a bot version, if it has one."""
        players = self.players
        return players.index(player) if player in players else None

    def hand_busy_seconds(self, seat: int) -> float:
        """How long a move of a seat would have to wait for the hand that made the one before."""
        return max(0, self.replay.busy_until_ms[seat] - self._around.now_ms()) / 1000

    def fill_match(self, into: matches_pb2.Match) -> None:
        """Fills an empty message with the match as it is now."""
        into.header.CopyFrom(self.header)
        into.state = self.replay.state
        if self.replay.started:
            into.start_time.FromMilliseconds(self.replay.started_ms)
        if self.replay.over:
            into.end.CopyFrom(self.replay.end())

    def record(self) -> record_pb2.MatchRecord:
        """The record of a match that is over."""
        return record_pb2.MatchRecord(
            header=self.header,
            salt=self.salt,
            seed=self.seed,
            log=[record_pb2.LogEntry.FromString(raw) for raw in self._log],
            end=self.replay.end(),
        )

    def time_left_ms(self, seat: int) -> int:
        """How much of its time a seat has left for its open decision, bank included."""
        return self.clocks.time_left_ms(seat)

    def sent(self, seat: int, decision_id: str) -> None:
        """A decision has been written to a stream of its seat: its clock starts."""
        self.clocks.sent(seat, decision_id)

    # --- followers

    def follow(self, follower: SeatFollower) -> None:
        """Tells a seat's stream from now on, beginning with what it has not seen."""
        if all(other.seat != follower.seat for other in self.followers):
            self.clocks.arrived(follower.seat)
        self.followers.append(follower)
        follower.announce(self)

    def unfollow(self, follower: SeatFollower) -> None:
        """Tells a seat's stream no more."""
        if follower in self.followers:
            self.followers.remove(follower)

    def when_over(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls back once when the match is over (at once, if it is); returns what takes the wish back."""
        if self.replay.over:
            callback()
            return lambda: None
        self._over_callbacks.append(callback)
        return lambda: self._over_callbacks.remove(callback) if callback in self._over_callbacks else None

    # --- changes

    def submit(self, propose: Propose, reply: Reply) -> None:
        """Has a change judged in its turn. `reply` gets None once it is stored, or the refusal; exactly once."""
        self._waiting.append((propose, reply))
        if not self._busy:
            self._next()

    def appended(self, news: Appended) -> None:
        """Another replica has appended to the log."""
        if self._busy:
            self._heard.append(news)  # the answer to what is in flight may tell it too
        else:
            self._catch_up_with(news)
            self._announce()

    def missed_news(self) -> None:
        """Another replica may have appended. What is in flight here may have missed it, so look again after."""
        if self._busy:
            self._stale = True
        else:
            self._busy = True
            self._around.reload(self)

    def check_time(self) -> None:
        """Closes what is overdue and sets the timer for what is not yet."""
        wait = None if self.replay.over else self.clocks.wait_seconds()
        if wait is None:
            self.close()
            return
        if wait <= 0:
            wait = _AGAIN
            if not self._settling:
                self._settling = True
                self.submit(self._settle, self._settled)
        self._alarm.set(wait)

    def close(self) -> None:
        """Stops the timer."""
        self._alarm.stop()

    def acknowledge(self, seat: int, decision_id: str) -> None:
        """Tells a seat again that its answer is stored."""
        for follower in self.followers:
            if follower.seat == seat:
                follower.accepted(decision_id)
                follower.announce(self)

    def now_ms(self) -> int:
        """The time that all replicas share."""
        return self._around.now_ms()

    def catch_up(self, entries: Sequence[bytes]) -> None:
        """Applies entries that another replica has appended after the ones known here."""
        self._apply_all(entries)
        self._announce()
        self._resume()

    def rewind(self, stored: StoredMatch) -> None:
        """Puts the match back to what the store holds: it has lost a tail that was known here."""
        before = self.replay.match
        self._replay(stored.entries)
        # What is open now may have been answered before: everybody gets the whole time again.
        self.clocks = Clocks(self._around, self.replay, self.followers)
        after = self.replay.match
        for follower in self.followers:
            follower.rewind(_common(before.shown(follower.seat), after.shown(follower.seat)))
        for spectator in self.spectators:
            spectator.rewind(_common(before.shown(None), after.shown(None)))
        self._announce()
        self._resume()

    def is_prefix_of(self, entries: Sequence[bytes]) -> bool:
        """Whether a log goes on from where this copy is."""
        return list(entries[: len(self._log)]) == self._log

    def next_look_in_ms(self) -> int:
        """How long until some replica must look at this match again."""
        return max(1000, self.clocks.look_ms(self.replay.timers, begun=self.replay.started) - self._around.now_ms())

    def lost(self) -> None:
        """The store holds the match no longer: it is archived elsewhere, or was lost."""
        if not self.replay.over:
            abort = record_pb2.Abort(cause=record_pb2.ABORT_CAUSE_LOST, message="the store lost the match")
            entry = record_pb2.LogEntry(abort=abort, at_ms=self._around.now_ms())
            self._apply_all([entry.SerializeToString()])
            self._announce()
        self._resume()

    # --- within

    def _next(self) -> None:
        while self._waiting and not self._busy:
            self._judge(self._waiting.popleft())

    def _judge(self, request: tuple[Propose, Reply]) -> None:
        propose, reply = request
        try:
            proposal = propose(self)
        except Refused as refused:
            reply(refused)
            return
        except GameError as error:
            reply(refusal_of(error))
            return
        if proposal.busy is not None:
            self._hands.hold(request, *proposal.busy)
            return
        if not proposal.entries:
            reply(proposal.refusal)
            return
        if proposal.answered is not None:
            self._hands.drop(proposal.answered.seat)
        self._busy, self._current, self._sent = True, request, proposal
        entries = self._in_flight = [entry.SerializeToString() for entry in proposal.entries]
        state = b"%d" % matches_pb2.MATCH_STATE_PLAYING if self._starts(proposal) else b""
        look_ms = self._look_after_ms(proposal)
        self._around.append(
            Append(self.match_id, self.replay.length, self.tail, entries, look_ms, state, self._answered, self._keys)
        )

    def _starts(self, proposal: Proposal) -> bool:
        ready = len(self.replay.ready)
        return not self.replay.started and ready == self.replay.seats - 1 and proposal.entries[0].HasField("ready")

    def _answered(self, answer: Answer) -> None:
        """The store's answer to what is in flight, see append.lua."""
        request, proposal = self._current, self._sent
        if request is None or proposal is None:
            raise RuntimeError("the store answered what nobody asked")
        self._current = self._sent = None
        if answer == 1:
            self._stored(request, proposal)
            return
        if isinstance(answer, list) and isinstance(answer[0], int) and answer[0] >= self.replay.length:
            tail = [raw for raw in answer[1:] if isinstance(raw, bytes)]
            mine = self._in_flight
            if tail[: len(mine)] == mine:
                # The first try had come through; only its answer was lost.
                self._stored(request, proposal, tail[len(mine) :])
            else:
                self._waiting.appendleft(request)
                self.catch_up(tail)
            return
        # The match has gone, or its log is not the one that was known.
        self._waiting.appendleft(request)
        self._around.reload(self)

    def _stored(self, request: tuple[Propose, Reply], proposal: Proposal, others: Sequence[bytes] = ()) -> None:
        if proposal.answered is not None:
            self._apply_answer(proposal.answered, self._in_flight[0])
        else:
            for entry, raw in zip(proposal.entries, self._in_flight, strict=True):
                self._apply(entry, raw)
                self._around.decided(self._game, entry)
        self._apply_all(others)
        request[1](proposal.refusal)
        self._announce()
        self._resume()

    def _resume(self) -> None:
        self._busy = False
        if self._heard:
            heard, self._heard = self._heard, []
            for news in heard:
                self._catch_up_with(news)
            self._announce()
        if self._stale:
            self._stale = False
            self.missed_news()
        self._next()

    def _catch_up_with(self, news: Appended) -> None:
        """Applies entries that are new here. What does not fit on what is known has to be read."""
        length, entries = self.replay.length, news.entries
        if news.length == length and news.tail == self.tail:
            self._apply_all(entries)
        elif self._log[news.length : news.length + len(entries)] != entries:
            self.missed_news()

    def _apply_all(self, entries: Sequence[bytes]) -> None:
        for raw in entries:
            self._apply(record_pb2.LogEntry.FromString(raw), raw)

    def _apply_answer(self, answer: Answered, raw: bytes) -> None:
        """What `_apply` does, for an answer that was judged here."""
        seat, decision_id, move, bot_us, at_ms = answer
        self.replay.answer(seat, move, bot_us, at_ms)
        self._log.append(raw)
        self.tail = raw
        for follower in self.followers:
            if follower.seat == seat:
                follower.accepted(decision_id)
        self._around.answered(self._game, bot_us)
        self.clocks.note_asked()

    def _apply(self, entry: record_pb2.LogEntry, raw: bytes) -> None:
        seat = entry.seat
        self.replay.apply(entry)
        self._log.append(raw)
        self.tail = raw
        what = entry.WhichOneof("what")
        if what in {"move", "timeout"}:
            for follower in self.followers:
                if follower.seat == seat:
                    (follower.accepted if what == "move" else follower.timed_out)(entry.decision_id)
        self.clocks.note_asked()

    def _replay(self, entries: Sequence[bytes]) -> None:
        """Builds the copy from its log. Clocks of open decisions go on."""
        self.replay = Replay(self.header, self.seed)
        self._log = list(entries)
        self.tail = entries[-1] if entries else b""
        for raw in entries:
            self.replay.apply(record_pb2.LogEntry.FromString(raw))
        self.clocks = Clocks(self._around, self.replay, self.followers)
        self.clocks.go_on()
        self.check_time()

    def _settled(self, _: Refused | None) -> None:
        self._settling = False

    def _announce(self) -> None:
        for follower in self.followers:
            follower.announce(self)
        for spectator in self.spectators:
            spectator.announce(self)
        if self.replay.over:
            self.close()
            callbacks, self._over_callbacks = self._over_callbacks, []
            for callback in callbacks:
                callback()
            self._around.finished(self)
        elif not self._alarm.rings_by(self.clocks.due_at):
            self.check_time()

    def _look_after_ms(self, proposal: Proposal) -> int:
        """When some replica must look at this match again once this is stored. Of several entries the last ends it."""
        move = None if proposal.answered is None else proposal.answered.move
        timers = self.replay.timers_after(proposal.entries[-1], move)
        return self.clocks.look_ms(timers, begun=self.replay.started or self._starts(proposal))


def _common(before: Sequence[object], after: Sequence[object]) -> int:
    """How many events two histories begin with alike."""
    for number, (one, other) in enumerate(zip(before, after, strict=False)):
        if one != other:
            return number
    return min(len(before), len(after))
