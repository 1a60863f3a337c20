"""The workers of an arena as messages."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fudaba.v1 import arena_pb2
from fudaba_arena.store.workers.known_workers import HOST_FAILS, LATE, PLAYING, STOPPED, UNREADABLE, KnownWorker

__all__ = ["worker"]

_STATES: Final = {
    PLAYING: arena_pb2.WORKER_STATE_PLAYING,
    STOPPED: arena_pb2.WORKER_STATE_STOPPED,
    "dead": arena_pb2.WORKER_STATE_DEAD,
}
_CAUSES: Final = {
    LATE: arena_pb2.WORKER_STOP_CAUSE_LATE,
    HOST_FAILS: arena_pb2.WORKER_STOP_CAUSE_HOST,
    UNREADABLE: arena_pb2.WORKER_STOP_CAUSE_UNREADABLE,
}


def worker(known: KnownWorker, clock_ahead: float | None) -> arena_pb2.Worker:
    """Returns a worker, with how many seconds its clock is ahead, where that is known."""
    stop = known.stopped_by
    message = arena_pb2.Worker(
        name=known.name,
        state=_STATES.get(known.state_name, arena_pb2.WORKER_STATE_UNSPECIFIED),
        stop_cause=_CAUSES.get(stop.cause, arena_pb2.WORKER_STOP_CAUSE_UNSPECIFIED),
        message=known.why,
        late_seconds=stop.late_seconds,
        seen_seconds=stop.seen_seconds,
        blocks=known.blocks,
        max_blocks=known.most_blocks,
        seats=known.seats,
        max_seats=known.most_seats,
        host=known.host,
        runtimes=len(known.runtimes),
    )
    message.silence.FromTimedelta(timedelta(seconds=known.silent_seconds))
    if stop.longest_seconds:
        message.longest.FromTimedelta(timedelta(seconds=stop.longest_seconds))
    if clock_ahead is not None:
        message.clock_ahead.FromTimedelta(timedelta(seconds=clock_ahead))
    return message
