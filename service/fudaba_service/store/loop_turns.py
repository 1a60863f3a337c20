"""Turns of the event loop: how much one turn does before other ready work gets its turn."""

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
"""The busy share of the event loop's thread above which it has all the work that it can do."""
_POLL_SECONDS: Final = 1.0


@final
class LoopTurns:
    """Limits the steps of long work. Other work gets its turn between two steps.

    A call takes some twenty turns, however little it does in each, and so waits for twenty steps of other work. While a
    call is in progress, steps are short. Otherwise they are longer, since one step's news goes out in fewer messages.
    That helps most when there is more work than time; with time to spare, short waits matter more, and steps have a
    medium length.
    """

    def __init__(self) -> None:
        self._calls = 0
        self._usual = _USUAL_ANSWERS

    @property
    def step(self) -> int:
        """The number of answers that are judged or sent in one turn."""
        return _MIN_ANSWERS if self._calls else self._usual

    async def run(self) -> None:
        """Measures repeatedly whether there is time to spare, until cancelled."""
        while True:
            began, worked = time.monotonic(), time.thread_time()
            await asyncio.sleep(_POLL_SECONDS)
            self.looked(time.thread_time() - worked, time.monotonic() - began)

    def looked(self, worked: float, passed: float) -> None:
        """Notes that the event loop's thread has `worked` this long of the last `passed` seconds."""
        self._usual = _MAX_ANSWERS if worked > _FULL_SHARE * passed else _USUAL_ANSWERS

    @contextmanager
    def called(self) -> Iterator[None]:
        """Counts a call in progress."""
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
