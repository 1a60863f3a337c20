"""Matches with windows, in which several may claim."""

from __future__ import annotations

from typing import Final

from fudaba.replay import Replay
from fudaba.v1 import game_pb2, record_pb2
from tests.support.service.organiser import kinds

SEED: Final = bytes([5]) * 32
"""The seed of a match with some windows: a match that is won at once has none."""


def one_deal(window_ms: int) -> dict[str, game_pb2.OptionValue]:
    """Returns the options of a match of one deal with windows of this length."""
    return {"deals": game_pb2.OptionValue(number=1), "window_ms": game_pb2.OptionValue(number=window_ms)}


def closed_windows(record: record_pb2.MatchRecord) -> int:
    """Returns how many windows a match had. Each must be closed by the referee, once, and by nobody else."""
    replay = Replay(record.header, record.seed)
    closed = 0
    for entry in record.log:
        before = {timer for timer in replay.timers if timer.name == "window"}
        replay.apply(entry)
        ended = before - set(replay.timers)
        assert ended == (before if entry.HasField("referee") else set())
        closed += len(ended)
    assert closed == kinds(record).count("referee")
    return closed
