"""The runtimes of an arena's workers as messages."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Final

from fudaba.v1 import submissions_pb2
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.store.workers.known_workers import Workers
from fudaba_arena.store.workers.runtimes import KnownRuntime
from fudaba_serving.grpc.pages import Pages

__all__ = ["runtime_page"]

_PAGES: Final = Pages("runtimes")


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
