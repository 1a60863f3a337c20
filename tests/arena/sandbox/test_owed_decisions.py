"""What a bot owes its match is read from the frames of its connections, however these are cut."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from google.protobuf.message import Message

from fudaba.v1 import play_pb2, record_pb2
from fudaba_arena.sandbox.frames import PREFACE
from fudaba_arena.sandbox.owed_decisions import LATE_SECONDS, Connection, OwedDecisions
from tests.support.arena.sandbox.http2 import END_STREAM, HEADERS, RST_STREAM, data, frame, prefixed
from tests.support.sizes import some

PLAY, WATCH, SUBMIT = (f"/fudaba.v1.PlayService/{name}".encode() for name in ("Play", "WatchSeat", "SubmitMove"))


def decision(number: int, time_ms: int = 5_000, *, required: bool = True, **more: object) -> play_pb2.SeatUpdate:
    made = play_pb2.Decision(decision_id=str(number), time_ms=time_ms, required=required)
    return play_pb2.SeatUpdate(match_id="m", decision=made, **more)  # type: ignore[arg-type]  # fields by name


class Talk:
    """A connection of a bot, and the service behind it."""

    def __init__(self, owing: OwedDecisions) -> None:
        self.owing = owing
        self.now = 100.0
        self._connection: Connection = owing.connection()
        self._connection.up(PREFACE)

    def opens(self, stream: int = 1, path: bytes = PLAY) -> None:
        self._connection.called(stream, path)

    def answers(self, number: int, *, compressed: bool = False) -> None:
        self.says(play_pb2.PlayRequest(answer=play_pb2.Answer(decision_id=str(number))), compressed=compressed)

    def submits(self, number: int, stream: int, flags: int = END_STREAM) -> None:
        self.opens(stream, SUBMIT)
        answer = play_pb2.SubmitMoveRequest(answer=play_pb2.Answer(decision_id=str(number)))
        self.sends(data(prefixed(answer), stream, flags))

    def sends(self, frames: bytes) -> None:
        self._connection.up(frames)

    def is_told_on_a_watched_seat(self, update: play_pb2.SeatUpdate, stream: int) -> None:
        self.hears(data(prefixed(play_pb2.WatchSeatResponse(update=update)), stream))

    def is_taken(self, stream: int) -> None:
        self.hears(data(prefixed(play_pb2.SubmitMoveResponse()), stream) + frame(HEADERS, b"", END_STREAM, stream))

    def is_refused(self, stream: int) -> None:
        self.hears(frame(HEADERS, b"", END_STREAM, stream))

    def is_refused_on_the_stream(self, number: int) -> None:
        refusal = play_pb2.Refusal(decision_id=str(number), still_open=True)
        self.hears(data(prefixed(play_pb2.PlayResponse(refusal=refusal))))

    def says(self, message: Message, *, compressed: bool = False) -> None:
        self._connection.up(data(prefixed(message, compressed=compressed)))

    def is_told(self, update: play_pb2.SeatUpdate, stream: int = 1) -> None:
        self.hears(data(prefixed(play_pb2.PlayResponse(update=update)), stream))

    def hears(self, frames: bytes) -> None:
        self._connection.down(frames, self.now)

    def closes(self) -> None:
        self._connection.close()

    def held_bytes(self) -> int:
        """Returns how much is kept of messages that have begun."""
        return self._connection.held_bytes

    def owes(self) -> bool:
        return self.owing.owes(self.now)


@pytest.fixture
def talk() -> Talk:
    made = Talk(OwedDecisions())
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
    talk.is_told(play_pb2.SeatUpdate(match_id="m", **update))  # type: ignore[arg-type]  # fields by name
    assert not talk.owes()


@pytest.mark.parametrize("required", [True, False])
def test_whoever_lets_the_time_run_out_owes_nothing_any_more(talk: Talk, *, required: bool) -> None:
    talk.is_told(decision(1, time_ms=5_000, required=required))
    talk.now += 5.0 + LATE_SECONDS - 0.001
    assert talk.owes()
    talk.now += 0.002
    assert not talk.owes()


def test_in_real_time_a_decision_that_is_opened_again_is_owed_for_the_time_that_comes_with_it(talk: Talk) -> None:
    for number in range(1, 4):
        talk.is_told(decision(number, time_ms=5_000, required=False))
        talk.now += 5.0 + LATE_SECONDS - 0.001
        assert talk.owes()
    talk.now += 0.002
    assert not talk.owes()


def test_a_decision_is_read_in_batches_and_on_a_watched_seat_too(talk: Talk) -> None:
    talk.hears(data(prefixed(play_pb2.PlayResponse(updates=play_pb2.SeatUpdates(updates=[decision(1)])))))
    assert talk.owes()
    talk.says(play_pb2.PlayRequest(answers=play_pb2.Answers(answers=[play_pb2.Answer(decision_id="1")])))
    assert not talk.owes()
    talk.opens(3, WATCH)
    assert talk.owing.following == 2
    talk.hears(data(prefixed(play_pb2.WatchSeatResponse(update=decision(2))), 3))
    assert talk.owes()


def test_a_move_that_is_submitted_is_owed_again_if_the_service_refuses_it(talk: Talk) -> None:
    talk.is_told(decision(1))
    talk.submits(1, 3)
    assert not talk.owes()
    talk.is_refused(3)
    assert talk.owes()
    talk.submits(1, 5)
    talk.is_taken(5)
    assert not talk.owes()


def breaks_off(talk: Talk, stream: int) -> None:
    talk.sends(frame(RST_STREAM, bytes(4), 0, stream))


def is_broken_off(talk: Talk, stream: int) -> None:
    """What the service does where a bot sends what it may not, for one."""
    talk.hears(frame(RST_STREAM, bytes(4), 0, stream))


def closes(talk: Talk, _: int) -> None:
    talk.closes()


@pytest.mark.parametrize("end", [breaks_off, is_broken_off, closes])
def test_nobody_owes_a_decision_again_because_its_answers_call_is_broken_off(
    talk: Talk, end: Callable[[Talk, int], None]
) -> None:
    talk.is_told(decision(1))
    talk.submits(1, 3)
    end(talk, 3)
    assert not talk.owes()
    again = Talk(talk.owing)
    again.opens()  # the answer was lost, the service says
    again.is_told(decision(1))
    assert again.owes()


@pytest.mark.parametrize("rest", [b"", b"\x00", prefixed(play_pb2.SubmitMoveRequest())])
@pytest.mark.parametrize("flags", [0, END_STREAM])
def test_a_call_that_fails_for_what_its_bot_has_sent_after_its_answer_says_nothing(
    talk: Talk, rest: bytes, flags: int
) -> None:
    talk.is_told(decision(1))
    talk.submits(1, 3, flags=0)
    talk.sends(data(rest, 3, flags))
    talk.is_refused(3)
    assert talk.owes() == (not rest and flags == END_STREAM)


def test_a_second_answer_that_is_refused_leaves_the_first_one_as_it_is(talk: Talk) -> None:
    for number, taken in ((1, True), (2, False)):
        talk.is_told(decision(number))
        talk.submits(number, 10 * number + 1)
        if taken:
            talk.is_taken(10 * number + 1)
        talk.submits(number, 10 * number + 3)
        talk.is_refused(10 * number + 3)
        talk.is_refused_on_the_stream(number)
        assert not talk.owes()
    talk.is_refused(21)
    assert talk.owes()
    talk.answers(2)
    talk.answers(2)
    talk.submits(2, 25)
    talk.is_refused(25)
    talk.is_refused_on_the_stream(2)
    assert not talk.owes()
    talk.is_refused_on_the_stream(2)
    assert talk.owes()


def test_a_decision_whose_answer_is_stored_is_owed_again_only_after_a_rewind(talk: Talk) -> None:
    talk.is_told(decision(1))
    talk.submits(1, 3)
    talk.is_taken(3)
    talk.opens(5)
    talk.is_told(decision(1), 5)
    assert not talk.owes()
    talk.is_told(decision(1, rewound=True), 5)
    assert talk.owes()


def test_what_is_told_while_its_answer_is_under_way_is_not_owed(talk: Talk) -> None:
    talk.is_told(decision(1))
    talk.submits(1, 3, flags=0)
    talk.opens(5, WATCH)
    talk.is_told_on_a_watched_seat(decision(1), 5)
    assert not talk.owes()
    talk.sends(data(b"", 3, END_STREAM))
    breaks_off(talk, 3)
    talk.is_told_on_a_watched_seat(decision(1), 5)
    assert not talk.owes()
    talk.opens(7, WATCH)
    talk.is_told_on_a_watched_seat(decision(1), 7)
    assert talk.owes()


def test_an_earlier_decision_that_arrives_late_is_not_owed(talk: Talk) -> None:
    talk.opens(3, WATCH)
    talk.is_told(decision(1))
    talk.answers(1)
    talk.is_told(decision(2))
    talk.answers(2)
    talk.is_told_on_a_watched_seat(decision(1), 3)
    assert not talk.owes()


@pytest.mark.parametrize("junk", [0, 1_000])
def test_a_decision_that_was_answered_before_it_was_told_is_not_owed(talk: Talk, junk: int) -> None:
    talk.opens(3, WATCH)
    talk.is_told_on_a_watched_seat(decision(1), 3)
    talk.answers(1)
    for number in range(junk):
        talk.answers(1_000 + number)
    talk.answers(2)
    talk.is_told(decision(2))
    assert not talk.owes()
    talk.is_told(decision(3))
    assert talk.owes() == (junk == 0)


def test_an_answer_before_its_time_that_is_refused_does_not_count(talk: Talk) -> None:
    talk.answers(1)
    talk.is_refused_on_the_stream(1)
    talk.is_told(decision(1))
    assert talk.owes()
    talk.submits(2, 3)
    talk.is_told(decision(2, time_ms=7_000))
    assert not talk.owes()
    talk.is_refused(3)
    assert talk.owes()
    assert talk.owing.due == talk.now + 7.0 + LATE_SECONDS


@pytest.mark.parametrize("end", [breaks_off, is_broken_off, closes])
def test_nothing_is_kept_of_a_call_that_has_ended(talk: Talk, end: Callable[[Talk, int], None]) -> None:
    begun = bytes([0]) + (60_000).to_bytes(4) + bytes(50_000)
    talk.sends(data(begun))
    talk.hears(data(begun))
    held = talk.held_bytes()
    end(talk, 1)
    assert (held, talk.held_bytes()) == (2 * len(begun), 0)


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
    whole, cut = OwedDecisions(), OwedDecisions()
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
    """Returns a message in one frame or in several, with padding or without, and frames of others between them."""
    out = b""
    for piece in _cut(content, chance):
        out += data(piece, 1, 0, chance.choice((0, 0, 3, 200)))
        out += chance.choice((b"", frame(8, bytes(4), 0, 0), data(b"of another call", 5)))
    return out


def _cut(content: bytes, chance: random.Random) -> list[bytes]:
    places = sorted(chance.sample(range(len(content) + 1), min(len(content), chance.randrange(4))))
    return [content[begin:end] for begin, end in zip([0, *places], [*places, len(content)], strict=True)]
