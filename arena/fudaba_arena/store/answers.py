"""Asks Redis, and says when it does not answer. The names of a tournament's keys."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Any

from redis.exceptions import OutOfMemoryError, RedisError

__all__ = ["StoreFull", "StoreUnavailable", "answer", "key", "unavailable"]


class StoreUnavailable(Exception):
    """Redis cannot be reached, or refuses. Try again: nothing is done twice."""


class StoreFull(StoreUnavailable):
    """Redis has no memory left: it is read, and takes nothing that needs more."""


@contextmanager
def unavailable() -> Iterator[None]:
    """Raises `StoreUnavailable` for what Redis raises, `StoreFull` where that is a lack of memory."""
    try:
        yield
    except (RedisError, OSError) as error:
        if isinstance(error, OutOfMemoryError) or str(error).startswith("OOM "):
            raise StoreFull(f"the arena's store is full, make room or raise its maxmemory: {error}") from error
        raise StoreUnavailable(f"the arena's store cannot be reached: {error}") from error


async def answer(command: Awaitable[Any] | Any) -> Any:  # redis-py types its commands as answers or awaitables
    """The answer to a command. Raises `StoreUnavailable`."""
    with unavailable():
        # Before Python 3.12 `asyncio.wait_for`, which redis-py uses for every command, can swallow a cancellation. This
        # wait cannot; a command that nobody waits for any more is still sent, which is the same as a lost answer.
        asked = asyncio.ensure_future(command)
        try:
            return await asyncio.shield(asked)
        except asyncio.CancelledError:
            asked.add_done_callback(_heard)
            raise


def _heard(asked: asyncio.Future[Any]) -> None:
    """An answer for which nobody waits any more: an error is no fault then, such as that the store was closed."""
    if not asked.cancelled():
        asked.exception()


def key(name: str, part: str) -> str:
    """The key of a part of a tournament. All keys of a tournament share a hash tag."""
    return f"fudaba-arena:{{{name}}}:{part}"
