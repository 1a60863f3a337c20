"""The streams that carry news to followers, and how they end."""

from __future__ import annotations

import asyncio
from typing import Any, final

from fudaba.refusals import Refused
from fudaba.v1 import errors_pb2
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament

__all__ = ["Streams"]


@final
class Streams:
    """All streams of an arena. They end when the arena stops."""

    def __init__(self) -> None:
        self._stopping = asyncio.Event()

    def end(self) -> None:
        """Ends the followers' streams, because the arena is stopping."""
        self._stopping.set()

    @property
    def ending(self) -> bool:
        """Whether the arena is stopping."""
        return self._stopping.is_set()

    async def wait_for_news(self, arena_tournament: ArenaTournament, seen: int) -> None:
        """Waits for news. Raises if the arena is stopping."""
        waiting: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(arena_tournament.news(seen)), asyncio.ensure_future(self._stopping.wait())
        ]  # fmt: skip
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if self.ending:
                raise Refused(errors_pb2.REASON_SHUTTING_DOWN, "the arena is stopping; connect again")
            if waiting[0].done():
                waiting[0].result()
        finally:
            for task in waiting:
                task.cancel()
