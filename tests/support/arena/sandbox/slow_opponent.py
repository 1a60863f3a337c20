"""A match in which the other seat takes its time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, final

from fudaba.v1 import play_pb2, record_pb2
from tests.support.service.bots import Bot, by_chance
from tests.support.service.journal import Journal
from tests.support.service.organiser import PATIENT, Organiser


@final
class Slow:
    """Plays the other seat, and makes no decision before it may."""

    def __init__(self, organiser: Organiser, token: str) -> None:
        self.may = asyncio.Event()
        self.owes = asyncio.Event()
        self._task = asyncio.create_task(Bot(organiser.address, token, self._choose).play())

    async def _choose(self, bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
        self.owes.set()
        await self.may.wait()
        await by_chance(bot, journal, decision)

    async def decides_once(self) -> None:
        """Waits a moment, whether there is something to decide or not."""
        if self.owes.is_set():
            self.owes.clear()
            self.may.set()
            self.may.clear()
        await asyncio.sleep(0.01)

    async def end(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


@asynccontextmanager
async def table(
    organiser: Organiser, clock: record_pb2.Clock = PATIENT, slow_seat: int = 1, **fields: Any
) -> AsyncIterator[tuple[str, Slow]]:
    """Yields a match of two seats, one of which is slow; of Naga, unless the fields of its request say otherwise."""
    match_id = await organiser.match(
        await organiser.entrant("first"), await organiser.entrant("second"), clock=clock, **fields
    )
    slow = Slow(organiser, await organiser.match_token(match_id, slow_seat))
    try:
        yield match_id, slow
    finally:
        await slow.end()
