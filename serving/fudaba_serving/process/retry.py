"""Repeats an operation until it succeeds, with a growing pause between two tries."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

__all__ = ["doubling", "retry"]

Result = TypeVar("Result")
Error = TypeVar("Error", bound=Exception)


def doubling(first_seconds: float, max_seconds: float) -> Iterable[float]:
    """Yields pauses without end: the first one, then twice as long each time, up to `max_seconds`."""
    pause = first_seconds
    while True:
        yield pause
        pause = min(2 * pause, max_seconds)


async def retry(
    operation: Callable[[], Awaitable[Result]],
    errors: type[Error] | tuple[type[Error], ...],
    pauses: Iterable[float],
    failed: Callable[[Error], float],
) -> Result:
    """Returns the result of an operation, which runs again from its beginning after each of the `errors`.

    `failed` is called with each error. It returns the least number of seconds until the next try, or raises the error
    to give up. `pauses` has a pause for each try. If a caller may lose interest in the result, the operation should
    check that at its beginning.
    """
    for pause in pauses:
        try:
            return await operation()
        except errors as error:
            await asyncio.sleep(max(failed(error), pause))
    raise AssertionError("the pauses ended")
