"""What a bot owes its match, by what it and the service tell each other: a decision, or nothing.

Pure: it is told what was said and when, on all connections of one seat, and asks nobody.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Final, final

from google.protobuf.message import DecodeError

from fudaba.v1 import play_pb2
from fudaba_arena.sandbox.frames import PREFACE
from fudaba_arena.sandbox.grpc_messages import News, Reader, What

__all__ = ["LATE_SECONDS", "Connection", "Owing"]

_PLAY: Final = b"/fudaba.v1.PlayService/Play"
_WATCH: Final = b"/fudaba.v1.PlayService/WatchSeat"
_SUBMIT: Final = b"/fudaba.v1.PlayService/SubmitMove"
_LARGEST_UP: Final = 65_536
"""Bytes of a bot's message that is read; no answer is as large."""
_LARGEST_DOWN: Final = 16 * 1024 * 1024
LATE_SECONDS: Final = 2.0
"""So much longer than its bot's time a decision may be open for the service, which credits the network, and itself."""


@final
class _Call:
    """A call of the bot that is about its decisions."""

    __slots__ = ("decision", "number", "path", "stands")

    def __init__(self, path: bytes, number: int) -> None:
        self.path = path
        self.number = number
        self.decision = ""
        """Which one it answers, of `_SUBMIT`."""
        self.stands = False
        """Whether the service has taken that answer."""


@final
class Owing:
    """What one seat owes."""

    def __init__(self) -> None:
        self.began = False
        """Whether the bot has been told of its match."""
        self.over = False
        self.following = 0
        """On how many calls the bot would be told of a decision."""
        self._open = ""
        """The decision that the bot was told last; empty once it is known to be closed."""
        self._answered = False
        self._due = inf
        self._calls = 0
        self._calls_at_answer = 0

    def connection(self) -> Connection:
        """Another connection of the bot."""
        return Connection(self)

    @property
    def due(self) -> float:
        """Until when a decision is owed that is not answered, by the clock of `told`."""
        return self._due

    def owes(self, now: float) -> bool:
        """Whether the bot has a decision to make."""
        return bool(self._open) and not self._answered and now < self._due

    def call(self, path: bytes) -> _Call:
        """Another call that is about decisions."""
        self._calls += 1
        self.following += path in {_PLAY, _WATCH}
        return _Call(path, self._calls)

    def answered(self, decision_id: str) -> None:
        """The bot has answered a decision, be it that the service takes the answer or not."""
        if decision_id == self._open:
            self._answered = True
            self._calls_at_answer = self._calls

    def answered_unreadably(self) -> None:
        """The bot has said what nobody here can read: that may be its answer."""
        self.answered(self._open)

    def still_open(self, decision_id: str) -> None:
        """An answer was refused, or nobody knows what became of it."""
        if decision_id == self._open:
            self._answered = False

    def told(self, update: play_pb2.SeatUpdate, call: int, now: float) -> None:
        """The bot is told news of its match, on its call of this number."""
        self.began = True
        self.over = self.over or update.HasField("over")
        if self._open in update.timed_out or self._open in update.accepted:
            self._open = ""
        if not update.HasField("decision"):
            return
        decision = update.decision
        again = decision.decision_id == self._open
        # What was on its way when the answer went out says nothing; what is sent on a later call was not answered.
        if again and self._answered and call <= self._calls_at_answer and not update.rewound:
            return
        self._open, self._answered = decision.decision_id, False
        self._due = now + decision.time_ms / 1000 + LATE_SECONDS if decision.required else inf


@final
class Connection:
    """One connection of the bot: what goes up is told with its calls, as `Frames` finds them."""

    def __init__(self, owing: Owing) -> None:
        self._owing = owing
        self._calls: dict[int, _Call] = {}
        self._up = Reader(self._calls, _LARGEST_UP, len(PREFACE))
        self._down = Reader(self._calls, _LARGEST_DOWN)

    def called(self, stream: int, path: bytes) -> None:
        """The bot begins a call; what it sends on it comes later, to `up`."""
        if path in {_PLAY, _WATCH, _SUBMIT} and stream not in self._calls:
            self._calls[stream] = self._owing.call(path)

    def up(self, piece: bytes) -> None:
        """The bot has sent this, which goes on to the service."""
        for stream, what, message in self._up.read(piece):
            if what is What.RESET:
                self._end(stream)
            elif what is What.MESSAGE and (call := self._calls.get(stream)) is not None:
                self._said(call, message)

    def down(self, piece: bytes, now: float) -> None:
        """The service has sent this, which goes on to the bot."""
        for news in self._down.read(piece):
            if news.what is not What.MESSAGE:
                self._end(news.stream)
            elif (call := self._calls.get(news.stream)) is not None:
                self._heard(call, news, now)

    def close(self) -> None:
        """Nothing more is said on it, by the service at least."""
        for stream in list(self._calls):
            self._end(stream)

    def _end(self, stream: int) -> None:
        call = self._calls.pop(stream, None)
        if call is None:
            return
        self._owing.following -= call.path in {_PLAY, _WATCH}
        if call.decision and not call.stands:
            self._owing.still_open(call.decision)

    def _said(self, call: _Call, message: bytes | None) -> None:
        try:
            if message is None:
                raise DecodeError
            for answer in _answers(call, message):
                call.decision = answer.decision_id if call.path == _SUBMIT else ""
                self._owing.answered(answer.decision_id)
        except DecodeError:
            self._owing.answered_unreadably()

    def _heard(self, call: _Call, news: News, now: float) -> None:
        try:
            if call.path == _SUBMIT:
                call.stands = True
            elif call.path == _WATCH:
                self._owing.told(play_pb2.WatchSeatResponse.FromString(news.message or b"").update, call.number, now)
            else:
                self._heard_of(play_pb2.PlayResponse.FromString(news.message or b""), call, now)
        except DecodeError:
            return  # of a later release: it is no decision that this one knows

    def _heard_of(self, response: play_pb2.PlayResponse, call: _Call, now: float) -> None:
        kind = response.WhichOneof("message")
        if kind == "update":
            self._owing.told(response.update, call.number, now)
        elif kind == "updates":
            for update in response.updates.updates:
                self._owing.told(update, call.number, now)
        elif kind == "refusal" and response.refusal.still_open:
            self._owing.still_open(response.refusal.decision_id)


def _answers(call: _Call, message: bytes) -> Iterable[play_pb2.Answer]:
    """The answers in a message of the bot. Raises `DecodeError`."""
    if call.path == _SUBMIT:
        return [play_pb2.SubmitMoveRequest.FromString(message).answer]
    if call.path != _PLAY:
        return []
    request = play_pb2.PlayRequest.FromString(message)
    kind = request.WhichOneof("message")
    return [request.answer] if kind == "answer" else request.answers.answers if kind == "answers" else []
