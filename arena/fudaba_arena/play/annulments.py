"""Blocks that are made to count no more while an arena hosts their tournament: by this arena, another, or a command."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import final

from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.annulling import Entries, Which, annulment
from fudaba_arena.store.closed_blocks import Annulment
from fudaba_arena.store.results import Store

__all__ = ["Annulments"]

Current = Callable[[], TournamentState]
"""The tournament's state; another one when it was read again meanwhile."""


@final
class Annulments:
    """Those of one tournament: each is stored once, and taken into its state once."""

    def __init__(self, name: str, store: Store) -> None:
        self._name = name
        self._store = store
        self._one_by_one = asyncio.Lock()
        self._taken = 0
        """How many of those that are stored are in the state, or were when it was read."""

    def forget(self) -> None:
        """The state was read again, with all that was stored then."""
        self._taken = 0

    async def annul(self, current: Current, entries: Entries, which: Which, reason: str) -> Annulment:
        """Has closed blocks count no more. Raises `ArenaError` when no block that counts is meant."""
        async with self._one_by_one:
            await self._take(current, None)
            blocks, now_ms = current().stored.blocks, int(time.time() * 1000)
            found = await annulment(blocks, entries, which, reason, now_ms)
            await self._store.annul(self._name, found)
            await self._take(current, None)
        return found

    async def take(self, current: Current, count: int) -> bool:
        """Takes what is stored of them into the state, by whomever; whether there was anything new among `count`."""
        async with self._one_by_one:
            return await self._take(current, count)

    async def _take(self, current: Current, count: int | None) -> bool:
        if self._taken == (await self._store.annulment_count(self._name) if count is None else count):
            return False
        known = await self._store.annulments(self._name)
        for one in known:
            current().stored.blocks.annul(one)
        self._taken = len(known)
        return True
