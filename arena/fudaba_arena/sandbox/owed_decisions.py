"""Tracks whether a bot owes its match a decision, from what it and the service send each other.

Pure: it receives all messages on all connections of one seat, with their times, and asks nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import inf
from typing import Final, final

from google.protobuf.message import DecodeError

from fudaba.v1 import play_pb2
from fudaba_arena.sandbox.frames import PREFACE
from fudaba_arena.sandbox.grpc_messages import News, Reader, What

__all__ = ["LATE_SECONDS", "Connection", "OwedDecisions"]

_PLAY: Final = b"/fudaba.v1.PlayService/Play"
_WATCH: Final = b"/fudaba.v1.PlayService/WatchSeat"
_SUBMIT: Final = b"/fudaba.v1.PlayService/SubmitMove"
_MAX_UP_BYTES: Final = 65_536
"""The largest message from a bot that is read. No answer is that large."""
_MAX_DOWN_BYTES: Final = 16 * 1024 * 1024
_MAX_ID_CHARS: Final = 80
"""The longest id of a decision. The service's ids have about 10 characters."""
_MAX_EARLY_DECISIONS: Final = 100
"""The number of decisions with answers from before the bot received them. Further answers count for every decision."""
_ANY: Final = "any"
"""The mark in place of a decision's id, for answers to an unknown decision."""
LATE_SECONDS: Final = 2.0
"""The time by which the service may keep a decision open beyond the bot's own time, as credit for the network and
itself.
"""


@final
class _Call:
    """A call of the bot about its decisions."""

    __slots__ = ("complete", "decision", "ended", "messages", "number", "path", "stands")

    def __init__(self, path: bytes, number: int) -> None:
        self.path = path
        self.number = number
        self.ended = False
        self.messages = 0
        """The number of messages that the bot has sent on it."""
        self.complete = False
        """Whether the bot has sent one message and then ended the call."""
        self.decision: str | None = None
        """The decision that a call of `_SUBMIT` answers; empty if it cannot be read."""
        self.stands = False
        """Whether the service has taken that answer."""


@final
class _Answers:
    """The answers to a decision that were sent and not refused."""

    def __init__(self) -> None:
        self.calls: Counter[_Call] = Counter()
        """The calls that they went out on, with the number on each."""
        self.calls_before = 0
        """The number of calls that had begun at the last news about the answers."""

    def cover(self, call: _Call) -> bool:
        """Returns whether a decision on this call does not reflect them: they may be stored, or may be in a moment."""
        return call.number <= self.calls_before or not all(answering.ended for answering in self.calls)

    def copy(self) -> _Answers:
        """Returns a copy for another decision."""
        made = _Answers()
        made.calls.update(self.calls)
        made.calls_before = self.calls_before
        return made


@final
class OwedDecisions:
    """The decisions that a seat owes."""

    def __init__(self) -> None:
        self.began = False
        """Whether the bot knows of its match."""
        self.over = False
        self.following = 0
        """The number of calls on which the bot would get a decision."""
        self._open = ""
        """The decision that the bot got last; empty once it is known to be closed."""
        self._closed: set[str] = set()
        """The decisions that the service has closed. They are open again only after a rewind."""
        self._answers: dict[str, _Answers] = {}
        """The answers, by the decision's id, also for decisions that the bot gets later: ids can be guessed."""
        self._due = inf
        self._calls = 0

    def connection(self) -> Connection:
        """Returns a new connection of the bot."""
        return Connection(self)

    @property
    def due(self) -> float:
        """The time until which an unanswered decision is owed, by the clock of `told`."""
        return self._due

    def owes(self, now: float) -> bool:
        """Returns whether the bot has a decision to make."""
        return bool(self._open) and self._open not in self._answers and now < self._due

    def call(self, path: bytes) -> _Call:
        """Notes that a call about decisions begins. Returns the call."""
        self._calls += 1
        self.following += path in {_PLAY, _WATCH}
        return _Call(path, self._calls)

    def answered(self, decision_id: str, call: _Call) -> None:
        """Notes that the bot answered a decision, whether the service accepts the answer or not."""
        if not decision_id or decision_id in self._closed or len(decision_id) > _MAX_ID_CHARS:
            return
        known = decision_id == self._open or decision_id in self._answers or len(self._answers) < _MAX_EARLY_DECISIONS
        self._answer(decision_id if known else _ANY, call)

    def answered_unreadably(self, call: _Call) -> None:
        """Notes an unreadable message from the bot. It may be an answer, also to a later decision."""
        if self._open:
            self._answer(self._open, call)
        self._answer(_ANY, call)

    def _answer(self, key: str, call: _Call) -> None:
        answers = self._answers.setdefault(key, _Answers())
        answers.calls[call] += 1
        answers.calls_before = self._calls

    def refused(self, decision_id: str, call: _Call) -> None:
        """Notes that the service refused an answer from a call, which then does not count."""
        answers = self._answers.get(decision_id)
        if answers is None or call not in answers.calls:
            return
        answers.calls[call] -= 1
        if not answers.calls[call]:
            del answers.calls[call]
        if not answers.calls:
            del self._answers[decision_id]

    def closed(self, decision_id: str) -> None:
        """Notes that the service reported a decision closed."""
        self._closed.add(decision_id)
        self._answers.pop(decision_id, None)
        if decision_id == self._open:
            self._open = ""

    def sent(self, call: _Call) -> None:
        """Notes that the service has received all of a call, or will receive no more. What it said on earlier calls is
        old.
        """
        for answers in self._answers.values():
            if call in answers.calls:
                answers.calls_before = self._calls

    def ended(self, call: _Call) -> None:
        """Notes that a call has ended, on either side."""
        call.ended = True
        self.following -= call.path in {_PLAY, _WATCH}
        self.sent(call)

    def note_update(self, update: play_pb2.SeatUpdate, call: _Call, now: float) -> None:
        """Notes that the bot received news of its match on one of its calls."""
        self.began = True
        self.over = self.over or update.HasField("over")
        if update.rewound:
            self._closed.clear()
            self._answers.clear()
        for decision_id in (*update.timed_out, *update.accepted):
            self.closed(decision_id)
        if update.HasField("decision") and update.decision.decision_id not in self._closed:
            self._put(update.decision, call, now)

    def _put(self, decision: play_pb2.Decision, call: _Call, now: float) -> None:
        """Notes that the bot received a decision, which was open when the service sent it."""
        key, again = decision.decision_id, decision.decision_id == self._open
        if self._open and not again:
            self.closed(self._open)
        answers = self._answers.pop(key, None) or self._answers.get(_ANY)
        covered = answers is not None and answers.cover(call)
        if answers is not None and covered:
            self._answers[key] = answers.copy()
        if not (again and covered):
            # Also one that need not be made: the service withdraws it then, and tells nobody.
            self._due = now + decision.time_ms / 1000 + LATE_SECONDS
        self._open = key


@final
class Connection:
    """A connection of the bot. Its messages are assigned to calls, as `Frames` finds them."""

    def __init__(self, owing: OwedDecisions) -> None:
        self._owing = owing
        self._calls: dict[int, _Call] = {}
        self._up = Reader(self._calls, _MAX_UP_BYTES, len(PREFACE))
        self._down = Reader(self._calls, _MAX_DOWN_BYTES)

    @property
    def held_bytes(self) -> int:
        """The number of bytes kept of unfinished messages in both directions."""
        return self._up.held_bytes + self._down.held_bytes

    def called(self, stream: int, path: bytes) -> None:
        """Notes that the bot begins a call. Its messages come later, to `up`."""
        if path in {_PLAY, _WATCH, _SUBMIT} and stream not in self._calls:
            self._calls[stream] = self._owing.call(path)

    def up(self, piece: bytes) -> None:
        """Notes bytes that the bot sent to the service."""
        for stream, kind, message in self._up.read(piece):
            call = self._calls.get(stream)
            if call is None:
                continue
            if kind is What.RESET:
                self._end(stream, call)
            elif kind is not What.MESSAGE:
                call.complete = kind is What.ENDED and call.messages == 1
                self._owing.sent(call)
            else:
                self._said(call, message)

    def down(self, piece: bytes, now: float) -> None:
        """Notes bytes that the service sent to the bot."""
        for news in self._down.read(piece):
            call = self._calls.get(news.stream)
            if call is None:
                continue
            if news.event is What.MESSAGE:
                self._heard(call, news, now)
                continue
            # Else it may be what the bot gets for a frame that it had no right to send, and the answer is stored.
            if news.event is What.ENDED and call.complete and call.decision and not call.stands:
                self._owing.refused(call.decision, call)
            self._end(news.stream, call)

    def close(self) -> None:
        """Notes that at least one side has finished with the connection."""
        for stream, call in list(self._calls.items()):
            self._end(stream, call)

    def _end(self, stream: int, call: _Call) -> None:
        del self._calls[stream]
        self._up.forget(stream)
        self._down.forget(stream)
        self._owing.ended(call)

    def _said(self, call: _Call, message: bytes | None) -> None:
        call.messages += 1
        try:
            if message is None:
                raise DecodeError
            for answer in _answers(call, message):
                if call.decision is None:  # the service does not read a second message
                    call.decision = answer.decision_id if call.path == _SUBMIT else ""
                self._owing.answered(answer.decision_id, call)
        except DecodeError:
            call.decision = call.decision or ""
            self._owing.answered_unreadably(call)

    def _heard(self, call: _Call, news: News, now: float) -> None:
        try:
            if call.path == _SUBMIT:
                call.stands = True
                if call.decision:
                    self._owing.closed(call.decision)
            elif call.path == _WATCH:
                self._owing.note_update(play_pb2.WatchSeatResponse.FromString(news.message or b"").update, call, now)
            else:
                self._heard_of(play_pb2.PlayResponse.FromString(news.message or b""), call, now)
        except DecodeError:
            return  # a later release sent it, and this release does not know it as a decision

    def _heard_of(self, response: play_pb2.PlayResponse, call: _Call, now: float) -> None:
        kind = response.WhichOneof("message")
        if kind == "update":
            self._owing.note_update(response.update, call, now)
        elif kind == "updates":
            for update in response.updates.updates:
                self._owing.note_update(update, call, now)
        elif kind == "refusal" and response.refusal.still_open:
            self._owing.refused(response.refusal.decision_id, call)


def _answers(call: _Call, message: bytes) -> Iterable[play_pb2.Answer]:
    """Returns the answers in a message of the bot. Raises `DecodeError`."""
    if call.path == _SUBMIT:
        return [play_pb2.SubmitMoveRequest.FromString(message).answer]
    if call.path != _PLAY:
        return []
    request = play_pb2.PlayRequest.FromString(message)
    kind = request.WhichOneof("message")
    return [request.answer] if kind == "answer" else request.answers.answers if kind == "answers" else []
