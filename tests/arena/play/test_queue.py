"""The queue of blocks: what it says of a Redis that does not answer."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest
import redis
from dramatiq.errors import ConnectionClosed

from fudaba_arena.play.workers import block_queue
from fudaba_arena.play.workers.block_queue import COMMANDS, QUEUE, BlockQueue
from fudaba_arena.store.answers import StoreUnavailable
from soak.chaos.clocks import Clock, compile_shim
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import RedisServer

NeedTool = Callable[[str], Path]
HEARTBEATS: Final = "fudaba-arena:__heartbeats__"


async def test_a_redis_that_is_silent_is_a_lost_connection_and_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_queue, "_ANSWER_TIMEOUT_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        blocks = BlockQueue(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        consumer = blocks.broker.consume(QUEUE)
        with pytest.raises(ConnectionClosed):
            next(consumer)
        with pytest.raises(StoreUnavailable):
            await blocks.send(block_queue.new_message(commands=False), "t", 0, 0)
        await blocks.close()


LIVES_SECONDS: Final = 1_000.0
"""Less than the clock is wrong by, and more than a worker needs to start, while the other one does not fetch."""
FETCH: Final = """
import sys
from fudaba_arena.play.workers.block_queue import QUEUE, BlockQueue
queue = BlockQueue(sys.argv[1], float(sys.argv[2]))
assert next(queue.broker.consume(QUEUE, timeout=1)) is None
print(queue.broker.broker_id)
"""
"""A worker that looks for a block once."""


@pytest.fixture
def store() -> Iterator[RedisServer]:
    with short_folder() as place, RedisServer(place) as server:
        server.start()
        yield server


def heartbeats(server: RedisServer) -> dict[str, float]:
    """By worker, when it was last alive, as the engine has it, in milliseconds since 1970."""
    with redis.Redis.from_url(server.url.removesuffix("/0") + "/1") as client:
        return {worker.decode(): at_ms for worker, at_ms in client.zrange(HEARTBEATS, 0, -1, withscores=True)}


@pytest.mark.parametrize("offset", [-3600, 3600])
@pytest.mark.exhaustive
async def test_a_worker_whose_clock_is_wrong_neither_outlives_its_death_nor_declares_others_dead(
    store: RedisServer, tmp_path: Path, need_tool: NeedTool, offset: int
) -> None:
    need_tool("gcc")
    clock = Clock(tmp_path / "offset", compile_shim(tmp_path))
    clock.set(offset)
    healthy = BlockQueue(store.url, LIVES_SECONDS)
    assert next(healthy.broker.consume(QUEUE, timeout=1)) is None
    command, env = [sys.executable, "-c", FETCH, store.url, str(LIVES_SECONDS)], os.environ | clock.environment
    fetching = partial(subprocess.run, command, capture_output=True, text=True, check=True, timeout=PATIENCE, env=env)
    wrong = (await asyncio.to_thread(fetching)).stdout.strip()
    assert set(heartbeats(store)) == {healthy.broker.broker_id, wrong}
    with redis.Redis.from_url(store.url) as client:
        seconds, _ = client.time()
    assert all(at_ms <= (seconds + 1) * 1000 for at_ms in heartbeats(store).values())
    assert heartbeats(store)[wrong] >= heartbeats(store)[healthy.broker.broker_id]
    await healthy.close()


async def test_an_empty_queue_is_asked_for_less_often_than_its_consumers_look_and_a_block_is_found_at_once(
    store: RedisServer,
) -> None:
    blocks, queues = BlockQueue(store.url), (QUEUE, COMMANDS)
    for name in queues:
        blocks.broker.declare_queue(name)
    consumers = [blocks.broker.consume(name, timeout=1) for name in queues]
    assert [next(consumer) for consumer in consumers] == [None, None]
    before, began = scripts_run(store), time.monotonic()
    for _ in range(200):
        assert [next(consumer) for consumer in consumers] == [None, None]
    took = time.monotonic() - began
    looks, fetches = took / block_queue._MAX_AGE_SECONDS, took / block_queue._MAX_UNFETCHED_SECONDS
    untold = 1  # the script of the look, which the server does not know when it is asked for it first
    assert scripts_run(store) - before <= looks + 1 + len(queues) * (fetches + 1) + untold
    await blocks.send(block_queue.new_message(commands=True), "t", 7, 0)
    found = wait_until(lambda: next(consumers[1]), "the block is found")
    assert found.args == ("t", 7, 0)
    assert next(consumers[0]) is None
    await blocks.close()


def scripts_run(server: RedisServer) -> int:
    """Returns how many scripts a server has run, or was asked to."""
    with server.client() as client:
        return sum(stat["calls"] for name, stat in client.info("commandstats").items() if "evalsha" in name)
