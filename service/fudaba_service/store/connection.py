"""What all operations on Redis have in common: its errors are told as one, and values are changed by comparison."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from redis.asyncio import Redis
from redis.exceptions import RedisError

__all__ = ["StoreUnavailable", "answer", "retry_until_answered", "swap", "unavailable"]

log = logging.getLogger(__name__)

_RETRY_SECONDS: Final = 0.25
"""How long to wait before the store is tried again."""

Result = TypeVar("Result")


class StoreUnavailable(Exception):
    """Redis cannot be reached, or refuses. Nothing was changed that the caller was told of; try again."""


@contextmanager
def unavailable() -> Iterator[None]:
    """Raises `StoreUnavailable` for what redis-py raises in the block."""
    try:
        yield
    except (RedisError, OSError) as error:
        raise StoreUnavailable(f"the store cannot be reached: {error}") from error


async def answer(command: Awaitable[Any] | Any) -> Any:  # redis-py types its commands as answers or awaitables
    """The answer to one command. Raises `StoreUnavailable`."""
    with unavailable():
        return await command


def _told_by_the_committer(error: Exception) -> None:
    log.debug("trying again: %s", error)


async def retry_until_answered(
    operation: Callable[[], Awaitable[Result]],
    *also: type[Exception],
    failed: Callable[[Exception], None] = _told_by_the_committer,
    longest: float = _RETRY_SECONDS,
) -> Result:
    """What an operation returns, which is repeated from its beginning until the store answers it.

    It is repeated after the errors `also` too. `failed` is told of every try that failed; the pause after it doubles
    up to `longest` seconds. Whoever may cease to want the answer has the operation look, at its beginning.
    """
    errors: tuple[type[Exception], ...] = (StoreUnavailable, *also)
    pause = _RETRY_SECONDS
    while True:
        try:
            return await operation()
        except errors as error:
            failed(error)
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)


async def swap(redis: Redis, key: str, name: str, old: bytes | None, new: bytes | None) -> bool:
    """Changes a field of a hash if it still is `old`; None stands for no such field."""
    script = (
        "local now = redis.call('HGET', KEYS[1], ARGV[1]) or ''\n"
        # Sent again after a lost reply, it finds its own change.
        "if now ~= '' and now == ARGV[3] then return 1 end\n"
        "if now ~= ARGV[2] then return 0 end\n"
        "if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1])\n"
        "else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end\nreturn 1"
    )
    return bool(await answer(redis.eval(script, 1, key, name, old or b"", new or b"")))
