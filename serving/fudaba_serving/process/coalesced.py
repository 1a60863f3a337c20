"""An operation that many callers ask for at the same time, and that runs once for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import final

from fudaba_serving.process.tasks import cancel, spawn

__all__ = ["Coalesced"]


@final
class Coalesced:
    """Runs an operation once for all callers that ask before the run begins. One run at a time."""

    def __init__(self, operation: Callable[[], Awaitable[None]]) -> None:
        self._operation = operation
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def __call__(self) -> None:
        """Returns when a run that began after this call is done; raises what it raises."""
        if self._next is None:
            self._next = spawn(self._run(self._running))
        await asyncio.shield(self._next)

    async def close(self) -> None:
        """Ends the runs for which no caller may be waiting any more."""
        await cancel(*[run for run in (self._running, self._next) if run is not None])

    async def _run(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait((before,))
        self._running, self._next = self._next, None
        await self._operation()
