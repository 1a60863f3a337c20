"""The queue of blocks: what it says of a Redis that does not answer."""

from __future__ import annotations

import socket

import pytest
from dramatiq.errors import ConnectionClosed

from fudaba_arena.play import queue
from fudaba_arena.play.queue import QUEUE, BlockQueue
from fudaba_arena.store.answers import StoreUnavailable


async def test_a_redis_that_is_silent_is_a_lost_connection_and_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "_ANSWER_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        blocks = BlockQueue(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        consumer = blocks.broker.consume(QUEUE)
        with pytest.raises(ConnectionClosed):
            next(consumer)
        with pytest.raises(StoreUnavailable):
            await blocks.send(queue.new_message(commands=False), "t", 0, 0)
        await blocks.close()
