"""Keeps the journal of a tournament up to date, and wakes those that wait for changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, final

from fudaba_arena.play.tournaments.followed_tournament import STALE_SECONDS
from fudaba_arena.play.tournaments.journal import Journal
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.answers import StoreFull

__all__ = ["JournalKeeper"]

_BATCH_SECONDS: Final = 0.2
"""The time within which changes are noted together."""


@final
class JournalKeeper:
    """Notes the changes of a tournament in its journal, and notifies its followers."""

    def __init__(
        self, journal: Journal, state: Callable[[], ScheduledTournament], state_name: Callable[[], str]
    ) -> None:
        """`state` and `state_name` return the tournament's present state, and its name for followers."""
        self.journal = journal
        self._state = state
        self._state_name = state_name
        self._stirred = asyncio.Event()
        self._news = asyncio.Event()
        self._incomplete = True
        """Whether changes that another arena made may be missing from the journal."""

    def stir(self) -> None:
        """Says that something may have changed. `stirred` returns soon."""
        self._stirred.set()

    async def stirred(self) -> bool:
        """Waits for a `stir` since the last call, or until it is time to look again. Returns whether there was one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(STALE_SECONDS):
                await self._stirred.wait()
        stirred = self._stirred.is_set()
        self._stirred.clear()
        return stirred

    async def note(self) -> None:
        """Notes what has changed, and notifies waiting followers. Raises `StoreUnavailable`."""
        await self.journal.catch_up(self._state(), self._state_name())
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def note_batch(self) -> None:
        """Notes what has changed, and returns after the time within which changes are noted together."""
        await self.note()
        await asyncio.sleep(_BATCH_SECONDS)

    async def note_of_others(self, *, changed: bool) -> None:
        """Notes what another arena has changed, if it has `changed` anything or was not noted completely.

        A full store is no error: followers get the changes now, and they are noted when the store has room.
        """
        self._incomplete |= changed
        if self._incomplete:
            with suppress(StoreFull):
                await self.note()
                self._incomplete = False

    async def news(self) -> None:
        """Waits until changes are noted."""
        await self._news.wait()

    async def news_after(self, known: int) -> None:
        """Waits until more than `known` changes are noted, or it is time to look again."""
        if self.journal.length <= known:
            with suppress(TimeoutError):
                async with asyncio.timeout(STALE_SECONDS):
                    await self.news()
