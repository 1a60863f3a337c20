"""A seat's move that was judged, with its log entry as bytes.

The entry is what serialising a `LogEntry` gives. It is written without one: every move has one, and to fill a message
and serialise it takes longer than to judge the move.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from fudaba.codec import GameCodec
from fudaba.v1 import record_pb2
from fudaba_service.sessions.time_spent import Spent
from fudaba_service.wire import varint

__all__ = ["Answered", "answered"]

_LENGTH_DELIMITED_KIND: Final = 2
"""The wire type of messages and texts; that of numbers is 0."""
_SEAT: Final = bytes([record_pb2.LogEntry.SEAT_FIELD_NUMBER << 3])
_DECISION_ID: Final = bytes([record_pb2.LogEntry.DECISION_ID_FIELD_NUMBER << 3 | _LENGTH_DELIMITED_KIND])
_AT_MS: Final = bytes([record_pb2.LogEntry.AT_MS_FIELD_NUMBER << 3])
_SPENT: Final = bytes([record_pb2.LogEntry.SPENT_FIELD_NUMBER << 3 | _LENGTH_DELIMITED_KIND])
_SERVER_US: Final = bytes([record_pb2.Spent.SERVER_US_FIELD_NUMBER << 3])
_NETWORK_US: Final = bytes([record_pb2.Spent.NETWORK_US_FIELD_NUMBER << 3])
_BOT_US: Final = bytes([record_pb2.Spent.BOT_US_FIELD_NUMBER << 3])


class Answered(NamedTuple):
    """The parts of a log entry with a seat's move. Parsing the entry again would take longer than the move."""

    seat: int
    decision_id: str
    move: Any  # the game's move; mypyc 2.4 fails on `object` in a named tuple
    bot_us: int
    at_ms: int
    raw: bytes
    """The entry in its stored form."""


def answered(
    codec: GameCodec[Any, Any, Any], seat: int, decision_id: str, move: Any, at_ms: int, spent: Spent
) -> Answered:
    """Returns a seat's move at a time in milliseconds since 1970."""
    server_us, network_us, bot_us = int(spent.server * 1e6), int(spent.network * 1e6), int(spent.bot * 1e6)
    times = b""
    if server_us:
        times = _SERVER_US + varint(server_us)
    if network_us:
        times += _NETWORK_US + varint(network_us)
    if bot_us:
        times += _BOT_US + varint(bot_us)
    identity = decision_id.encode()
    parts = (
        _seat(seat), _DECISION_ID, varint(len(identity)), identity, _move(codec, move), _time(at_ms),
        _SPENT, varint(len(times)), times,
    )  # fmt: skip
    return Answered(seat, decision_id, move, bot_us, at_ms, b"".join(parts))


@lru_cache
def _seat(seat: int) -> bytes:
    return _SEAT + varint(seat) if seat else b""


@lru_cache(maxsize=16)
def _time(at_ms: int) -> bytes:
    """Returns `LogEntry.at_ms`, which many matches share."""
    return _AT_MS + varint(at_ms) if at_ms else b""


@lru_cache(maxsize=1 << 14, typed=True)  # moves of two kinds may be equal, as tuples of the same numbers are
def _move(codec: GameCodec[Any, Any, Any], move: Any) -> bytes:
    """Returns `LogEntry.move`."""
    entry = record_pb2.LogEntry()
    codec.move_to_proto(move, entry.move)
    return entry.SerializeToString()
