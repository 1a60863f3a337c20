"""The workers of an arena, and their runtimes, as messages."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Final

from fudaba.v1 import arena_pb2, submissions_pb2
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.store.workers.known_workers import (
    HOST_FAILS,
    LATE,
    PLAYING,
    STOPPED,
    UNREADABLE,
    KnownWorker,
    Workers,
)
from fudaba_arena.store.workers.runtimes import KnownRuntime
from fudaba_serving.grpc.pages import Pages

__all__ = ["runtime_page", "worker"]

_PAGES: Final = Pages("runtimes")
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


async def runtime_page(
    offers: Offers, workers: Workers, request: submissions_pb2.ListRuntimesRequest
) -> submissions_pb2.ListRuntimesResponse:
    """Returns a page of the runtimes that workers have now. Refuses an invalid page token. Raises
    `StoreUnavailable`.
    """
    counts = offers.runtimes()
    by_key = {
        f"{runtime.name} {runtime.digest} {runtime.until} {runtime.version} {runtime.language}": runtime
        for runtime in counts
        if request.language in {"", runtime.language}
    }
    page, following = _PAGES.page(sorted(by_key), request.page_size, request.page_token)
    whole = await workers.contents([by_key[key] for key in page])
    runtime_messages = [_runtime(runtime, counts[runtime]) for runtime in whole]
    return submissions_pb2.ListRuntimesResponse(runtimes=runtime_messages, next_page_token=following)


def _runtime(runtime: KnownRuntime, workers: int) -> submissions_pb2.Runtime:
    runtime_message = submissions_pb2.Runtime(
        name=runtime.name, language=runtime.language, version=runtime.version, workers=workers
    )
    runtime_message.packages.extend(
        submissions_pb2.RuntimePackage(name=name, version=version) for name, version in runtime.contents
    )
    if runtime.until:
        first_without = datetime.combine(
            date.fromisoformat(runtime.until) + timedelta(days=1), datetime.min.time(), UTC
        )
        runtime_message.end_time.FromDatetime(first_without)
        runtime_message.ended = runtime.ended(datetime.now(UTC).date().isoformat())
    return runtime_message
