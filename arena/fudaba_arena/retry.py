"""Repeats operations on the store and the service until they are answered. All of them are safe to repeat."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Final, Generic, TypeVar, final

from fudaba_arena.errors import Say
from fudaba_serving.process.retry import doubling, retry

__all__ = ["Retry"]

T = TypeVar("T")
E = TypeVar("E", bound=Exception)

_FIRST_PAUSE_SECONDS: Final = 0.1


@final
class Retry(Generic[E]):
    """Waits while something is away. It reports the outage once, and the recovery once."""

    def __init__(
        self,
        resource: str,
        error: type[E],
        say: Say,
        failed: Callable[[E], None] = lambda _: None,
        *,
        max_pause_seconds: float = 2.0,
    ) -> None:
        self._resource = resource
        self._error = error
        self._say = say
        self._failed = failed
        self._max_pause_seconds = max_pause_seconds
        """The longest pause between two attempts, unless more is asked for."""
        self._away_since: float | None = None

    async def __call__(
        self, operation: Callable[[], Awaitable[T]], pause_after: Callable[[E], float | None] = lambda _: 0.0
    ) -> T:
        """Returns the answer of an operation.

        `pause_after` returns the minimum number of seconds to wait after an error, or None for an error that waiting
        cannot mend, which is then raised.
        """

        def failed(error: E) -> float:
            least = pause_after(error)
            if least is None:
                raise error
            self._lost(error)
            return least

        answer = await retry(operation, self._error, self._pauses(), failed)
        self._back()
        return answer

    def _pauses(self) -> Iterator[float]:
        for pause in doubling(_FIRST_PAUSE_SECONDS, self._max_pause_seconds):
            yield pause * random.uniform(0.5, 1.0)  # noqa: S311 - operations do not all come back at once

    def _lost(self, error: E) -> None:
        self._failed(error)
        if self._away_since is None:
            self._away_since = time.monotonic()
            self._say(f"{error}; trying again until it answers")

    def _back(self) -> None:
        if self._away_since is not None:
            self._say(f"{self._resource} answers again, after {time.monotonic() - self._away_since:.1f} s")
            self._away_since = None
