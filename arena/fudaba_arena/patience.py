"""Store operations that are repeated until they are answered: all of them can be."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar, final

from fudaba_arena.errors import Say
from fudaba_arena.store import StoreUnavailable

__all__ = ["Patience"]

T = TypeVar("T")

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 2.0


@final
class Patience:
    """Waits while the store is away, and says so once."""

    def __init__(self, say: Say, failed: Callable[[], None] = lambda: None) -> None:
        self._say = say
        self._failed = failed
        self._away_since: float | None = None

    async def __call__(self, operation: Callable[[], Awaitable[T]]) -> T:
        """The answer of an operation."""
        pause = _FIRST_PAUSE
        while True:
            try:
                answer = await operation()
            except StoreUnavailable as error:
                self._failed()
                if self._away_since is None:
                    self._away_since = time.monotonic()
                    self._say(f"{error}; trying again until it answers")
                await asyncio.sleep(pause)
                pause = min(_LONGEST_PAUSE, 2 * pause)
            else:
                if self._away_since is not None:
                    self._say(f"the arena's store answers again, after {time.monotonic() - self._away_since:.1f} s")
                    self._away_since = None
                return answer
