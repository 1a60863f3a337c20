"""Turns of the event loop: how much is done in one before others that are ready get theirs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, final

__all__ = ["LoopTurns"]

_MAX_ANSWERS: Final = 100
_USUAL_ANSWERS: Final = 16
_MIN_ANSWERS: Final = 4
_FULL_SHARE: Final = 0.7
"""The share of time that the thread of the event loop works from which on it has all the work that it can do."""
_POLL_SECONDS: Final = 1.0


@final
class LoopTurns:
    """Says how long the steps of long work may be: between two steps other work gets its turn.

    A call takes some twenty turns, however little it does in each, so that it waits for twenty steps of whatever else
    goes on. While there is one the steps are short. Otherwise they are longer: what is told in one step goes out in
    fewer messages. That is worth most while there is more to do than there is time for; while there is time to spare,
    what counts is that nobody waits for long, and steps are of a middle length.
    """

    def __init__(self) -> None:
        self._calls = 0
        self._usual = _USUAL_ANSWERS

    @property
    def step(self) -> int:
        """The number of answers that may be judged or sent in one turn."""
        return _MIN_ANSWERS if self._calls else self._usual

    async def run(self) -> None:
        """Measures again and again whether there is time to spare, until it is cancelled."""
        while True:
            began, worked = time.monotonic(), time.thread_time()
            await asyncio.sleep(_POLL_SECONDS)
            self.looked(time.thread_time() - worked, time.monotonic() - began)

    def looked(self, worked: float, passed: float) -> None:
        """Notes that the thread of the event loop has `worked` for this long in the last seconds that `passed`."""
        self._usual = _MAX_ANSWERS if worked > _FULL_SHARE * passed else _USUAL_ANSWERS

    @contextmanager
    def called(self) -> Iterator[None]:
        """Counts in a call that is being answered."""
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
