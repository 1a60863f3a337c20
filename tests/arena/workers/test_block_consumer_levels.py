"""What a worker's log says of a queue that cannot be reached: nothing that is worse than what it is."""

from __future__ import annotations

import asyncio
import logging

import pytest

from fudaba_arena.workers.block_consumer import BlockConsumer
from tests.support.folders import short_folder
from tests.support.patience import until
from tests.support.service.processes import RedisServer


async def test_an_outage_of_the_queue_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with short_folder() as folder, RedisServer(folder) as redis:
        await asyncio.to_thread(redis.start)
        taking = BlockConsumer(redis.url, 15.0, 1, lambda *_: None, commands=False, profile="")
        taking.start()
        redis.kill()
        await until(lambda: "connection error" in caplog.text, "a word of the outage")
        await asyncio.to_thread(redis.start)  # else it cannot stop in order
        await taking.stop()
    said = [record for record in caplog.records if "connection error" in record.getMessage()]
    assert {record.levelno for record in said} == {logging.WARNING}
    assert not [record for record in caplog.records if record.levelno > logging.WARNING and record not in said]
