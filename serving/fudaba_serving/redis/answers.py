"""Waits for Redis's answers. All errors become `StoreUnavailable`."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Any

from redis.exceptions import RedisError

from fudaba_serving.process.tasks import shielded

__all__ = ["StoreUnavailable", "answer_of", "unavailable"]


class StoreUnavailable(Exception):
    """Redis cannot be reached, or refuses a command. No change was confirmed to the caller; try again."""


@contextmanager
def unavailable(store: str) -> Iterator[None]:
    """Raises `StoreUnavailable` for the errors of redis-py in the block. `store` names the store in the message."""
    try:
        yield
    except (RedisError, OSError) as error:
        raise StoreUnavailable(f"{store} cannot be reached: {error}") from error


async def answer_of(command: Awaitable[Any] | Any) -> Any:  # redis-py types its commands as answers or awaitables
    """Returns the answer to a command. Raises the errors of redis-py.

    A cancelled caller stops waiting at once. Its command is still sent, which is the same as a lost answer.
    """
    return await shielded(command)
