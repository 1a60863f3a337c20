"""What a bot owes its match is read from the frames of its connections, however these are cut."""

from __future__ import annotations

import random

import pytest
from google.protobuf.message import Message

from fudaba.v1 import play_pb2, record_pb2
from fudaba_arena.sandbox.frames import PREFACE
from fudaba_arena.sandbox.owing import LATE_SECONDS, Connection, Owing
from tests.support.arena.sandbox.http2 import END_STREAM, HEADERS, RST_STREAM, data, frame, prefixed
from tests.support.sizes import some

PLAY, WATCH, SUBMIT = (f"/fudaba.v1.PlayService/{name}".encode() for name in ("Play", "WatchSeat", "SubmitMove"))


def decision(number: int, time_ms: int = 5_000, *, required: bool = True, **more: object) -> play_pb2.SeatUpdate:
    made = play_pb2.Decision(decision_id=str(number), time_ms=time_ms, required=required)
    return play_pb2.SeatUpdate(match_id="m", decision=made, **more)  # type: ignore[arg-type]


class Talk:
    """One connection of a bot, and the service behind it."""

    def __init__(self, owing: Owing) -> None:
        self.owing = owing
        self.now = 100.0
        self._connection: Connection = owing.connection()
        self._connection.up(PREFACE)

    def opens(self, stream: int = 1, path: bytes = PLAY) -> None:
        self._connection.called(stream, path)

    def answers(self, number: int, *, compressed: bool = False) -> None:
        self.says(play_pb2.PlayRequest(answer=play_pb2.Answer(decision_id=str(number))), compressed=compressed)

    def submits(self, number: int, stream: int) -> None:
        self.opens(stream, SUBMIT)
        answer = play_pb2.SubmitMoveRequest(answer=play_pb2.Answer(decision_id=str(number)))
        self._connection.up(data(prefixed(answer), stream, END_STREAM))

    def says(self, message: Message, *, compressed: bool = False) -> None:
        self._connection.up(data(prefixed(message, compressed=compressed)))

    def is_told(self, update: play_pb2.SeatUpdate, stream: int = 1) -> None:
        self.hears(data(prefixed(play_pb2.PlayResponse(update=update)), stream))

    def hears(self, frames: bytes) -> None:
        self._connection.down(frames, self.now)

    def closes(self) -> None:
        self._connection.close()

    def owes(self) -> bool:
        return self.owing.owes(self.now)


@pytest.fixture
def talk() -> Talk:
    made = Talk(Owing())
    made.opens()
    return made


def test_a_decision_is_owed_until_its_answer_is_sent(talk: Talk) -> None:
    assert (talk.owing.began, talk.owes(), talk.owing.following) == (False, False, 1)
    talk.is_told(decision(1, started=record_pb2.MatchHeader()))
    assert (talk.owing.began, talk.owes()) == (True, True)
    talk.says(play_pb2.PlayRequest(pong=play_pb2.Pong(id=1)))
    talk.answers(7)
    assert talk.owes()
    talk.answers(1)
    assert not talk.owes()
    talk.is_told(decision(2))
    assert talk.owes()


def test_an_answer_that_is_refused_is_owed_again_only_if_the_decision_is_still_open(talk: Talk) -> None:
    for still_open in (False, True):
        talk.is_told(decision(1, rewound=True))
        talk.answers(1)
        refusal = play_pb2.Refusal(decision_id="1", still_open=still_open)
        talk.hears(data(prefixed(play_pb2.PlayResponse(refusal=refusal))))
        assert talk.owes() == still_open


@pytest.mark.parametrize("update", [{"timed_out": ["1"]}, {"accepted": ["1"]}])
def test_a_decision_that_the_service_closes_is_owed_no_more(talk: Talk, update: dict[str, list[str]]) -> None:
    talk.is_told(decision(1))
    talk.is_told(play_pb2.SeatUpdate(match_id="m", **update))  # type: ignore[arg-type]
    assert not talk.owes()


def test_whoever_lets_the_time_run_out_owes_nothing_any_more(talk: Talk) -> None:
    talk.is_told(decision(1, time_ms=5_000))
    talk.now += 5.0 + LATE_SECONDS - 0.001
    assert talk.owes()
    talk.now += 0.002
    assert not talk.owes()


def test_what_need_not_be_decided_has_no_end_as_in_real_time(talk: Talk) -> None:
    talk.is_told(decision(1, required=False))
    talk.now += 1_000_000
    assert talk.owes()


def test_a_decision_is_read_in_batches_and_on_a_watched_seat_too(talk: Talk) -> None:
    talk.hears(data(prefixed(play_pb2.PlayResponse(updates=play_pb2.SeatUpdates(updates=[decision(1)])))))
    assert talk.owes()
    talk.says(play_pb2.PlayRequest(answers=play_pb2.Answers(answers=[play_pb2.Answer(decision_id="1")])))
    assert not talk.owes()
    talk.opens(3, WATCH)
    assert talk.owing.following == 2
    talk.hears(data(prefixed(play_pb2.WatchSeatResponse(update=decision(2))), 3))
    assert talk.owes()


def test_a_move_that_is_submitted_is_owed_again_if_the_call_fails(talk: Talk) -> None:
    talk.is_told(decision(1))
    talk.submits(1, 3)
    assert not talk.owes()
    talk.hears(frame(HEADERS, b"", END_STREAM, 3))
    assert talk.owes()
    talk.submits(1, 5)
    talk.hears(data(prefixed(play_pb2.SubmitMoveResponse()), 5) + frame(HEADERS, b"", END_STREAM, 5))
    assert not talk.owes()
    talk.is_told(decision(2))
    talk.submits(2, 7)
    talk.closes()
    assert (talk.owes(), talk.owing.following) == (True, 0)


def test_what_was_on_its_way_when_the_answer_was_sent_is_not_owed_again(talk: Talk) -> None:
    talk.opens(3, WATCH)
    talk.is_told(decision(1))
    talk.answers(1)
    talk.hears(data(prefixed(play_pb2.WatchSeatResponse(update=decision(1))), 3))
    assert not talk.owes()
    talk.hears(frame(RST_STREAM, bytes(4), 0, 1))
    talk.opens(5)  # the answer was lost, the service says
    talk.is_told(decision(1), 5)
    assert talk.owes()


@pytest.mark.parametrize(
    "content", [b"\x01\x00\x00\x00\x03abc", b"\x00\x00\x00\x00\x02\xff\xff", b"\x00\xff\xff\xff\xff"]
)
def test_what_nobody_can_read_counts_as_the_answer(talk: Talk, content: bytes) -> None:
    talk.is_told(decision(1))
    talk._connection.up(data(content))
    assert not talk.owes()


def test_an_answer_is_read_that_its_bot_has_compressed(talk: Talk) -> None:
    talk.is_told(decision(1))
    talk.says(play_pb2.PlayRequest(pong=play_pb2.Pong(id=1)), compressed=True)
    assert talk.owes()
    talk.answers(1, compressed=True)
    assert not talk.owes()


def test_other_calls_say_nothing_of_what_is_owed(talk: Talk) -> None:
    talk.opens(3, b"/fudaba.v1.MatchService/GetMatch")
    talk.is_told(decision(1), 3)
    assert (talk.owing.following, talk.owes()) == (1, False)
    talk.is_told(decision(1))
    talk.hears(frame(HEADERS, b"", END_STREAM, 3))
    assert (talk.owing.following, talk.owes()) == (1, True)


@pytest.mark.parametrize("seed", range(some(400)))
def test_what_is_owed_does_not_depend_on_how_frames_are_cut_padded_or_mixed(seed: int) -> None:
    chance = random.Random(seed)
    whole, cut = Owing(), Owing()
    connections = whole.connection(), cut.connection()
    for connection in connections:
        connection.called(1, PLAY)
    up, down, opened, owed = bytearray(PREFACE), bytearray(), 0, False
    for _ in range(20):
        kind = chance.randrange(5)
        if kind == 0:
            opened, owed = opened + 1, True
            down += _spread(prefixed(play_pb2.PlayResponse(update=decision(opened))), chance)
        elif kind == 1:
            owed = False
            request = play_pb2.PlayRequest(answer=play_pb2.Answer(decision_id=str(opened)))
            up += _spread(prefixed(request, compressed=chance.random() < 0.3), chance)
        elif kind == 2:
            down += _spread(prefixed(play_pb2.PlayResponse(ping=play_pb2.Ping(id=1))), chance)
        elif kind == 3:
            up += data(prefixed(play_pb2.PlayRequest(answer=play_pb2.Answer(decision_id=str(opened)))), 9)
        else:
            down += frame(6, bytes(8), 0, 0) + data(chance.randbytes(30), 3)
        connections[0].down(bytes(down), 0.0)
        connections[0].up(bytes(up))
        for piece in _cut(bytes(down), chance):
            connections[1].down(piece, 0.0)
        for piece in _cut(bytes(up), chance):
            connections[1].up(piece)
        up.clear()
        down.clear()
        assert whole.owes(1.0) == cut.owes(1.0) == owed


def _spread(content: bytes, chance: random.Random) -> bytes:
    """A message in one frame or in several, with padding or without, and frames of others between them."""
    out = b""
    for piece in _cut(content, chance):
        out += data(piece, 1, 0, chance.choice((0, 0, 3, 200)))
        out += chance.choice((b"", frame(8, bytes(4), 0, 0), data(b"of another call", 5)))
    return out


def _cut(content: bytes, chance: random.Random) -> list[bytes]:
    places = sorted(chance.sample(range(len(content) + 1), min(len(content), chance.randrange(4))))
    return [content[begin:end] for begin, end in zip([0, *places], [*places, len(content)], strict=True)]
