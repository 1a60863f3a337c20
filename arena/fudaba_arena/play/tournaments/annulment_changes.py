"""Blocks that are annulled while an arena hosts their tournament: by this arena, another one, or a command."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import final

from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulment_effects import BlockChoice, Effect, ReadBlocks, annulment, undoing
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.store import Store

__all__ = ["AnnulmentChange", "Annulments"]

_PREVIEW = "preview"
"""The reason of an annulment that is only previewed."""


@final
@dataclass(frozen=True, slots=True)
class AnnulmentChange:
    """An annulment or its undoing, and the effect."""

    annulment: Annulment
    effect: Effect
    number: int
    """Its number in the tournament; 0 for a preview."""


@final
class Annulments:
    """The annulments of one tournament. Each is stored once and applied to its state once."""

    def __init__(
        self,
        name: str,
        store: Store,
        state: Callable[[], ScheduledTournament],
        read_blocks: ReadBlocks,
        changed: Callable[[], Awaitable[None]],
    ) -> None:
        """`state` returns the tournament's present state, which is a new one after each reading; `changed` is awaited
        after each annulment that is made here, and after each preview.
        """
        self._name = name
        self._store = store
        self._state = state
        self._read_blocks = read_blocks
        self._changed = changed
        self._one_by_one = asyncio.Lock()
        self._taken = 0
        """The number of stored annulments that the state includes."""

    def forget(self) -> None:
        """Notes that the tournament was read anew, with all annulments stored by then."""
        self._taken = 0

    async def annul(self, choice: BlockChoice, reason: str, *, preview: bool = False) -> AnnulmentChange:
        """Annuls closed blocks. Raises `ArenaError` if the choice contains no counting block.

        With `preview` it only returns the effect, and needs no reason.
        """

        async def made(at_ms: int) -> Annulment:
            given = (reason.strip() or _PREVIEW) if preview else reason
            return await annulment(self._state().stored.blocks, self._read_blocks, choice, given, at_ms)

        return await self._change(made, preview=preview)

    async def undo(self, number: int, reason: str, *, preview: bool = False) -> AnnulmentChange:
        """Undoes an annulment. Raises `ArenaError` if no annulment in force has that number. `preview` is as in
        `annul`.
        """

        async def made(at_ms: int) -> Annulment:
            given = (reason.strip() or _PREVIEW) if preview else reason
            return undoing(self._state().stored.blocks.annulments, number, given, at_ms)

        return await self._change(made, preview=preview)

    async def _change(self, made: Callable[[int], Awaitable[Annulment]], *, preview: bool) -> AnnulmentChange:
        async with self.alone():
            found = await made(int(time.time() * 1000))
            effect = await asyncio.to_thread(Effect.from_annulment, self._state().stored.blocks, found)
            number = 0 if preview else await self._store.annulments.annul(self._name, found)
        await self._changed()
        return AnnulmentChange(found, effect, number)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Lets the block of its `with` note annulments while nobody else here does. All noted ones are in the state
        before it and after it.
        """
        async with self._one_by_one:
            await self._take(None)
            yield
            await self._take(None)

    async def note_with_change(self, annulment: Annulment | None, begin: int, change: str) -> bool:
        """See `AnnulmentList.annul_with_change`."""
        return await self._store.annulments.annul_with_change(self._name, annulment, begin, change)

    async def take(self, count: int) -> bool:
        """Applies the stored annulments to the state, whoever made them. Returns whether any of the `count` was new."""
        async with self._one_by_one:
            return await self._take(count)

    async def _take(self, count: int | None) -> bool:
        if self._taken == (await self._store.annulments.annulment_count(self._name) if count is None else count):
            return False
        known = await self._store.annulments.annulments(self._name)
        self._state().stored.blocks.hold(known)
        self._taken = len(known)
        return True
