"""One live match in this process: a copy of its log, and the queue of changes to it.

Every change is judged against the copy, then appended by compare-and-set. Only when the store has it, it is applied to
the copy and announced. Changes of one match are made one after another; those of different matches share their round
trips to the store.

An unforeseen error may have left the copy in any state. Then the caller gets INTERNAL, the match rests for a moment,
and the copy is rebuilt from the log, which is authoritative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, final

from fudaba.replay import Replay
from fudaba.v1 import record_pb2
from fudaba_games.game import GameError
from fudaba_service.refusals import Refused, refusal_of
from fudaba_service.sessions.alarm import Alarm
from fudaba_service.sessions.audience import Audience
from fudaba_service.sessions.changes import Proposal, Propose, Reply, Request, append_of
from fudaba_service.sessions.followers import SeatFollower
from fudaba_service.sessions.log_follower import LogFollower
from fudaba_service.sessions.match_copy import MatchCopy
from fudaba_service.sessions.paced_answers import PacedAnswers
from fudaba_service.sessions.proposals import settle
from fudaba_service.sessions.session_host import SessionHost
from fudaba_service.sessions.snapshot import due_after
from fudaba_service.store import Answer, Appended, StoredMatch, match_keys

__all__ = ["Session"]

# How long to wait before looking again at something overdue that is being settled.
_RETRY_SECONDS: Final = 0.25
_FIRST_REST_SECONDS: Final = 0.25
"""The time for which a match rests after its first fault. It doubles with each fault, until an entry is stored and
announced.
"""
_MAX_REST_SECONDS: Final = 30.0


@final
class Session:
    """See the module."""

    __slots__ = (
        "_alarm", "_archived", "_busy", "_current", "_due", "_heard", "_host", "_in_flight", "_keys", "_log",
        "_looked_for", "_paced", "_rest_seconds", "_returned", "_sent", "_settling", "_stale", "_struck",
        "_submitted", "_waiting", "_working", "audience", "copy", "match_id", "used"
    )  # fmt: skip

    def __init__(self, host: SessionHost, stored: StoredMatch, replayed: Replay | None = None) -> None:
        """`replayed` is the match replayed from everything stored, if it is known."""
        self._host = host
        self._settling = False
        self._archived = False
        self._paced = PacedAnswers(host.call_later, self.submit)
        # What there is to do, see `_work`.
        self._returned: tuple[Callable[[Any], None], object] | None = None
        self._struck: Exception | None = None
        self._heard: list[Appended] = []
        self._stale = False
        self._due = False
        self._waiting: list[Request] = []
        self._submitted = 0
        # The newest request for which the log has been checked, see `Proposal.unsure`.
        self._looked_for = 0
        # The request in hand, and what was sent to the store for it.
        self._current: Request | None = None
        self._sent: Proposal | None = None
        self._in_flight: list[bytes] = []
        # Whether something is in flight; or the match rests after a fault.
        self._busy = False
        self._working = False
        self._rest_seconds = _FIRST_REST_SECONDS
        self.used = True
        """Whether there was anything to do for the match. A caller who waits for there to be nothing unsets it."""
        self._alarm = Alarm(host.call_later, self.check_time)
        followers: list[SeatFollower] = []
        self.copy = MatchCopy(host, stored, followers, replayed)
        self.audience = Audience(self.copy, followers, self.submit, self._guard)
        self._log = LogFollower(host, self.copy, self.audience, self._alarm, self._check_time, self.submit)
        self.match_id = self.copy.match_id
        self._keys = match_keys(self.match_id).for_append()
        self._check_time()

    @classmethod
    def finished(cls, host: SessionHost, record: record_pb2.MatchRecord, replayed: Replay) -> Session:
        """Returns a session of an archived match, for replays; `replayed` is its replayed match."""
        entries = [entry.SerializeToString() for entry in record.log]
        header = record.header.SerializeToString()
        session = cls(host, StoredMatch(header, record.seed, record.salt, entries, record.end), replayed)
        session._archived = True
        return session

    def submit(self, propose: Propose, reply: Reply) -> None:
        """Queues a change to be judged in its turn. `reply` gets None once it is stored, or the refusal; exactly
        once.
        """
        self._submitted += 1
        self._waiting.append((propose, reply, self._submitted))
        self._go_on()

    def appended(self, news: Appended) -> None:
        """Notes that another replica has appended to the log."""
        self._heard.append(news)  # the answer to what is in flight may tell it too
        self._go_on()

    def missed_news(self) -> None:
        """Notes that another replica may have appended. Changes in flight here may have missed that, so the session
        checks again after them.
        """
        self._stale = True
        self._go_on()

    def check_time(self) -> None:
        """Closes what is overdue, and sets the timer for the rest."""
        self._due = True
        self._go_on()

    def failed(self, error: Exception) -> None:
        """Notes an unforeseen error in work on this match, which is rebuilt from its log."""
        if self._busy:
            self._struck = error  # what is in flight comes back first: it must be in the log that is read then
        else:
            self._rest(error)

    def sleep(self) -> bool:
        """Lets the copy sleep if the match is idle. Returns whether it has just fallen asleep."""
        going_on = (
            self._busy or self._working or self._returned or self._struck or self._heard or self._stale or self._due
            or self._waiting or self._settling or self._paced.holding or self._log.broken or self.audience.silent
        )  # fmt: skip
        return not going_on and self.copy.sleep()

    def snapshot(self) -> bytes | None:
        """Returns a snapshot of the present match for the store; None if there is none: the match is over or not known
        to be sound, or this release takes none.
        """
        if self.copy.is_over or self._struck or self._log.broken or self.audience.silent:
            return None
        try:
            return self.copy.sealed_snapshot()
        except Exception as error:  # noqa: BLE001  # it is logged and counted, and strikes this match alone
            self.failed(error)
            return None

    def close(self) -> None:
        """Stops the timer."""
        self._alarm.stop()

    # --- one thing after another

    def _go_on(self) -> None:
        """Works until something is in flight. All work on the match goes through this method."""
        self.used = True
        if not self._busy and not self._working:
            self._working = True
            self._guard(self._work)
            self._working = False

    def _guard(self, step: Callable[[], None]) -> None:
        """Takes a step that uses the copy of the match. An error in it affects this match alone."""
        try:
            step()
        except Exception as error:  # noqa: BLE001  # it is logged and counted
            self.failed(error)

    def _work(self) -> None:
        """Takes steps until one of them puts something in flight. A step does so last, so a failed step has nothing in
        flight.
        """
        # The order of the branches matters. Each one relies on those above it having nothing left to do.
        while not self._busy:
            if self._returned is not None:
                # First what came back from the store: the copy is behind the log until it is taken in.
                (step, argument), self._returned = self._returned, None
                step(argument)
            elif self._struck is not None:
                # Only now that nothing is in flight may a fault make the match anew: what was sent is in the log.
                error, self._struck = self._struck, None
                raise error
            elif self._heard:
                # Other replicas' entries go before our own changes, which are judged by a copy that knows them.
                heard, self._heard = self._heard, []
                for news in heard:
                    self._stale |= not self._log.hear(news)  # news with a gap before it: the log has to be read
                self._log.announce()
            elif self._stale:
                self._stale = False
                self._reload()
            elif self._due:
                # It queues `settle` where something is overdue: that is judged in its turn, as any request is.
                self._due = False
                self._check_time()
            elif self._waiting:
                # One at a time: judging puts it in flight, or answers it and goes on with the next.
                self._judge(self._waiting.pop(0))
            else:
                return

    def _came_back(self, step: Callable[[Any], None], argument: object) -> None:
        """Handles the result of what was in flight."""
        self._busy = False
        self._returned = step, argument
        self._go_on()

    def _rest(self, error: Exception) -> None:
        """Leaves the match alone for a while after a fault, then rebuilds it. Followers get nothing meanwhile."""
        refused = self._host.fault(self.match_id, error)
        struck: list[Request] = []
        if self._current is not None:
            struck.append(self._current)
        elif self._log.broken:  # it cannot be built anew: the others shall not wait for that
            struck += self._waiting
            self._waiting.clear()
        self._current = self._sent = None
        self._busy = self._log.broken = self.audience.silent = True
        for _, reply, _ in struck:
            self._host.call_later(0.0, partial(reply, refused))
        self._host.call_later(self._rest_seconds, self._reload)
        self._rest_seconds = min(2 * self._rest_seconds, _MAX_REST_SECONDS)

    def _check_time(self) -> None:
        wait = self.copy.wait_seconds()
        if wait is None:
            self.close()
            return
        if wait <= 0:
            wait = _RETRY_SECONDS
            if not self._settling:
                self._settling = True
                self.submit(settle, self._settled)
        self._alarm.set(wait)

    def _settled(self, _: Refused | None) -> None:
        self._settling = False

    # --- the request in hand

    def _judge(self, request: Request) -> None:
        self._current = request
        propose, _, number = request
        copy = self.copy
        try:
            proposal = propose(copy)
        except Refused as refused:
            self._reply(refused)
            return
        except GameError as error:
            self._reply(refusal_of(error))
            return
        if proposal.busy is not None:
            self._paced.hold(request, *proposal.busy)
            self._current = None
            return
        if proposal.unsure and number > self._looked_for and not self._archived:
            # One look serves all that wait by now: whoever asks for what is not there has it done once a round trip.
            self._looked_for = self._submitted
            self._host.read_tail(self.match_id, max(copy.replay.length - 1, 0), self._tail_read, self._not_read)
            self._busy = True
            return
        if proposal.absent and not self._archived:
            self._host.find_waiting(
                [copy.players[seat] for seat in proposal.absent], self._found_waiting, self._not_read
            )
            self._busy = True
            return
        if not proposal.entries and proposal.answered is None:
            if proposal.stored is not None:
                self.audience.accepted_before(*proposal.stored)
            self._reply(proposal.refusal)
            return
        self._send(proposal)

    def _send(self, proposal: Proposal) -> None:
        if proposal.answered is not None:
            self._paced.drop(proposal.answered.seat)
        append = append_of(proposal, self.copy, self._keys, self._answered)
        self._in_flight = append.entries
        self._sent = proposal
        self._host.append(append)
        self._busy = True

    def _reply(self, refused: Refused | None) -> None:
        """Answers the requester of the current request, and finishes with it."""
        request, self._current = self._current, None
        if request is not None:
            request[1](refused)

    def _judge_again(self) -> None:
        """Puts the current request back to the front of the queue."""
        request, self._current = self._current, None
        if request is not None:
            self._waiting.insert(0, request)

    def _answered(self, answer: Answer) -> None:
        self._came_back(self._take_answer, answer)

    def _take_answer(self, answer: Answer) -> None:
        """Handles the store's answer to what was in flight, see append.lua."""
        proposal, self._sent = self._sent, None
        if proposal is None:
            raise RuntimeError("the store answered what nobody asked")
        if answer == 1:
            self._stored(proposal)
            return
        if isinstance(answer, list) and isinstance(answer[0], int) and answer[0] >= self.copy.replay.length:
            tail = [raw for raw in answer[1:] if isinstance(raw, bytes)]
            mine = self._in_flight
            if tail[: len(mine)] == mine:
                # The first try had come through; only its answer was lost.
                self._stored(proposal, tail[len(mine) :])
            else:
                self._log.catch_up(tail)
                self._judge_again()
            return
        # The match has gone, or its log is not the one that was known.
        self._judge_again()
        self._reload()

    def _stored(self, proposal: Proposal, others: Sequence[bytes] = ()) -> None:
        copy = self.copy
        answered = proposal.answered
        if answered is not None:
            copy.apply_answer(answered)
            self.audience.accepted(answered.seat, answered.decision_id)
            self._host.answered(copy.game, answered.bot_us)
        else:
            for entry, raw in zip(proposal.entries, self._in_flight, strict=True):
                self._log.apply(entry, raw)
                self._host.decided(copy.game, entry)
        self._log.apply_all(others)
        self._reply(proposal.refusal)
        self._log.announce()
        self._rest_seconds = _FIRST_REST_SECONDS
        if copy.replay.length >= copy.snapshot_at:
            copy.snapshot_at = due_after(copy.replay.length)
            self._host.grown_long(self.match_id)

    # --- in step with the store

    def _tail_read(self, entries: list[bytes] | None) -> None:
        self._came_back(self._take_tail, entries)

    def _read(self, stored: StoredMatch | None) -> None:
        self._came_back(self._log.take, stored)

    def _not_read(self, error: Exception) -> None:
        self._busy = False
        self.failed(error)

    def _found_waiting(self, until: dict[str, int]) -> None:
        self._came_back(self._take_waiting, until)

    def _take_waiting(self, until: dict[str, int]) -> None:
        """Handles the times until which bots of untaken seats have waited for room to begin the match."""
        players = self.copy.players
        # With several seats of one bot each is played with a match token, which knows no capacity.
        alone = {seat: until[player] for seat, player in enumerate(players)
                 if player in until and players.count(player) == 1}  # fmt: skip
        self.copy.clocks.wait_for_room(alone)
        self._judge_again()

    def _take_tail(self, entries: list[bytes] | None) -> None:
        """Handles the log from its last known entry on."""
        known = self.copy.replay.length
        if entries is None or (known and entries[:1] != [self.copy.tail]):
            self._judge_again()
            self._reload()  # it cannot be read, or is another history
        else:
            self._log.catch_up(entries[1:] if known else entries)
            self._judge_again()

    def _reload(self) -> None:
        self._host.read(self.match_id, self._read, self._not_read)
        self._busy = True
