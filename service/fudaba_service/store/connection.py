"""The operations on Redis that all parts of the store share: answers and errors, retries, compare-and-set."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from redis.asyncio import Redis
from redis.exceptions import OutOfMemoryError, RedisError

from fudaba_service.store.identity import OtherStore
from fudaba_service.store.scripts import FREES, WRITES
from fudaba_serving.process.retry import doubling, retry
from fudaba_serving.redis import answers
from fudaba_serving.redis.answers import StoreUnavailable
from fudaba_serving.redis.reading import answers_at_once

__all__ = [
    "TRACE_MS",
    "StoreFull",
    "StoreLost",
    "StoreUnavailable",
    "answer",
    "fixed",
    "read_at_once",
    "retry_until_answered",
    "swap",
    "trace_of",
    "unavailable",
]

log = logging.getLogger(__name__)

TRACE_MS: Final = 60_000
"""The time for which a script's trace stays. A later repetition is refused as if the value had changed."""
_RETRY_SECONDS: Final = 0.25
"""The time to wait before the store is tried again."""

Result = TypeVar("Result")


class StoreLost(StoreUnavailable):
    """The store is empty, or another one than before. Nothing is read from it or written to it."""


class StoreFull(StoreUnavailable):
    """Redis has no memory left for the request. Nothing was changed. Wait, or give it more memory."""


@contextmanager
def unavailable() -> Iterator[None]:
    """Turns redis-py's errors in the block into `StoreUnavailable`."""
    with answers.unavailable("the store"):
        try:
            yield
        except OtherStore as error:
            raise StoreLost(str(error)) from error
        except RedisError as error:
            if isinstance(error, OutOfMemoryError) or str(error).startswith("OOM"):
                raise StoreFull(f"the store is full, its maxmemory is reached: {error}") from error
            raise


async def answer(command: Awaitable[Any] | Any) -> Any:  # redis-py types its commands as answers or awaitables
    """Returns the answer to a command. Raises `StoreUnavailable`. A cancelled caller stops waiting at once."""
    with unavailable():
        return await answers.answer_of(command)


async def fixed(redis: Redis, key: str, proposed: str) -> str:
    """Sets a key for ever unless it is set. Returns its value. Raises `StoreUnavailable`."""
    known = await answer(redis.get(key))
    if known is None:  # otherwise a full store would refuse reads too
        await answer(redis.set(key, proposed, nx=True))
        known = await answer(redis.get(key))
    return str(known.decode())


async def read_at_once(redis: Redis, *commands: Sequence[str]) -> list[Any]:
    """Returns the answers to read-only commands, all from one moment, in Redis's form. Raises `StoreUnavailable`.

    See `fudaba_serving.redis.reading`.
    """
    with unavailable():
        return await answers_at_once(redis, commands)


def _log_retry(error: Exception) -> None:
    log.debug("trying again: %s", error)


async def retry_until_answered(
    operation: Callable[[], Awaitable[Result]],
    *also: type[Exception],
    failed: Callable[[Exception], None] = _log_retry,
    max_pause_seconds: float = _RETRY_SECONDS,
) -> Result:
    """Repeats an operation from its beginning until the store answers. Returns its result.

    It is also repeated after the errors `also`. `failed` is called with the error of every failed try; the pause after
    it doubles up to `max_pause_seconds`. If the caller may lose interest in the result, the operation must check that
    first.
    """

    def note(error: Exception) -> float:
        failed(error)
        return 0.0

    return await retry(operation, (StoreUnavailable, *also), doubling(_RETRY_SECONDS, max_pause_seconds), note)


def trace_of(key: str, change_id: str = "") -> str:
    """Returns a key, beside another one, by which a repeated script finds after a lost reply that it has run.

    It is a new key unless the change has an id, which is needed if it is repeated beyond Redis's client. Comparing the
    stored value is not enough: two callers may request the same change in the same millisecond, and only one of them
    may succeed.
    """
    return f"{{{key}}}:done:{change_id or secrets.token_hex(16)}"


async def swap(redis: Redis, key: str, name: str, old: bytes | None, new: bytes | None) -> bool:
    """Changes a field of a hash if it is still `old`; None stands for a missing field."""
    script = (FREES if new is None else WRITES) + (
        "if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end\n"
        "if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end\n"
        "if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1])\n"
        "else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end\n"
        f"redis.call('SET', KEYS[2], '1', 'PX', {TRACE_MS})\nreturn 1"
    )
    return bool(await answer(redis.eval(script, 2, key, trace_of(key), name, old or b"", new or b"")))
