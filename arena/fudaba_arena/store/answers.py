"""Waits for the answers of the arena's Redis, and names the keys of a tournament."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import OutOfMemoryError, RedisError

from fudaba_serving.redis import answers
from fudaba_serving.redis.answers import StoreUnavailable
from fudaba_serving.redis.pipelining import Pipelined
from fudaba_serving.redis.reading import READ, answers_at_once, words_of

__all__ = ["StoreFull", "StoreUnavailable", "answer", "key", "read_at_once", "read_often", "unavailable"]


class StoreFull(StoreUnavailable):
    """Redis has no memory left: it answers reads, and refuses writes that need more."""


@contextmanager
def unavailable() -> Iterator[None]:
    """Turns redis-py's errors in the block into `StoreUnavailable`, or `StoreFull` if memory is lacking."""
    with answers.unavailable("the arena's store"):
        try:
            yield
        except RedisError as error:
            if isinstance(error, OutOfMemoryError) or str(error).startswith("OOM "):
                raise StoreFull(f"the arena's store is full, make room or raise its maxmemory: {error}") from error
            raise


async def answer(command: Awaitable[Any] | Any) -> Any:  # redis-py types its commands as answers or awaitables
    """Returns the answer to a command. Raises `StoreUnavailable`. A cancelled caller stops waiting at once."""
    with unavailable():
        return await answers.answer_of(command)


async def read_at_once(redis: Redis, *commands: Sequence[str]) -> list[Any]:
    """Returns the answers to read-only commands, all from one moment. Even a full store answers them. Raises
    `StoreUnavailable`.

    See `fudaba_serving.redis.reading`.
    """
    with unavailable():
        return await answers_at_once(redis, commands)


async def read_often(pipelined: Pipelined, *commands: Sequence[str]) -> list[Any]:
    """Returns answers like `read_at_once`, at a fraction of the CPU, for commands that an arena sends every second."""
    with unavailable():
        return list(await pipelined.run(READ, (), words_of(commands)))


def key(name: str, part: str) -> str:
    """Returns the key of a part of a tournament. All keys of a tournament share a hash tag."""
    return f"fudaba-arena:{{{name}}}:{part}"
