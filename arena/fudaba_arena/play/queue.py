"""The queue by which workers are told of blocks: Dramatiq's, in a Redis database of its own.

A message says which block, and no more: tournament, block number, attempt. What is to be played, and whether it still
is, is in the store (`store/handed_out.py`). So a message may get lost, come late or twice, and nothing is wrong.

Dramatiq takes a worker for dead that has not fetched for `heartbeat_timeout`, and gives its messages to others; its
consumer of delayed messages fetches all the time, so that a worker with much to do is no dead one. It looks for the
dead at every fetch here, and not in one of a thousand. There are no time limits: every match ends by its clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Final, final

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from redis import ConnectionPool, Redis
from redis.exceptions import RedisError

from fudaba_arena.store.answers import StoreUnavailable

__all__ = ["ACTOR", "COMMANDS", "HEARTBEAT_SECONDS", "QUEUE", "BlockQueue"]

ACTOR: Final = "play_block"
QUEUE: Final = "blocks"
COMMANDS: Final = "blocks-with-commands"
"""Of blocks in which a bot plays that is given as a command: not every worker starts these."""
HEARTBEAT_SECONDS: Final = 15.0

_NAMESPACE: Final = "fudaba-arena"
_ANSWER_SECONDS: Final = 5.0
_ALWAYS: Final = 1_000_000


@final
class BlockQueue:
    """The queue. Its database is the one after the store's."""

    def __init__(self, url: str, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> None:
        pool = ConnectionPool.from_url(url, socket_timeout=_ANSWER_SECONDS, socket_connect_timeout=_ANSWER_SECONDS)
        pool.connection_kwargs["db"] = int(pool.connection_kwargs.get("db") or 0) + 1
        self._redis = Redis(connection_pool=pool)
        self.broker = RedisBroker(  # type: ignore[no-untyped-call]  # Dramatiq's own
            client=self._redis,
            middleware=[],
            namespace=_NAMESPACE,
            heartbeat_timeout=int(heartbeat_seconds * 1000),
            maintenance_chance=_ALWAYS,
        )

    async def close(self) -> None:
        """Closes the connections."""
        await asyncio.to_thread(self.broker.close)
        await asyncio.to_thread(self._redis.close)

    async def send(self, tournament: str, block: int, attempt: int, *, commands: bool) -> str:
        """Tells some worker of a block; the message, to ask for it later. Raises `StoreUnavailable`."""
        queue = COMMANDS if commands else QUEUE
        message: dramatiq.Message[None] = dramatiq.Message(queue, ACTOR, (tournament, block, attempt), {}, {})
        try:
            sent = await asyncio.to_thread(self.broker.enqueue, message)
        except (RedisError, OSError) as error:
            raise StoreUnavailable(f"the queue of blocks cannot be reached: {error}") from error
        return f"{queue}/{sent.options['redis_message_id']}"

    async def lost(self, messages: Collection[str]) -> set[str]:
        """Which of these messages are neither in the queue nor with a worker. Raises `StoreUnavailable`."""
        try:
            return await asyncio.to_thread(self._lost, messages)
        except (RedisError, OSError) as error:
            raise StoreUnavailable(f"the queue of blocks cannot be reached: {error}") from error

    def _lost(self, messages: Collection[str]) -> set[str]:
        with self._redis.pipeline(transaction=False) as pipeline:
            for message in messages:
                queue, _, message_id = message.partition("/")
                pipeline.hexists(f"{_NAMESPACE}:{queue}.msgs", message_id)
            there = pipeline.execute()
        return {message for message, known in zip(messages, there, strict=True) if not known}
