"""Takes blocks from the queue while it is on. It starts a new Dramatiq worker each time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, final

import dramatiq

from fudaba_arena.play.workers.block_queue import ACTOR, QUEUE, BlockQueue, queues

__all__ = ["BlockConsumer"]

_MAX_POLL_MS: Final = 200
"""The longest time between two looks into an empty queue."""
_POLL_SECONDS: Final = 1.0
"""The time after which a waiting thread checks whether it should end. A block wakes it at once."""
_STOP_TIMEOUT_MS: Final = 60_000


@final
class BlockConsumer:
    """Takes no more blocks than it plays. Others receive at once what it gives back.

    `play_block` plays a block to its end. It is called in one of Dramatiq's threads.
    """

    def __init__(
        self,
        redis: str,
        heartbeat_seconds: float,
        blocks: int,
        play_block: Callable[[str, int, int], None],
        *,
        commands: bool,
        profile: str,
        address: str = "",
    ) -> None:
        self._redis = redis
        self._heartbeat_seconds = heartbeat_seconds
        self._blocks = blocks
        self._play_block = play_block
        self._queues = queues(commands=commands, profile=profile, address=address)
        self._on: tuple[BlockQueue, dramatiq.Worker] | None = None
        self._ending: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Takes blocks from now on."""
        queue = BlockQueue(self._redis, self._heartbeat_seconds)
        dramatiq.actor(actor_name=ACTOR, queue_name=QUEUE, broker=queue.broker)(self._play_block)
        for name in self._queues:
            queue.broker.declare_queue(name)
        worker = dramatiq.Worker(queue.broker, worker_threads=self._blocks, worker_timeout=_MAX_POLL_MS)
        worker.queue_prefetch = self._blocks
        for name in queue.broker.get_declared_queues() | queue.broker.get_declared_delay_queues():
            logging.getLogger(f"dramatiq.worker.ConsumerThread({name})").addFilter(_as_a_warning)
        worker.start()
        for thread in worker.workers:
            # With dozens of threads, five polls a second each would cost more than a match does.
            thread.timeout = _POLL_SECONDS
        self._on = queue, worker

    async def stop(self) -> None:
        """Takes no more blocks, and gives back those that have not begun. Returns when the begun ones are over."""
        if self._on is not None and self._ending is None:
            self._ending = asyncio.create_task(self._end(*self._on))
        if self._ending is not None:
            await asyncio.shield(self._ending)

    async def _end(self, queue: BlockQueue, worker: dramatiq.Worker) -> None:
        await asyncio.to_thread(worker.stop, _STOP_TIMEOUT_MS)
        await queue.close()
        self._on = self._ending = None


def _as_a_warning(record: logging.LogRecord) -> bool:
    """Logs as a warning what Dramatiq calls critical: the queue cannot be reached, and is tried again a second
    later.
    """
    if record.levelno == logging.CRITICAL and str(record.msg).startswith("Consumer encountered a connection error"):
        record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
    return True
