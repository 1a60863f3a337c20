"""A worker that finds a submission which it cannot read says so, and checks the others."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from fudaba.client import Endpoint
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.match_play import store_retry
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.store.store import Store
from fudaba_arena.workers.submission_checker import SubmissionChecker
from tests.support.arena.running import until
from tests.support.service.processes import RedisServer


async def test_a_submission_that_cannot_be_read_is_left_and_the_worker_goes_on(redis: RedisServer) -> None:
    store, metrics, said = Store(redis.url), Metrics(), list[str]()
    service = ServiceClient(Endpoint("unix:/nowhere"), lambda _: None)
    await store.submissions.create("s-1", "ann", "of-ann", "{", b"x", now_ms=1, expires_ms=2, size=3)
    await store.checks.add("s-1", '{"form": 2}', 1)
    never = cast("Any", None)  # nothing of it is tried
    retry = store_retry(lambda _: None, metrics)
    checking = SubmissionChecker("w", store, service, never, never, (), retry, 60_000, said.append, 2)
    working = asyncio.ensure_future(checking.run())

    async def is_left() -> bool:
        return not await store.checks.waiting() and await store.checks.oldest_ms() is None

    await until(is_left, "no worker is to check it")
    assert not working.done()
    [line] = said
    assert line.startswith("submission s-1 cannot be checked: the end of a submission is stored in form 2")
    working.cancel()
    await asyncio.wait([working])
    await store.submissions.take_back("s-1", 5)
    assert await store.checks.waiting() == {"s-1": ""}, "somebody has looked at it"
    await service.close()
    await store.close()
