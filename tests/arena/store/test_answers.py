"""What is asked of the store by somebody who then waits no more."""

from __future__ import annotations

import asyncio
import gc

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from fudaba_arena.store.answers import answer


async def test_an_error_of_a_command_for_which_nobody_waits_any_more_is_not_logged_as_a_fault(
    caplog: pytest.LogCaptureFixture,
) -> None:
    closed = asyncio.Event()

    async def command() -> None:
        await closed.wait()
        raise RedisConnectionError("the store is closed")

    asking = asyncio.create_task(answer(command()))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait([asking])
    closed.set()
    for _ in range(5):
        await asyncio.sleep(0)
    gc.collect()
    assert not caplog.records
