"""Parses a Play stream. In a batch of answers, it keeps the answers beside an unreadable one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from fudaba.v1 import errors_pb2, play_pb2
from fudaba_service.refusals import Refused
from fudaba_serving.grpc.requests import reading

__all__ = ["check_batch", "price", "reading_play"]

_MAX_ANSWERS: Final = 1_000
"""The number of answers in one message. The contract states it."""
_ANSWERS: Final = play_pb2.PlayRequest.ANSWERS_FIELD_NUMBER
_EACH: Final = play_pb2.Answers.ANSWERS_FIELD_NUMBER
_LENGTH_DELIMITED_KIND: Final = 2
"""The wire type of messages, texts and bytes."""


def reading_play(deserialise: Callable[[bytes], Any] | None) -> Callable[[bytes], Any]:
    """Parses a PlayRequest, or returns `TooLarge`. An unreadable message, or answer of a batch, becomes an empty
    one.
    """
    unread = play_pb2.PlayRequest()
    usual = reading(deserialise, unreadable=unread)

    def read(raw: bytes) -> Any:
        message = usual(raw)
        return message if message is not unread else _batch(raw) or unread

    return read


def _batch(raw: bytes) -> play_pb2.PlayRequest | None:
    """Returns a batch of answers with unreadable ones; None if the message is not a batch."""
    try:
        batches = _fields(raw, _ANSWERS)
        answers = _fields(b"".join(batches), _EACH)
    except DecodeError:
        return None
    if not answers:
        return None
    return play_pb2.PlayRequest(answers=play_pb2.Answers(answers=map(_answer, answers)))


def _fields(raw: bytes, number: int) -> list[bytes]:
    """Finds the unparsed value of a message's field. Raises `DecodeError` if the fields cannot be separated."""
    return [
        field.data
        for field in UnknownFieldSet(Empty.FromString(raw))  # type: ignore[attr-defined]  # the stubs do not say that it can be iterated
        if field.field_number == number and field.wire_type == _LENGTH_DELIMITED_KIND
    ]


def _answer(raw: bytes) -> play_pb2.Answer:
    try:
        return play_pb2.Answer.FromString(raw)
    except DecodeError:
        return play_pb2.Answer()


def price(batch: play_pb2.Answers) -> float:
    """Returns the cost of a batch: that of its answers alone. An oversized batch costs no more, since it is refused."""
    return float(min(max(1, len(batch.answers)), _MAX_ANSWERS))


def check_batch(batch: play_pb2.Answers) -> None:
    """Refuses a batch with no answers, or with too many."""
    count = len(batch.answers)
    if not count:
        raise Refused.malformed("the message has no answers; send those that are ready, or nothing")
    if count > _MAX_ANSWERS:
        message = (
            f"the message has {count} answers, and none counts; a message takes at most {_MAX_ANSWERS}, so send "
            "several messages"
        )
        raise Refused(errors_pb2.REASON_MESSAGE_TOO_LARGE, message)
